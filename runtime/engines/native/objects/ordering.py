"""Which of two objects is less, in machine code: numbers, texts, and tuples of them, item by item.

Python's rules: items are equal where they are one object or compare equal; the first that are not decide,
or the lengths. So a NaN is equal to itself and not less than anything. Other kinds only Python can compare.
"""

from __future__ import annotations

from runtime.engines.native.frame import Frame
from runtime.engines.native.ir import V, i32
from runtime.engines.native.objects.boxes import Check, declare_int_value
from runtime.engines.native.objects.layouts import CLASS, SIZE, VALUE, layout
from runtime.ops.item_patterns import OneOf, Pattern, Row, Typed
from runtime.types import FLOAT, INT, STR


def is_ordered(pattern: Pattern | None) -> bool:
    """Are items of this pattern compared in machine code, as a rule?"""
    if isinstance(pattern, OneOf):
        return all(map(is_ordered, pattern.alternatives))
    if isinstance(pattern, Row):
        methods = [getattr(pattern.cls, name) for name in ("__lt__", "__eq__")]
        is_tuple = methods == [tuple.__lt__, tuple.__eq__]
        return is_tuple and bool(pattern.parts) and is_ordered(pattern.parts[0])
    return isinstance(pattern, Typed) and pattern.kind in (FLOAT, INT, STR)


def row_class(pattern: Pattern) -> type:
    """The class of tuples among the items."""
    if isinstance(pattern, OneOf):
        return next((row_class(one) for one in pattern.alternatives if isinstance(one, Row)), tuple)
    return pattern.cls if isinstance(pattern, Row) else tuple


def is_less(code: Frame, a: V, b: V, rows: type, wrong_if: Check) -> V:
    """Is one object less than another? ``rows``: the class of tuples that are compared by their items."""
    known = layout()
    assert known is not None
    declare_int_value(code)
    for name in ("type.int", "type.float"):
        code.symbol(name)
    code.declare("declare i32 @PyUnicode_Compare(ptr, ptr)")
    code.define_global(_PLAIN)
    code.define_global(_ROWS.replace("TUPLE_ITEMS", str(known.tuple_items)))
    classes = (code.object(str, "class"), code.object(rows, "class"))
    order = code.f.call("i32", "objects.order", (a, b, *classes))
    wrong_if(code.f.compare("icmp eq", order, i32(3)))
    return code.f.compare("icmp eq", order, i32(1))


