# ruff: noqa: E501  a program is a line or two, however long
"""Converted programs mean on plain values what the originals mean: one program for each construct."""

import sys

import pytest

from tests.autograph.programs import assert_same, converted_text

PROGRAMS = {
    "if_else": ("def f(x):\n if x > 0: y = 1\n elif x == 0: y = 0\n else: y = -1\n return y", -2, 0, 3),
    "unbound_after_if": ("def f(x):\n if x: y = 1\n return y", 0, 1),
    "unbound_in_augmented_assignment": ("def f(x):\n if x: y = 1\n y += 1\n return y", 0, 1),
    "unbound_after_loop": ("def f(xs):\n for x in xs: y = x\n return x, y", [], [1, 2]),
    "unbound_in_closure": (
        "def f(x):\n if x: y = 1\n def g(): return y\n return g()", 0, 1
    ),
    "unbound_and_rebound_in_closure": (
        "def f(x):\n def g():\n  nonlocal y\n  y += 1\n if x: y = 1\n g()\n return y", 0, 1
    ),
    "unbound_in_lambda_in_branch": (
        "def f(x):\n if x:\n  g = lambda: y\n else:\n  g = lambda: 5\n  y = 3\n r = g()\n y = 1\n return r, y", 0, 1
    ),
    "comprehension_with_a_variable_of_an_unbound_name": (
        "def f(x):\n if x: y = 1\n else:\n  ys = [(y, x) for x, y in {1: 2}.items() if y]\n  for y in ys: break\n return y", 0, 1
    ),
    "a_variable_of_the_module_or_of_a_function_around_is_deleted": (
        "kept = 1\ndef f(x):\n global kept, error\n v = x\n def d():\n  nonlocal v\n  if v: del v\n"
        "  elif v is None:\n   try: missing\n   except NameError as v: pass\n d()\n"
        " try:\n  if x: del kept\n  1 / 0\n except ZeroDivisionError as error: pass\n found = sorted(globals().keys() & {'kept', 'error'})\n"
        " kept = 1\n print(found)\n return v", 0, 1, None
    ),
    "variables_bound_in_the_midst_of_an_expression": (
        "def f(xs, a):\n def seen(v): print(v); return v\n print(a, [y for v in xs if (y := seen(v)) > 1], a and (z := seen(a)) and z + 1)\n"
        " if any((w := v) > 1 for v in xs if seen(v)): print('witness', w)\n late = ((q := v) for v in xs)\n"
        " r = seen(0), not (a and (u := 2)), {k: (t := k) for k in xs}, list(late), sorted([(p := v) for v in xs], key=lambda v: -v)\n"
        " while seen(a) < 3 and not all((s := v) < a for v in xs): a += 1\n return r, y, s, q, w, z, u, t, p",
        ([1, 2, 3], 0), ([3, 1], 1), ([0], 2), ([1, 2], 5)
    ),
    "variables_of_the_module_bound_in_the_midst_of_an_expression": (
        "def f(xs):\n global found\n return len(xs), [found for v in xs if (found := v)], found", [1, 2], [0]
    ),
    "comprehensions_that_bind_variables": (
        "def f(xs, ys):\n r = [y for v in xs if (y := v * 2) > 3]\n s = {k: (z := v) for k, v in enumerate(xs) if v and (w := k) or v > 2}\n"
        " if [q := v for v in ys for v in [v, v] if v]: print(q)\n elif {(q := -1) for _ in xs}: print('q', q)\n"
        " t = sorted([(u := v, w) for v in xs for w in ys if (v, w) != (1, 1)])[0:2], [[(y := (v, w)) for w in ys] for v in xs], y\n"
        " for v in [last for v in xs if (last := v) != 2]: print(v, last)\n"
        " fs = [lambda: (v, o) for v in xs if (o := v)]\n return r, s, t, [g() for g in fs], {v for v in xs if (p := v)}, v, u, w, y, z, p",
        ([1, 2, 3], [1, 0]), ([0, 5, 2, 2], [2]), ([], [1]), ([3], []), ([1, "x"], [2]),
    ),
    "an_unbound_variable_in_a_comprehension_that_binds_one": (
        "def f(x):\n if x == 1: y = 2\n"
        " return [y for v in [x, x] if (z := v) > 0], y", 0, 1, 2
    ),
    "a_tuple_is_unpacked_after_the_items_before_it_are_stored": (
        "def f(x):\n l, m = [0, 1, 2, 3], [0, 1, 2]\n l[0], (a, *b) = x, l\n l[1], (l[2], l[0], l[1], c), l[3] = l[0], l, x + 1\n"
        " (d, m[0]), [m[1], *(e, m[2])], m[0] = (x, 1), m, 5\n for l[0], (g, *h) in [(7, l), (8, l)]: print(g, h)\n"
        " try: m[0], (p, q) = 9, (1,)\n except ValueError as error: print(error)\n return l, m, a, b, c, d, e", 4, 5
    ),
    "variables_and_items_deleted_in_a_tuple": (
        "def f(x):\n d, l, p, q = {1: 1, 2: 2}, [1, 2], 1, 2\n if x: del (d[1], [l[0], p]), q\n r = []\n"
        " for g in (lambda: p, lambda: q):\n  try: r.append(g())\n  except NameError as e: r.append(str(e))\n"
        " try:\n  del [p], q\n except NameError as e: r.append(str(e))\n try: p\n except NameError as e: r.append(str(e))\n"
        " return d, l, r", 0, 1
    ),
    "a_variable_of_a_function_around_is_deleted_twice": (
        "def f(x):\n p = 1\n def h():\n  nonlocal p\n  if x: del p\n  else: del (p,)\n h()\n"
        " try: h()\n except NameError as e: return type(e), str(e)", 0, 1
    ),
    "an_unbound_variable_in_operands_that_bind_one": (
        "def f(x):\n if x == 1: y = 2\n r, *w = (y or w) or (z := x) or w\n return r", 0, 1
    ),
    "an_unbound_variable_behind_operands_that_bind_one": (
        "def f(x):\n a = x and w and x or (w := y)\n y = 1", 0, 1
    ),
    "an_unbound_variable_in_a_choice_that_binds_one": (
        "def f(x):\n if x: y -= y if x > 1 else (w := 2)\n else: y = 2\n return y", 0, 1, 2
    ),
    "an_unbound_variable_in_a_generator_that_binds_one": (
        "def f(x):\n if x == 1: y = 2\n return sum((z := v + y) for v in [x, x]), z", 0, 1
    ),
    "operands_that_bind_variables": (
        "class T:\n def __init__(self, v): self.v = v\n def __bool__(self): print('bool', self.v); return bool(self.v)\n"
        " def __repr__(self): return f'T({self.v})'\n"
        "def f(a, b):\n a, b = T(a), T(b)\n if a and (x := b): print('both', x)\n elif not (a or (y := b)): print('none', y)\n else: print('one')\n"
        " r = [a or (z := b)], (a and (w := b) and 3, b)\n n = 5\n while n and (m := n - 1) > 1:\n  n = m\n  if m == 3: continue\n  print(m)\n"
        " while a and (k := a.v): break\n else: print('else')\n assert a or b or (q := 1), 'm'\n s = (p := 1) if a else (p := 2)\n"
        " print([a and (h := b)], [(i := v) or v for v in (0, 1) if v or (j := v)])\n"
        " if (a or b) and (l := [v for v in (1, 2) if (u := v) and (t := u)]): print(l, u, t)\n"
        " def g(): return y if b else (lambda: (e := b) and e)()\n return r, n, m, s, p, q, g()",
        (0, 0), (0, 1), (1, 0), (1, 1), (2, 3),
    ),
    "unbound_after_a_manager_that_suppresses": (
        "import contextlib\ndef f(x):\n with contextlib.suppress(ValueError):\n  if x: int('z')\n  y = 1\n"
        " while x:\n  x -= 1\n  if x: y = x\n return y", 0, 1, 2
    ),
    "unbound_where_what_follows_always_raises": (
        "import contextlib\ndef f(x):\n with contextlib.suppress(Exception): raise\n for _ in [x, x]: y = x\n return y", 0
    ),
    "patterns_that_nothing_reaches": (
        "def f(x):\n def g():\n  raise ValueError(x)\n  match x:\n   case [3, [v]]: y -= x\n try: g()\n except ValueError as e: return str(e)", 0
    ),
    "jump_before_a_finally_that_returns": (
        "def f(x):\n try: pass\n except KeyError:\n  if x: return 0\n finally: pass\n try: del f.missing\n finally: return x", 1
    ),
    "jumps_before_a_finally_that_jumps": (
        "def f(x):\n for i in range(x):\n  if i == 2: continue\n  with open('/dev/null'):\n   if i == 5: break\n  while i > 0:\n"
        "   i -= 2\n   if i == 1: return 'early'\n  try: 1 // i\n  finally: continue\n return i",
        1, 3, 4, 7,
    ),
    "which_error_of_an_item_store_comes_first": (
        "def f(c, a):\n try: c[c[a]] = missing\n except Exception as e: print(e)\n try: c[a] += missing\n except Exception as e: print(e)\n"
        " try: c[a.b] = c[9]\n except Exception as e: print(e)\n try: c[a - 1] += c[9]\n except Exception as e: print(e)\n"
        " try: missing[a] = c[9]\n except Exception as e: print(e)\n try: c[late] = c[9]\n except Exception as e: print(e)\n"
        " try: c[late] += c[9]\n except Exception as e: print(e)\n late = 1\n return c",
        ([1, 2], 0), ([1, 2], 9), ([1, 2], "x"), (None, 0), ([9] * 10, 0), ([9] * 10, 10),
    ),
    "an_item_store_whose_parts_bind_names": (
        "def f(c, i):\n c[i] = (i := 1)\n c[(i := 2)] = i\n c[i] += (i := 3)\n c[(i := 0)] += i\n c[i], c[i] = i, (i := 1)\n return c, i",
        ([5, 6, 7, 8], 3),
    ),
    "early_return": ("def f(x):\n if x > 0: return 'p'\n if x < 0: return 'n'\n print('zero')", -1, 0, 1),
    "return_in_one_branch_of_two_levels": (
        "def f(a, b):\n if a:\n  if b: return 1\n  x = 2\n else: x = 3\n return x", (0, 0), (1, 0), (1, 1)
    ),
    "many_returns": (
        "def f(x):\n" + "".join(f" if x == {i}: return {i} * 10\n print({i})\n" for i in range(40)) + " return -1",
        0, 1, 20, 39, 40,
    ),
    "no_value": ("def f(x):\n if x: return\n print('on')", 0, 1),
    "while_break_continue_else": (
        "def f(n):\n i = 0\n while i < n:\n  i += 1\n  if i == 3: continue\n  if i == 6: break\n  print(i)\n"
        " else: print('else')\n return i",
        0, 2, 4, 9,
    ),
    "for_break_continue_else": (
        "def f(xs):\n t = 0\n for x in xs:\n  if x < 0: continue\n  if x > 9: break\n  t += x\n"
        " else: return t, 'all'\n return t",
        [], [1, 2], [1, -1, 2], [1, 10, 2],
    ),
    "break_does_not_advance_the_iterator": (
        "def f(n):\n it = iter(range(n))\n for x in it:\n  if x == 2: break\n return list(it)", 0, 2, 5
    ),
    "nested_loops_with_return": (
        "def f(n):\n for i in range(n):\n  for j in range(n):\n   if i * j == 6: return i, j\n   if j > i: break\n"
        "  else: print('inner', i)\n return None",
        0, 2, 5,
    ),
    "while_true": ("def f(n):\n while True:\n  n += 1\n  if n % 7 == 0: return n", 0, 5),
    "loop_variable_afterwards": ("def f(xs):\n i = 'none'\n for i in xs: pass\n return i", [], [1, 2]),
    "tuple_targets": ("def f(d):\n for k, (a, *b) in d.items(): print(k, a, b)\n return k", {}, {"x": [1, 2, 3]}),
    "lambda_sees_the_last_value": (
        "def f(n):\n fs = []\n for i in range(n):\n  j = i * 2\n  fs.append(lambda: (i, j))\n return [g() for g in fs]", 3
    ),
    "closure_in_branch_shares_its_variable": (
        "def f(x):\n k = 1\n if x:\n  g = lambda: k\n  k = 2\n else:\n  g = lambda: -k\n k += 10\n return g()", 0, 1
    ),
    "nonlocal_in_inner_function": (
        "def f(n):\n total = 0\n def add(k):\n  nonlocal total\n  if k % 2: total += k\n"
        " for i in range(n): add(i)\n if total > 3: print(total)\n return total",
        1, 6,
    ),
    "global_in_loop": ("count = 0\ndef f(n):\n global count\n count = 0\n for i in range(n):\n  if i % 2: count += i\n return count", 5),
    "short_circuit": ("def f(a, b):\n return a and b and 1 // b, a or 1 // b, not a", (0, 0), (1, 2), ([], 3)),
    "walrus_in_tests": (
        "def f(xs):\n it = iter(xs)\n while (x := next(it, None)) is not None:\n  if (y := x * 2) > 4 and (z := y) < 9:\n"
        "   print(x, y, z)\n return x",
        [], [1, 2, 3, 4, 5],
    ),
    "walrus_in_the_test_of_a_loop_that_ends_early": (
        "def f(xs):\n it = iter(xs)\n while x := next(it, 0):\n  if x == 3: continue\n  if x == 5: break\n"
        "  if x > 6: return x\n  print(x)\n else: print('else')\n return x",
        [], [1, 2], [3, 4, 5, 6], [3, 4, 7],
    ),
    "chained_comparison_evaluates_once": (
        "def f(a):\n def g(x):\n  print(x)\n  return x\n return g(1) < g(a) < g(3) != g(4), 0 < a <= 2, a in (1, 2) in [True]",
        0, 2, 5,
    ),
    "chained_comparisons_as_operands": (
        "def f(a):\n def g(x):\n  print(x)\n  return x\n while a > 0 and 0 < g(a) < 3: a -= 1\n"
        " return 0 < g(a) < g(0 <= g(a + 1) < 5), (1 < g(a) < 2) if a else (a == 0 or 0 < g(a) <= g(2) < 3), [v for v in (1, 2) if v and 0 < g(v) < 2]",
        0, 1, 2, 3, -1
    ),
    "chained_comparison_in_comprehension": (
        "def f(xs):\n return [x for x in [y for y in xs if 0 < int(y) < 5] if 0 < abs(x) < abs(x + 1) < 4]", [-1, 1, 2, 9]
    ),
    "comprehensions": (
        "def f(x):\n return [v * 2 for v in x if v > 0 if print(v) is None], {v for v in x}, {v: print(v) for v in x}, sum(v for v in x)",
        [], [1, -1], 5, ["a", 1],
    ),
    "comprehension_targets": (
        "def f(x):\n return [(a, b, c, _) for (a, *b), c, _, _ in x], [k for [k, *_] in x]",
        [((1, 2), 3, 4, 5)], [(1, 2)], [5], [],
    ),
    "nested_comprehensions": (
        "def f(x):\n return [(a, b) for a in x if a for b in range(a) if b if a != b for a in 'xy'], [[v * w for w in x] for v in x]",
        [1, 0, 3], [2, "a"], [],
    ),
    "generator_expressions_are_lazy": (
        "def f(x):\n k = 1\n g = (v + k for v in x if v)\n k = 2\n print(next(g, None))\n k = 3\n"
        " return list(g), g.__name__, g.__qualname__, list(g)",
        [1, 0, 2], [], 5,
    ),
    "a_comprehension_passes_on_the_end_of_an_iterator": (
        "def f(x):\n it = iter(x)\n return [next(it) for _ in range(3)]", [1, 2], [1, 2, 3]
    ),
    "a_generator_expression_does_not": (
        "def f(x):\n it = iter(x)\n return list(next(it) for _ in range(3))", [1, 2], [1, 2, 3]
    ),
    "closures_in_comprehensions_share_their_variable": (
        "def f(x):\n return [g() for g in [lambda: v for v in x]], [list(g) for g in [(v for _ in 'ab') for v in x]]", [1, 2]
    ),
    "comprehension_in_class": (
        "def f(x):\n class C:\n  y = 5\n  z = [y for y in x]\n  def g(self): return [v for v in x if v]\n return C().g(), C.z, C.y",
        [1, 0, 2],
    ),
    "comprehension_hides_its_variable": ("def f(x):\n x = [x for x in x if x]\n return x", [1, 0], []),
    "walrus_in_comprehension": ("def f(x):\n r = [y for v in x if (y := v * 2) > 2]\n return r, y", [1, 2, 3], []),
    "handler_name_is_unbound_when_the_handler_raises": (
        "def f(x):\n try:\n  next(x)\n except TypeError as e:\n  y\n finally:\n  return e\n y = 1", 2
    ),
    "handler_name_in_a_try_that_suspends": (
        "def f(a):\n try:\n  x, *y = (yield a)\n except TypeError as x: pass\n finally:\n  x = 's' and 1 and x", 0
    ),
    "handler_name_of_a_group": (
        "def f(xs):\n for e in xs:\n  try:\n   if e: raise ExceptionGroup('g', [ValueError(e)])\n  except* ValueError as e: print(e)\n"
        "  try: print(e)\n  except KeyError: e += 1", [0], [0, 1],
    ),
    "bound_by_dead_code_in_a_loop": (
        "def f(c):\n match c:\n  case [1, y]:\n   for x, y in []: pass\n   return\n return x", 0, [1, 2]
    ),
    "unbound_in_a_class_body": ("def f(c):\n class C: field = x\n while c: x = c.pop()", [], [1]),
    "unbound_in_defaults_of_an_inner_lambda": ("def f(c):\n g = (lambda: lambda u=z: 1)()\n if c: z = 1", 0, 1),
    "unbound_in_operands_of_a_default": ("def f(x):\n def g(p=x or y): return p\n y = g()\n return y", 0, 1),
    "unbound_before_it_becomes_state": ("def f(c):\n c if c else y\n while c:\n  del c, y", 0, 1),
    "dead_code_that_awaits": ("async def g(): \n return\n await later\ndef f(): return g.__code__.co_flags & 0x2a0", ()),
    "else_of_an_endless_loop": ("def f(x):\n while True:\n  if x: return x\n  x += 1\n else:\n  if x: y = 1\n return y", 0, 1),
    "delete_in_an_inner_function": (
        "def f(x):\n z = 1\n def g(x):\n  if x: z = 2\n  try:\n   del z\n  except NameError: print('none')\n for i in range(2):\n  if i: del z\n"
        "  g(x)\n return z", 0, 1,
    ),
    "yield_in_a_default": (
        "def f(x):\n try:\n  if x: print(x)\n finally:\n  def g(p=(yield x)): return p\n return g()", 0, 1
    ),
    "delete_in_a_method": ("def f(c):\n match c:\n  case str(): pass\n  case x:\n   class A:\n    def g(self):\n     del x\n   x = A().g()", 0),
    "comprehension_reads_ahead": (
        "x = 5\ndef f(c):\n return {str(w) for w in c if x for x in 'ab'}", [], [1]
    ),
    "comprehension_reads_ahead_in_one_of_two_tests": (
        "def f(b):\n return [x for w in range(b) if w if x for x in 'ab']", 0, 2
    ),
    "comprehension_binds_twice": (
        "def f(c):\n return [(a, b) for a in c for b in 'xy' if a for a in (0, 7)], [a for a in c for a in [a, a + 1]]", [], [1, 2]
    ),
    "finally_undoes_a_break": (
        "def f(xs):\n for x in xs:\n  try:\n   if x > 1: break\n  finally:\n   print(x)\n   if x < 3: continue\n  print('on')\n return x",
        [0, 1, 2, 3, 4], [2],
    ),
    "unbound_where_a_manager_suppresses": (
        "import contextlib\ndef f(x):\n if x: y = 5\n if x > 1: del y\n with contextlib.suppress(ValueError):\n  if x == 2: raise ValueError\n"
        "  y = 1\n z = lambda: y\n if x: y\n return y, z()", 0, 1, 2,
    ),
    "dead_code_that_deletes": ("def f():\n return z\n del z", ()),
    "super_in_a_class_of_a_branch": (
        "class A:\n def g(self): return 'A'\ndef f(x):\n if x:\n  class B(A):\n   def g(self):\n    if self: return super().g() + 'B'\n"
        "  return B().g()\n return x and (lambda: A().g())()", 0, 1,
    ),
    "arguments_that_are_no_iterable": ("def f(x):\n def g(): pass\n return g(*x)", 1),
    "unbound_in_operands": ("def f(x):\n return x or y\n y = 1", 0, 1),
    "unbound_in_comprehension": ("def f(x):\n return [y for _ in x]\n y = 1", [], [1]),
    "unbound_in_generator_expression": ("def f(x):\n return list(y for _ in x)\n y = 1", [], [1]),
    "conditional_expressions": ("def f(a, b):\n return 'x' if a else 'y' if b else 1 // b", (1, 0), (0, 1), (0, 0)),
    "assertions": ("def f(x):\n assert x != 1\n assert x, print('message') or ('no', x)\n return x", 0, 1, 2),
    "raise": ("def f(x):\n if x == 1: raise ValueError(x)\n if x == 2: raise KeyError('a') from IndexError(x)\n"
              " if x == 3: raise NotImplemented\n if x == 4: raise\n raise OSError from None", 1, 2, 3, 4, 5),
    "try_with_exits": (
        "def f(xs):\n for x in xs:\n  try:\n   if x == 0: continue\n   if x == 1: break\n   if x == 2: return 'two'\n"
        "   print(1 // (x - 3))\n  except ZeroDivisionError as e: print(e)\n  else: print('else', x)\n"
        "  finally: print('finally', x)\n return 'end'",
        [], [0, 3, 4], [1], [3, 2],
    ),
    "finally_overrides": (
        "def f(x):\n for i in range(3):\n  try:\n   if x == 0: return i\n   if x == 1: raise ValueError\n"
        "   if x == 2: continue\n  finally:\n   print(i)\n   if i == 1: break\n return 'end'",
        0, 1, 2, 3,
    ),
    "return_in_finally": ("def f(x):\n try:\n  if x: raise ValueError\n  return 1\n finally:\n  if x < 2: return 2", 0, 1, 2),
    "reraise": ("def f(x):\n try:\n  if x: 1 // 0\n except ZeroDivisionError:\n  if x > 1: raise\n  return 'caught'", 0, 1, 2),
    "handler_name_is_unbound_afterwards": (
        "def f(x):\n e = 1\n for i in range(2):\n  try:\n   if i == x: 1 // 0\n  except ZeroDivisionError as e: pass\n return e",
        0, 1, 2,
    ),
    "try_returns": (
        "_ = str\ndef f(x):\n try: return 10 // x\n except ZeroDivisionError: return _('zero')\n except TypeError as e: r = _(e)\n return r", 0, 3, "a"
    ),
    "try_rest_after_jumping_handlers": (
        "def f(xs):\n t = 0\n for x in xs:\n  try: y = 10 // x\n  except ZeroDivisionError: continue\n  except TypeError: break\n"
        "  t += y\n  if t > 12: raise ValueError(t)\n return t",
        [1, 0, 5], [1, "a", 5], [1, 1],
    ),
    "try_break_and_else": (
        "def f(xs):\n for x in xs:\n  try:\n   if x: break\n   x[0]\n  except TypeError as e:\n   if x is None: return 'none'\n   print(e)\n"
        "  else: print('else')\n  finally: print('finally')\n  print('after')\n return 'end'",
        [0, 1], [None], [[], 1], [""],
    ),
    "with_exits": (
        "class M:\n def __enter__(self): print('in'); return self\n def __exit__(self, *a): print('out', a[0]); return a[0] is KeyError\n"
        "def f(x):\n for i in range(3):\n  with M() as m, M():\n   if x == i == 1: return 'r'\n   if x == 2: break\n"
        "   if x == 3: raise KeyError\n   print(i)\n  if x == 4: continue\n  print('after', i)\n return 'end'",
        0, 1, 2, 3, 4,
    ),
    "flag_is_reset_when_leaving_a_with_raises": (
        "class M:\n def __enter__(self): pass\n def __exit__(self, *a): raise ValueError\n"
        "def f(x):\n for i in range(2):\n  try:\n   with M():\n    if x: return 'lost'\n  except ValueError: print('caught')\n return 'end'",
        0, 1,
    ),
    "delete": ("def f(x):\n y = 1\n if x: del y\n if x > 1: y = 5\n print(x)\n return y", 0, 1, 2),
    "delete_in_loop": ("def f(n):\n y = 0\n for i in range(n):\n  print(y)\n  del y\n  if i % 2 == 0: y = i", 0, 1, 2, 3),
    "annotations": ("def f(x):\n y: int = 1\n if x:\n  y: 'int' = 2\n  z: print('no')\n return y", 0, 1),
    "item_stores": (
        "def f(d):\n def v(x):\n  print('v', x)\n  return x\n d[v('k')] = v(1)\n d['n'] += v(2)\n d[v('m')] += v(4)\n"
        " d['a'], d['b'], c = d['b'], d['a'], 3\n e = d['z'] = [0, 0, 0]\n e[1:] = [v(7)]\n e[-1] *= 2\n del d['a'], e[0]\n return c",
        ({"n": 1, "m": 1, "a": 2, "b": 3},), ({"n": 1},), ({"n": 1, "m": 2},),
    ),
    "item_and_index": ("def f(x):\n i = 0\n i, x[i] = 1, 'a'\n x[i], i = 'b', 2\n for x[i] in range(3): pass\n return i", [0, 0, 0]),
    "item_of_global": ("d = {}\ndef f(k):\n d[k] = d.get(k, 0) + 1\n d[k] += 1\n del d[k]\n d['x'] = k\n return d", "a"),
    "fstrings": (
        "class C:\n def __format__(self, s): print('format', s); return s\n"
        "def f(x, w):\n return f'{x!r:>{w}}|{x}|{C():a}|{print(1)}|{x=}'",
        ("a", 5), (1, 3),
    ),
    "generator": (
        "def f(n):\n for i in range(n):\n  if i == 2: continue\n  x = yield i\n  for j in range(9):\n   if j > i: break\n"
        "  if i > 3: return j\n return 'end'",
        0, 2, 3, 9,
    ),
    "generator_by_dead_code": ("def f():\n if True:\n  return 5\n yield", ()),
    "dead_code_binds_a_variable_of_the_function_around": (
        "n = 1\ndef f(a):\n def g():\n  nonlocal a\n  global n\n  return a\n  a = n = 2\n return g(), a, n", 3
    ),
    "dead_code_keeps_a_name_local": ("x = 1\ndef f(c):\n if c: return x\n else: return 2\n x = 3", 0, 1),
    "comprehension_over_loop_variables": ("def f(n):\n r = []\n for i in range(n):\n  r += [i * j for j in range(i) if j]\n return r", 5),
    "generator_expression_is_lazy": (
        "def f(n):\n g = None\n for i in range(n):\n  if g is None: g = (i * j for j in range(3))\n return list(g)", 3
    ),
    "class_in_function": (
        "def f(x):\n k = 10\n if x:\n  class A:\n   k = k + 1 if 0 else 2\n   def m(self): return k\n else:\n  A = None\n k = 20\n"
        " return A and (A.k, A().m())",
        0, 1,
    ),
    "super_in_branch": (
        "class A:\n def m(self): return 1\nclass B(A):\n def m(self):\n  for i in range(2):\n   if self: r = super().m() + 1\n"
        "  return r and super().m() + r\ndef f(): return B().m(), B().__class__.__name__",
        (),
    ),
    "private_names": (
        "class A:\n def __init__(self): self.__n = 1\n def go(self):\n  for i in range(3):\n   if i: self.__n += i\n  return self.__n\n"
        "def f(): return A().go()",
        (),
    ),
    "match": (
        "def f(v):\n for i in range(2):\n  match v:\n   case 0: return 'zero'\n   case [a, *b] if a: r = (a, b)\n"
        "   case {'k': x, **rest}: r = (x, rest)\n   case str() as s: continue\n   case _: break\n  print(r)\n return 'end'",
        0, [1, 2], {"k": 1, "l": 2}, "text", None,
    ),
    "match_values": (
        "class K: A = 7\ndef f(v):\n match v:\n  case 0 | 'a' as n: return 'lit', n\n  case None | True: return 'single'\n  case K.A if v > 3: return 'A'\n"
        "  case n if n == 5: r = n\n  case -1 as m: r = m\n  case 8 as n if n > 9: r = 1\n  case n: r = 'rest', n\n return r, n",
        0, "a", None, True, 1, 7, 5, -1, 8, [1],
    ),
    "match_with_guards_on_parts": (
        "class P:\n __match_args__ = ('x', 'y')\n def __init__(self, x, y): self.x, self.y = x, y\n"
        "def f(v, k):\n a = b = None\n match v if k else P(*v):\n  case [a, b] if a > b: r = 'gt'\n  case [0, *rest] | {'z': rest} if rest: r = rest\n"
        "  case P(x, y=2) if x: r = x\n  case P() as p: r = p.x\n  case (int() | str()) as s: r = s\n  case _ if k > 1: r = 'last'\n  case _: r = 'rest'\n return r, a, b",
        ([2, 1], 1), ([1, 2], 1), ([0, 1], 1), ([0, 0, 5], 2), ((3, 2), 0), ((3, 4), 0), ({"z": 9}, 1), (5, 1), (None, 1), (None, 2),
    ),
    "match_without_a_match": ("def f(v):\n match v + 1:\n  case 1: return 'one'\n print('none')", 0, 1),
    "match_asks_once": (
        "class E:\n def __eq__(self, o): print('eq', o); return o == 3\n"
        "def f(v):\n match E():\n  case 1 | 2: pass\n  case 3: print(v)\n  case 4: pass\n",
        0,
    ),
    "recursion": ("def f(n):\n if n < 2: return n\n return f(n - 1) + f(n - 2)", 0, 12),
    "locals": ("def f(x):\n if x: y = 1\n return sorted(locals()), eval('x')", 0, 1),
    "star_expressions": ("def f(a, *b, c=1, **d):\n if a: b = *b, c\n return max(*b, *[a]), d", (1, 2), (0, 3, 4)),
    "while_with_complex_test": ("def f(a, b):\n while a and (b or a > 2):\n  a, b = a - 1, not b\n return a, b", (5, 0), (0, 1)),
    "truth_is_asked_once": (
        "class T:\n def __init__(self, v): self.v = v\n def __bool__(self): print('bool', self.v); return self.v\n"
        "def f(a, b):\n a, b = T(a), T(b)\n if a and b: print('both')\n while not (a or b): break\n return (1 if a else 2)",
        (0 > 1, 1 > 0), (1 > 0, 1 > 0), (0 > 1, 0 > 1),
    ),
    "a_test_asks_a_comparison_once": (
        "class T:\n def __bool__(self): print('asked'); return False\n"
        "class C:\n def __lt__(self, o): return T()\n"
        "def f(x):\n c = C()\n if c < x < 3: print('in')\n if c < x or c < 2: print('either')\n return bool(c < x < 4)",
        1,
    ),
    "not_iterable": ("def f(x):\n for i in x:\n  if i: break\n", 5, [1]),
    "exception_in_condition": ("def f(x):\n if x.missing: return 1", 5),
    "import_in_branch": ("def f(x):\n if x: import math as m\n else: m = None\n return m and m.floor(2.5)", 0, 1),
    "swap": ("def f(a, b):\n while b: a, b = b, a % b\n return a", (12, 18), (5, 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_same_meaning(name):
    program, *calls = PROGRAMS[name]
    assert_same(program, *calls)


@pytest.mark.parametrize("name", PROGRAMS)
def test_converting_twice_changes_nothing(name):
    once = converted_text(PROGRAMS[name][0])
    assert converted_text(once) == once


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are new in Python 3.12")
def test_type_parameters():
    assert_same(
        "def f[T: int](x: T) -> T:\n type L = list[T]\n if x: return x, L.__name__\n return None", 0, 1
    )


def test_except_star():
    program = """
    def f(n):
        try:
            if n: raise ExceptionGroup("g", [ValueError(1), KeyError(2)][:n])
        except* ValueError as e:
            r = len(e.exceptions)
        except* KeyError:
            r = "key"
        if n < 2: r = 0
        return r
    """
    assert_same(program, 0, 1, 2)


def test_code_outside_functions_is_left_alone():
    program = "if x > 1:\n    y = 2\nfor i in z:\n    print(not i)\n\nclass A:\n    k = a if b else c"
    assert converted_text(program) == program
