"""Products of two vectors of one dtype, with NumPy's own bits.

An ill-conditioned recurrence that is fed with products shows in which order they were added. So the order
here is NumPy's, which for float64 is that of OpenBLAS on processors with AVX2, or with AVX-512 (`unit` and
`strided` below, in Python). How NumPy adds is tried once in a process, on numbers that tell. Where it adds in
another order, for other dtypes, and for long vectors (which BLAS may share among threads), NumPy's loop is
called by pointer.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Sequence

import numpy as np

from autograph.records import record
from runtime.engines.native import shared
from runtime.engines.native.calls import Calls
from runtime.engines.native.elements import Element, load
from runtime.engines.native.ir import FALSE, TRUE, FunctionWriter, Label, V, floating, i64
from runtime.engines.native.module import ModuleWriter
from runtime.engines.native.ufunc_loops import loop_address
from runtime.engines.native.values import ArrayRef, is_literal

FLOAT64 = np.dtype("float64")
#: from this length on BLAS may use threads
LONG = 10000
#: these copy what BLAS cannot read (a reversed axis), and add nothing to a single product
COPYING = frozenset({"dot", "inner"})
#: so many products are added side by side
LANES = 16


# -- the order -----------------------------------------------------------------------------------------


@record
class Order:
    """``wide``, with AVX-512: 32 sums first, of which pairs become the 16; and the rest is fused, too.
    ``pairs``: the first product of two that lie apart is fused with the other."""

    wide: bool
    pairs: bool


def unit(x: Sequence[float], y: Sequence[float], order: Order) -> float:
    """The product of whole numbers that lie side by side: 16 sums with fused additions, then the rest."""
    wide = order.wide
    whole = len(x) - len(x) % LANES
    first = whole - whole % (2 * LANES) if wide else 0
    many = [0.0] * (2 * LANES)
    for k in range(first):
        many[k % len(many)] = fused(x[k], y[k], many[k % len(many)])
    sums = [many[k] + many[k + 4] for k in range(len(many)) if k % 8 < 4]
    for k in range(first, whole):
        sums[k % LANES] = fused(x[k], y[k], sums[k % LANES])
    fours = [sums[k : k + 4] for k in range(0, LANES, 4)]
    if wide:
        e = [((a + b) + c) + d for a, b, c, d in zip(*fours, strict=True)]
        total, other = e[0] + e[2], e[1] + e[3]
    else:
        a, b, c, d = [[e[0] + e[2], e[1] + e[3]] for e in fours]
        total, other = [(a[k] + b[k]) + (c[k] + d[k]) for k in (0, 1)]
    return in_turn(x[whole:], y[whole:], total + other, wide)


def fused(a: float, b: float, c: float) -> float:
    """``a * b + c`` of whole numbers, rounded once."""
    return float(int(a) * int(b) + int(c))


def strided(x: Sequence[float], y: Sequence[float], order: Order) -> float:
    """The product of numbers that lie apart: two sums, into which two products go at a time."""
    whole = len(x) - len(x) % 4
    even = odd = 0.0
    for k in range(0, whole, 4):
        first, second = [
            in_turn(x[n : n + 1], y[n : n + 1], x[n + 2] * y[n + 2], order.pairs) for n in (k, k + 1)
        ]
        even, odd = even + first, odd + second
    return in_turn(x[whole:], y[whole:], even, order.wide) + odd


def in_turn(x: Sequence[float], y: Sequence[float], total: float = 0.0, wide: bool = False) -> float:
    for a, b in zip(x, y, strict=True):
        total = fused(a, b, total) if wide else total + a * b
    return total


@functools.cache
def order() -> Order | None:
    """In which order of the functions above does NumPy add? None: in none."""
    orders = [Order(wide, pairs) for wide in (False, True) for pairs in (False, True)]
    return next(filter(_adds_like, orders), None)


def _adds_like(order: Order) -> bool:
    """Tried on whole numbers that fill a float."""
    bits = random.Random(0).getrandbits
    numbers = [float(bits(53) - 2**52) for _ in range(6 * 61)]
    array = np.array(numbers)
    for n in (3, 4, 5, 7, 8, 13, 16, 23, 37, 44, 52, 61):
        x, y = slice(n), slice(61, 61 + n)
        apart, back = slice(0, 3 * n, 3), slice(4 * n, 3 * n, -1)
        found = [array[x] @ array[y], array[apart] @ array[y], array[back] @ array[y]]
        found.append(np.dot(array[back], array[y]))
        other = numbers[y]
        ways = [way(numbers[s], other, order) for way, s in ((unit, x), (strided, apart), (unit, back))]
        if found != [*ways[:2], in_turn(numbers[back], other), ways[2]]:
            return False
    return True


# -- machine code --------------------------------------------------------------------------------------


def runs(code: Calls, name: str, arrays: Sequence[ArrayRef], length: V) -> V:
    """Can the product be had? NumPy's loop takes memory as it lies, and copies nothing."""
    f = code.f
    if name not in COPYING or _in_order(arrays[0].type.dtype):
        return TRUE
    readable = f.compare("icmp ne", length, i64(1))
    for array in arrays:
        forth = f.compare("icmp sgt", array.strides[0], i64(0))
        even = f.binary("xor", is_odd(f, array.data, array.strides[0], array.itemsize), TRUE)
        readable = f.binary("and", readable, f.binary("and", forth, even))
    return readable