#: 0: equal, 1: less, 2: neither, 3: only Python can tell.
#: An int is compared with a float where it is exact as one.
_PLAIN = f"""\
define internal i32 @plain.order(ptr %a, ptr %b, ptr %str) {{
  %same = icmp eq ptr %a, %b
  br i1 %same, label %equal, label %look
look:
  %a.class.at = getelementptr i8, ptr %a, i64 {CLASS}
  %b.class.at = getelementptr i8, ptr %b, i64 {CLASS}
  %a.class = load ptr, ptr %a.class.at
  %b.class = load ptr, ptr %b.class.at
  %a.int = icmp eq ptr %a.class, @type.int
  %b.int = icmp eq ptr %b.class, @type.int
  %ints = and i1 %a.int, %b.int
  br i1 %ints, label %int, label %not.ints
int:
  %a.found = call {{ i64, i1 }} @int.value(ptr %a)
  %b.found = call {{ i64, i1 }} @int.value(ptr %b)
  %a.large = extractvalue {{ i64, i1 }} %a.found, 1
  %b.large = extractvalue {{ i64, i1 }} %b.found, 1
  %large = or i1 %a.large, %b.large
  br i1 %large, label %python, label %int.known
int.known:
  %a.value = extractvalue {{ i64, i1 }} %a.found, 0
  %b.value = extractvalue {{ i64, i1 }} %b.found, 0
  %int.less = icmp slt i64 %a.value, %b.value
  %int.equal = icmp eq i64 %a.value, %b.value
  br label %decided
not.ints:
  %a.str = icmp eq ptr %a.class, %str
  %b.str = icmp eq ptr %b.class, %str
  %strs = and i1 %a.str, %b.str
  br i1 %strs, label %text, label %numbers
text:
  %text.order = call i32 @PyUnicode_Compare(ptr %a, ptr %b)
  %text.less = icmp slt i32 %text.order, 0
  %text.equal = icmp eq i32 %text.order, 0
  br label %decided
numbers:
  %a.number = call {{ double, i1 }} @number.exact(ptr %a, ptr %a.class)
  %b.number = call {{ double, i1 }} @number.exact(ptr %b, ptr %b.class)
  %a.other = extractvalue {{ double, i1 }} %a.number, 1
  %b.other = extractvalue {{ double, i1 }} %b.number, 1
  %other = or i1 %a.other, %b.other
  br i1 %other, label %python, label %float
float:
  %a.float = extractvalue {{ double, i1 }} %a.number, 0
  %b.float = extractvalue {{ double, i1 }} %b.number, 0
  %float.less = fcmp olt double %a.float, %b.float
  %float.equal = fcmp oeq double %a.float, %b.float
  br label %decided
decided:
  %less = phi i1 [ %int.less, %int.known ], [ %text.less, %text ], [ %float.less, %float ]
  %alike = phi i1 [ %int.equal, %int.known ], [ %text.equal, %text ], [ %float.equal, %float ]
  %unequal = select i1 %less, i32 1, i32 2
  %found = select i1 %alike, i32 0, i32 %unequal
  ret i32 %found
equal:
  ret i32 0
python:
  ret i32 3
}}
define internal {{ double, i1 }} @number.exact(ptr %o, ptr %class) alwaysinline {{
  %is.float = icmp eq ptr %class, @type.float
  br i1 %is.float, label %float, label %not.float
float:
  %value.at = getelementptr i8, ptr %o, i64 {VALUE}
  %value = load double, ptr %value.at
  %float.found = insertvalue {{ double, i1 }} {{ double poison, i1 false }}, double %value, 0
  ret {{ double, i1 }} %float.found
not.float:
  %is.int = icmp eq ptr %class, @type.int
  br i1 %is.int, label %int, label %other
int:
  %int.found = call {{ i64, i1 }} @int.value(ptr %o)
  %beyond = extractvalue {{ i64, i1 }} %int.found, 1
  %int.value = extractvalue {{ i64, i1 }} %int.found, 0
  %from.low = add i64 %int.value, {2**53}
  %inexact = icmp ugt i64 %from.low, {2**54}
  %wrong = or i1 %beyond, %inexact
  %converted = sitofp i64 %int.value to double
  %first = insertvalue {{ double, i1 }} poison, double %converted, 0
  %both = insertvalue {{ double, i1 }} %first, i1 %wrong, 1
  ret {{ double, i1 }} %both
other:
  ret {{ double, i1 }} {{ double poison, i1 true }}
}}"""
_ROWS = f"""\
define internal i32 @objects.order(ptr %a, ptr %b, ptr %str, ptr %row) noinline {{
  %a.class.at = getelementptr i8, ptr %a, i64 {CLASS}
  %b.class.at = getelementptr i8, ptr %b, i64 {CLASS}
  %a.class = load ptr, ptr %a.class.at
  %b.class = load ptr, ptr %b.class.at
  %a.row = icmp eq ptr %a.class, %row
  %b.row = icmp eq ptr %b.class, %row
  %rows = and i1 %a.row, %b.row
  br i1 %rows, label %measure, label %plain
plain:
  %plain.found = call i32 @plain.order(ptr %a, ptr %b, ptr %str)
  ret i32 %plain.found
measure:
  %a.size.at = getelementptr i8, ptr %a, i64 {SIZE}
  %b.size.at = getelementptr i8, ptr %b, i64 {SIZE}
  %a.size = load i64, ptr %a.size.at
  %b.size = load i64, ptr %b.size.at
  %shorter = icmp slt i64 %a.size, %b.size
  %size = select i1 %shorter, i64 %a.size, i64 %b.size
  %a.items = getelementptr i8, ptr %a, i64 TUPLE_ITEMS
  %b.items = getelementptr i8, ptr %b, i64 TUPLE_ITEMS
  br label %next
next:
  %k = phi i64 [ 0, %measure ], [ %k.next, %equal ]
  %more = icmp slt i64 %k, %size
  br i1 %more, label %compare, label %end
compare:
  %a.item.at = getelementptr ptr, ptr %a.items, i64 %k
  %b.item.at = getelementptr ptr, ptr %b.items, i64 %k
  %a.item = load ptr, ptr %a.item.at
  %b.item = load ptr, ptr %b.item.at
  %found = call i32 @plain.order(ptr %a.item, ptr %b.item, ptr %str)
  %is.equal = icmp eq i32 %found, 0
  br i1 %is.equal, label %equal, label %done
equal:
  %k.next = add i64 %k, 1
  br label %next
end:
  %longer = icmp sgt i64 %a.size, %b.size
  %by.size = select i1 %shorter, i32 1, i32 0
  %decided = select i1 %longer, i32 2, i32 %by.size
  ret i32 %decided
done:
  ret i32 %found
}}"""