def dot(code: Calls, name: str, a: ArrayRef, b: ArrayRef, length: V) -> Element:
    """The product of two vectors of one dtype, wherever their numbers lie."""
    f, dtype = code.f, a.type.dtype
    if not _in_order(dtype):
        out = f.alloca("i64")
        _by_pointer(code, f, dtype, (a.data, a.strides[0], b.data, b.strides[0], length), out)
        return load(f, dtype, out)
    if is_literal(length) and int(length.ref) < LANES and a.contiguous and b.contiguous:
        return _few(code, name, a, b, int(length.ref))
    function = shared.function(
        code, "product.vectors", "double", _PARAMS, lambda *place: _Vectors(*place).write(), is_done=True
    )
    copies = i64(1 if name in COPYING else 0)
    arguments = (a.data, a.strides[0], b.data, b.strides[0], length, copies)
    return Element(f.call("double", function, arguments), dtype)


def _known_order() -> Order:
    found = order()
    assert found is not None
    return found


def _in_order(dtype: np.dtype[np.generic]) -> bool:
    return dtype == FLOAT64 and order() is not None


def _few(code: Calls, name: str, a: ArrayRef, b: ArrayRef, length: int) -> Element:
    f, total = code.f, None if name in COPYING and length == 1 else floating("double", 0.0)
    for k in range(length):
        x, y = [load(f, FLOAT64, f.offset(array.data, i64(k), "double")).value for array in (a, b)]
        total = _added(code, f, x, y, total, _known_order().wide)
    assert total is not None
    return Element(total, FLOAT64)


def _added(code: ModuleWriter, f: FunctionWriter, a: V, b: V, total: V | None, fused: bool) -> V:
    if total is not None and fused:
        code.declare("declare double @llvm.fma.f64(double, double, double)")
        return f.call("double", "llvm.fma.f64", (a, b, total))
    term = f.binary("fmul", a, b)
    return term if total is None else f.binary("fadd", total, term)


def _by_pointer(
    code: ModuleWriter, f: FunctionWriter, dtype: np.dtype[np.generic], vectors: Sequence[V], out: V
) -> None:
    x, step_x, y, step_y, length = vectors
    size = i64(dtype.itemsize)
    steps = (size, step_x, step_y, size, size, size)
    call_matmul(code, f, dtype, (x, y, out), (i64(1), length, i64(1)), steps)


def call_matmul(
    code: ModuleWriter,
    f: FunctionWriter,
    dtype: np.dtype[np.generic],
    arrays: Sequence[V],
    lengths: Sequence[V],
    steps: Sequence[V],
) -> None:
    """Call NumPy's own loop of ``@``, which asks BLAS where the memory allows: the same bits, no Python.

    ``lengths``: rows, numbers that are summed, columns; ``steps``: down and along operands and result.
    """
    places, dims, strides = f.alloca("ptr", 3), f.alloca("i64", 4), f.alloca("i64", 9)
    for k, pointer in enumerate(arrays):
        f.store(pointer, f.offset(places, i64(k), "ptr"))
    for k, n in enumerate((i64(1), *lengths)):
        f.store(n, f.offset(dims, i64(k), "i64"))
    for k, step in enumerate((i64(0), i64(0), i64(0), *steps)):
        f.store(step, f.offset(strides, i64(k), "i64"))
    address, data = loop_address(np.matmul, (dtype,) * 3) or (0, 0)
    function = code.outside(address, f"loop.matmul.{dtype.name}")
    where = code.memory(data, "data")
    f.line(f"call void {function.ref}({places}, {dims}, {strides}, {where})")


def is_odd(f: FunctionWriter, data: V, step: V, size: int) -> V:
    """Is the memory not that of aligned numbers?"""
    both = f.binary("or", f.value("i64", f"ptrtoint {data} to i64"), step)
    return f.compare("icmp ne", f.binary("and", both, i64(size - 1)), i64(0))


_PARAMS = "x step.x y step.y length copies"
_EIGHT = "<8 x double>"
ZERO = floating("double", 0.0)


class _Vectors:
    """Writes the function for float64. ``copies``: is it a product of COPYING?"""

    def __init__(self, code: ModuleWriter, f: FunctionWriter) -> None:
        self.code, self.f, self.order = code, f, _known_order()
        self.x, self.step_x, self.y, self.step_y, self.length, copies = f.params
        self.copies = f.compare("icmp ne", copies, i64(0))

    def write(self) -> None:
        f, copies, length = self.f, self.copies, self.length
        whole, back_some, copied = TRUE, FALSE, FALSE
        for data, step in ((self.x, self.step_x), (self.y, self.step_y)):
            odd = is_odd(f, data, step, 8)
            back = f.compare("icmp sle", step, i64(0))
            dense = f.binary("or", f.compare("icmp eq", step, i64(8)), odd)
            seen = f.binary("and", copies, back)
            whole = f.binary("and", whole, f.binary("or", dense, seen))
            copied = f.binary("or", copied, f.binary("or", seen, odd))
            back_some = f.binary("or", back_some, f.binary("and", back, f.binary("xor", odd, TRUE)))
        dense = f.binary("and", *[f.compare("icmp eq", step, i64(8)) for step in (self.step_x, self.step_y)])
        long = f.compare("icmp sgt", length, i64(LONG))
        readable = f.binary("or", dense, f.binary("xor", copied, TRUE))
        alone = f.binary("and", copies, f.compare("icmp eq", length, i64(1)))
        self._return_if(alone, lambda: self._term(i64(0)))
        self._return_if(f.binary("and", long, readable), self._by_pointer)
        steadily = f.binary("and", back_some, f.binary("xor", copies, TRUE))
        self._return_if(steadily, lambda: self._in_turn(i64(0), ZERO))
        self._return_if(f.binary("xor", whole, TRUE), self._strided)
        end = f.binary("and", length, i64(-LANES))
        before, many, rest = f.block, f.label("many"), f.label("rest")
        f.branch(f.compare("icmp sgt", end, i64(0)), many, rest)
        f.at(many)
        ends = [(ZERO, before), (self._lanes(end, dense), f.block)]
        f.jump(rest)
        f.at(rest)
        f.ret(self._in_turn(end, f.merge(rest, "double", ends), self.order.wide))

    def _return_if(self, condition: V, found: Callable[[], V]) -> None:
        f = self.f
        then, on = f.label("then"), f.label("on")
        f.branch(condition, then, on)
        f.at(then)
        f.ret(found())
        f.at(on)

    def _loop(
        self, first: V, end: V, step: int, sums: list[V], add: Callable[[V, list[V]], list[V]]
    ) -> list[V]:
        """What the sums become: ``add`` gives them after a step. No pass of LLVM's looks at it."""
        f = self.f
        before, inside, done = f.block, f.label("do"), f.label("done")
        f.branch(f.compare("icmp slt", first, end), inside, done)
        f.at(inside)
        k, *now = [f.phi(begin.type) for begin in (first, *sums)]
        following, *more = f.binary("add nsw", k, i64(step)), *add(k, now)
        f.branch(f.compare("icmp slt", following, end), inside, done)
        for phi, begin, goes_on in zip((k, *now), (first, *sums), (following, *more), strict=True):
            f.complete(inside, phi, [(begin, before), (goes_on, inside)])
        f.at(done)
        ends = zip([(begin, before) for begin in sums], [(one, inside) for one in more], strict=True)
        return [f.merge(done, ways[0][0].type, ways) for ways in ends]

    def _factors(self, k: V) -> tuple[V, V]:
        return self._number(self.x, self.step_x, k), self._number(self.y, self.step_y, k)

    def _term(self, k: V) -> V:
        return self.f.binary("fmul", *self._factors(k))

    def _number(self, data: V, step: V, k: V) -> V:
        return load(self.f, FLOAT64, self.f.offset(data, self.f.binary("mul nsw", k, step))).value

    def _by_pointer(self) -> V:
        out = self.f.alloca("i64")
        vectors = (self.x, self.step_x, self.y, self.step_y, self.length)
        _by_pointer(self.code, self.f, FLOAT64, vectors, out)
        return self.f.load("double", out)

    def _in_turn(self, first: V, total: V, fused: bool = False) -> V:
        add = lambda k, now: [_added(self.code, self.f, *self._factors(k), now[0], fused)]
        return self._loop(first, self.length, 1, [total], add)[0]

    def _strided(self) -> V:
        f = self.f
        end = f.binary("and", self.length, i64(-4))

        def add(k: V, now: list[V]) -> list[V]:
            sums = []
            for n, total in enumerate(now):
                first, second = [f.binary("add nsw", k, i64(m)) for m in (n, n + 2)]
                pair = _added(self.code, f, *self._factors(first), self._term(second), self.order.pairs)
                sums.append(f.binary("fadd", total, pair))
            return sums

        even, odd = self._loop(i64(0), end, 4, [ZERO, ZERO], add)
        return f.binary("fadd", self._in_turn(end, even, self.order.wide), odd)

    def _lanes(self, end: V, dense: V) -> V:
        """The total of sums side by side. A product is the same the other way round."""
        f = self.f
        self.code.declare(f"declare {_EIGHT} @llvm.fma.v8f64({_EIGHT}, {_EIGHT}, {_EIGHT})")
        nothing = V(_EIGHT, "zeroinitializer")
        x, y, back = self.x, self.y, i64(-8)
        swapped = f.compare("icmp eq", self.step_y, back)
        p, q = f.select(swapped, y, x), f.select(swapped, x, y)
        both = f.binary("add", self.step_x, self.step_y)
        one = f.binary("or", swapped, f.compare("icmp eq", self.step_x, back))
        reverse = f.binary("and", one, f.compare("icmp eq", both, i64(0)))
        part = functools.partial
        forms: list[tuple[V, Callable[[V], V], Callable[[V], V]]] = [
            (dense, part(self._dense, x), part(self._dense, y)),
            (reverse, part(self._turned, p), part(self._dense, q)),
            (TRUE, self._apart(x, self.step_x), self._apart(y, self.step_y)),
        ]
        done, ends = f.label("lanes"), list[tuple[list[V], Label]]()
        for condition, first, second in forms:
            then, on = f.label("form"), f.label("other")
            f.branch(condition, then, on)
            f.at(then)
            begin, sums = i64(0), [nothing] * 2
            if self.order.wide:
                begin = f.binary("and", end, i64(-2 * LANES))
                sums = self._fold(self._fused([nothing] * 4, i64(0), begin, first, second))
            ends.append((self._fused(sums, begin, end, first, second), f.block))
            f.jump(done)
            f.at(on)
        f.unreachable()
        f.at(done)
        sums = [f.merge(done, _EIGHT, [(made[k], label) for made, label in ends]) for k in range(2)]
        fours = [self._part(eight, k, 4) for eight in sums for k in (0, 4)]
        if self.order.wide:
            both = self._halves(functools.reduce(functools.partial(f.binary, "fadd"), fours))
        else:
            a, b, c, d = map(self._halves, fours)
            both = f.binary("fadd", f.binary("fadd", a, b), f.binary("fadd", c, d))
        return f.binary("fadd", *[f.value("double", f"extractelement {both}, i32 {n}") for n in (0, 1)])

    def _fold(self, many: list[V]) -> list[V]:
        """32 sums become 16: the upper four of eight go to the lower ones."""
        f = self.f
        halves = [[self._part(eight, k, 4) for k in (0, 4)] for eight in many]
        fours = [f.binary("fadd", *both) for both in halves]
        order = f"<8 x i32> <{', '.join([f'i32 {n}' for n in range(8)])}>"
        pairs = zip(fours[::2], fours[1::2], strict=True)
        return [f.value(_EIGHT, f"shufflevector {low}, {high}, {order}") for low, high in pairs]

    def _fused(
        self, sums: list[V], begin: V, end: V, first: Callable[[V], V], second: Callable[[V], V]
    ) -> list[V]:
        f = self.f

        def add(k: V, now: list[V]) -> list[V]:
            places = [f.binary("add nsw", k, i64(8 * n)) for n in range(len(now))]
            given = [(first(at), second(at), total) for at, total in zip(places, now, strict=True)]
            return [f.call(_EIGHT, "llvm.fma.v8f64", three) for three in given]

        return self._loop(begin, end, 8 * len(sums), sums, add)

    def _dense(self, data: V, k: V) -> V:
        return self.f.load(_EIGHT, self.f.offset(data, k, "double"), align=1)

    def _turned(self, data: V, k: V) -> V:
        eight = self.f.load(
            _EIGHT, self.f.offset(data, self.f.binary("sub nsw", i64(-7), k), "double"), align=1
        )
        order = f"<8 x i32> <{', '.join([f'i32 {n}' for n in reversed(range(8))])}>"
        return self.f.value(_EIGHT, f"shufflevector {eight}, {_EIGHT} poison, {order}")

    def _apart(self, data: V, step: V) -> Callable[[V], V]:
        f, eight, gather = self.f, "<8 x i64>", "llvm.masked.gather.v8f64.v8p0"
        self.code.declare(f"declare {_EIGHT} @{gather}(<8 x ptr>, i32, <8 x i1>, {_EIGHT})")
        first = f.value(eight, f"insertelement {eight} poison, {step}, i32 0")
        all_of = f.value(eight, f"shufflevector {first}, {eight} poison, <8 x i32> zeroinitializer")
        places = f.binary("mul", all_of, V(eight, f"<{', '.join([f'i64 {n}' for n in range(8)])}>"))
        every, nothing = V("<8 x i1>", "splat (i1 true)"), V(_EIGHT, "poison")

        def numbers(k: V) -> V:
            start = f.offset(data, f.binary("mul nsw", k, step))
            where = f.value("<8 x ptr>", f"getelementptr i8, {start}, {places}")
            return f.call(_EIGHT, gather, (where, V("i32", "1"), every, nothing))

        return numbers

    def _halves(self, four: V) -> V:
        """Four sums as two."""
        return self.f.binary("fadd", *[self._part(four, k, 2) for k in (0, 2)])

    def _part(self, vector: V, first: int, count: int) -> V:
        which = f"<{count} x i32> <{', '.join([f'i32 {first + n}' for n in range(count)])}>"
        return self.f.value(f"<{count} x double>", f"shufflevector {vector}, {vector.type} poison, {which}")
