"""Between Python objects and values of machine code: classes, numbers, tuples, references.

An object is *of* a type where its class is exactly the one that the type has; an int also fits into 64 bits.
``wrong_if`` is told where an object is not what was expected: it leaves the operation to its kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from runtime.engines.native import complex_elements as pairs
from runtime.engines.native.elements import BOOL, Element, LlvmElements
from runtime.engines.native.elements import load as load_element
from runtime.engines.native.elements import store as store_element
from runtime.engines.native.frame import Frame
from runtime.engines.native.ir import FALSE, TRUE, FunctionWriter, Label, V, i64
from runtime.engines.native.objects.layouts import CLASS, DIGITS, SIZE, TAG, VALUE, layout
from runtime.engines.native.values import (
    DESCR,
    DIMS,
    NDIM,
    Boxed,
    Register,
    Rep,
    array_ref,
    component_types,
    components,
    from_components,
    in_register,
    reference,
)
from runtime.ops.conversion import nobody_reads
from runtime.ops.item_patterns import OneOf, Pattern, Row, Same, Text, Typed, flat_types
from runtime.types import BOOL as PY_BOOL
from runtime.types import COMPLEX, FLOAT, INT, ArrayType, NumberType, Type

#: told where (and whether it raises for sure) machine code does not apply
Check: TypeAlias = Callable[[V], None]


# -- references ----------------------------------------------------------------------------------------


def incref(code: Frame, pointer: V) -> None:
    """One more reference to an object."""
    if declare_counts(code):
        code.f.call("void", "object.incref", (pointer,))
    else:
        code.f.call("void", "Py_IncRef", (pointer,))


def decref(code: Frame, pointer: V) -> None:
    """One reference less; the object's end may run any code. NULL is no object."""
    if declare_counts(code):
        code.f.call("void", "object.decref", (pointer,))
    else:
        code.f.call("void", "Py_DecRef", (pointer,))


def declare_counts(code: Frame) -> bool:
    """Define object.incref and object.decref; False where the layout of objects is not known."""
    known = layout()
    if known is not None:
        code.declare("declare void @_Py_Dealloc(ptr)")
        code.define_global(_INCREF_IMMORTAL if known.immortals else _INCREF)
        code.define_global(_DECREF_IMMORTAL if known.immortals else _DECREF)
    return known is not None


_INCREF = """\
define internal void @object.incref(ptr %o) alwaysinline {
  %n = load i64, ptr %o
  %more = add i64 %n, 1
  store i64 %more, ptr %o
  ret void
}"""
_INCREF_IMMORTAL = """\
define internal void @object.incref(ptr %o) alwaysinline {
  %n = load i32, ptr %o
  %stays = icmp slt i32 %n, 0
  br i1 %stays, label %done, label %count
count:
  %more = add i32 %n, 1
  store i32 %more, ptr %o
  br label %done
done:
  ret void
}"""
_DECREF = """\
define internal void @object.decref(ptr %o) alwaysinline {
  %none = icmp eq ptr %o, null
  br i1 %none, label %done, label %count
count:
  %n = load i64, ptr %o
  %less = add i64 %n, -1
  store i64 %less, ptr %o
  %last = icmp eq i64 %less, 0
  br i1 %last, label %end, label %done, !prof !1
end:
  call void @_Py_Dealloc(ptr %o)
  br label %done
done:
  ret void
}"""
_DECREF_IMMORTAL = """\
define internal void @object.decref(ptr %o) alwaysinline {
  %none = icmp eq ptr %o, null
  br i1 %none, label %done, label %some
some:
  %n = load i32, ptr %o
  %stays = icmp slt i32 %n, 0
  br i1 %stays, label %done, label %count
count:
  %less = add i32 %n, -1
  store i32 %less, ptr %o
  %last = icmp eq i32 %less, 0
  br i1 %last, label %end, label %done, !prof !1
end:
  call void @_Py_Dealloc(ptr %o)
  br label %done
done:
  ret void
}"""


# -- classes -------------------------------------------------------------------------------------------


def class_at(code: Frame, pointer: V) -> V:
    """The class of an object."""
    return code.f.load("ptr", code.f.offset(pointer, i64(CLASS)))


def is_of_class(code: Frame, pointer: V, cls: type) -> V:
    """Is an object an instance of exactly this class?"""
    return code.f.compare("icmp eq", class_at(code, pointer), code.object(cls, "class"))


# -- objects -> values ---------------------------------------------------------------------------------


def load(code: Frame, kind: Type, cls: type, pointer: V, wrong_if: Check) -> Rep:
    """The value of an object that should be of that type and class. A reference in it is borrowed."""
    f = code.f
    if kind == PY_BOOL:
        is_true = f.compare("icmp eq", pointer, code.symbol("object.True"))
        is_false = f.compare("icmp eq", pointer, code.symbol("object.False"))
        wrong_if(_not(f, f.binary("or", is_true, is_false)))
        return Register(Element(is_true, BOOL))
    wrong_if(f.compare("icmp ne", class_at(code, pointer), code.object(cls, "class")))
    return load_as(code, kind, pointer, wrong_if)


def load_as(code: Frame, kind: Type, pointer: V, wrong_if: Check) -> Rep:
    """The value of an object whose class is known to be that of its type."""
    f = code.f
    if kind == PY_BOOL:
        return Register(Element(f.compare("icmp eq", pointer, code.symbol("object.True")), BOOL))
    if kind == INT:
        return Register(Element(int_value(code, pointer, wrong_if), kind.dtype))
    if isinstance(kind, ArrayType):
        wrong_if(_not(f, _is_array_of(code, kind, pointer)))
        return array_ref(f, kind, pointer)
    if in_register(kind):
        return Register(load_element(f, kind.dtype, f.offset(pointer, i64(VALUE))))
    return Boxed(pointer)


def _not(f: FunctionWriter, condition: V) -> V:
    return f.binary("xor", condition, TRUE)


def _is_array_of(code: Frame, kind: ArrayType, array: V) -> V:
    """Has an ndarray this dtype (the very object) and a shape that the type admits?"""
    f = code.f
    same_dtype = f.compare(
        "icmp eq", f.load("ptr", f.offset(array, i64(DESCR))), code.object(kind.dtype, "dtype")
    )
    same_rank = f.compare("icmp eq", f.load("i32", f.offset(array, i64(NDIM))), V("i32", str(kind.ndim)))
    found = f.binary("and", same_dtype, same_rank)
    known = [(axis, n) for axis, n in enumerate(kind.shape) if n is not None]
    if not known:
        return found
    begun, compare, done = f.block, f.label("shape"), f.label("array")
    f.branch(found, compare, done)
    f.at(compare)
    dims = f.load("ptr", f.offset(array, i64(DIMS)))
    same = TRUE
    for axis, n in known:
        equal = f.compare("icmp eq", f.load("i64", f.offset(dims, i64(8 * axis))), i64(n))
        same = equal if same == TRUE else f.binary("and", same, equal)
    f.jump(done)
    f.at(done)
    return f.merge(done, "i1", [(FALSE, begun), (same, compare)])


def constant(code: Frame, item: Any, kind: Type) -> Rep:
    """A constant of a type."""
    if in_register(kind):
        b = LlvmElements(code.f, code.declare, {}, kind.dtype)
        return Register(b.constant(item, kind.dtype))
    pointer = code.object(item, "constant")
    return array_ref(code.f, kind, pointer) if isinstance(kind, ArrayType) else Boxed(pointer)


def int_value(code: Frame, pointer: V, wrong_if: Check) -> V:
    """The value of a Python int, which is wrong beyond 64 bits."""
    f = code.f
    declare_int_value(code)
    found = f.call("{ i64, i1 }", "int.value", (pointer,))
    wrong_if(f.value("i1", f"extractvalue {found}, 1"))
    return f.value("i64", f"extractvalue {found}, 0")


def declare_int_value(code: Frame) -> None:
    """Define int.value: the value of an int, and whether it is beyond 64 bits."""
    known = layout()
    code.declare("declare i64 @PyLong_AsLongLongAndOverflow(ptr, ptr)")
    code.define_global(_INT_BY_CALL if known is None else _INT_TAGGED if known.tagged_ints else _INT_SIZED)


_LARGE_INT = """\
  %overflow = alloca i32
  %found = call i64 @PyLong_AsLongLongAndOverflow(ptr %o, ptr %overflow)
  %how = load i32, ptr %overflow
  %wrong = icmp ne i32 %how, 0
  %first = insertvalue { i64, i1 } poison, i64 %found, 0
  %both = insertvalue { i64, i1 } %first, i1 %wrong, 1
  ret { i64, i1 } %both
}"""
_SMALL_INT = f"""\
  %digit.at = getelementptr i8, ptr %o, i64 {DIGITS}
  %digit = load i32, ptr %digit.at
  %size = zext i32 %digit to i64
  %value = mul i64 %sign, %size
  %one = insertvalue {{ i64, i1 }} {{ i64 poison, i1 false }}, i64 %value, 0
  ret {{ i64, i1 }} %one
"""
_INT_BY_CALL = "define internal { i64, i1 } @int.value(ptr %o) {\n" + _LARGE_INT
_LARGE = "define internal { i64, i1 } @int.large(ptr %o) noinline cold {\n" + _LARGE_INT
_INT_SIZED = f"""\
{_LARGE}
define internal {{ i64, i1 }} @int.value(ptr %o) alwaysinline {{
  %size.at = getelementptr i8, ptr %o, i64 {SIZE}
  %sign = load i64, ptr %size.at
  %from.0 = add i64 %sign, 1
  %short = icmp ult i64 %from.0, 3
  br i1 %short, label %small, label %large, !prof !0
large:
  %long = call {{ i64, i1 }} @int.large(ptr %o)
  ret {{ i64, i1 }} %long
small:
{_SMALL_INT}}}"""
_INT_TAGGED = f"""\
{_LARGE}
define internal {{ i64, i1 }} @int.value(ptr %o) alwaysinline {{
  %tag.at = getelementptr i8, ptr %o, i64 {TAG}
  %tag = load i64, ptr %tag.at
  %short = icmp ult i64 %tag, 16
  br i1 %short, label %small, label %large, !prof !0
large:
  %long = call {{ i64, i1 }} @int.large(ptr %o)
  ret {{ i64, i1 }} %long
small:
  %bits = and i64 %tag, 3
  %sign = sub i64 1, %bits
{_SMALL_INT}}}"""


def are_equal_texts(code: Frame, a: V, b: V) -> V:
    """Are two strs the same text?"""
    code.declare("declare i64 @PyUnicode_GetLength(ptr)")
    code.declare("declare i32 @PyUnicode_Compare(ptr, ptr)")
    code.define_global(_EQUAL)
    return code.f.call("i1", "text.equal", (a, b))


_EQUAL = """\
define internal i1 @text.equal(ptr %a, ptr %b) {
  %same = icmp eq ptr %a, %b
  br i1 %same, label %done, label %measure
measure:
  %m = call i64 @PyUnicode_GetLength(ptr %a)
  %n = call i64 @PyUnicode_GetLength(ptr %b)
  %alike = icmp eq i64 %m, %n
  br i1 %alike, label %compare, label %done
compare:
  %order = call i32 @PyUnicode_Compare(ptr %a, ptr %b)
  %equal = icmp eq i32 %order, 0
  br label %done
done:
  %found = phi i1 [ true, %0 ], [ false, %measure ], [ %equal, %compare ]
  ret i1 %found
}"""


# -- items of several kinds, and tuples ----------------------------------------------------------------


def can_read(pattern: Pattern) -> bool:
    """Does machine code take items of this pattern apart?"""
    if isinstance(pattern, Typed):
        return pattern.cls is not None
    if isinstance(pattern, Row):
        return layout() is not None and all(map(can_read, pattern.parts))
    if isinstance(pattern, OneOf):
        return all(can_read(one) and not isinstance(one, OneOf) for one in pattern.alternatives)
    return isinstance(pattern, Same | Text)


def read(code: Frame, pattern: Pattern, pointer: V, wrong_if: Check) -> list[Rep]:
    """The flat values of an item, with references that are borrowed from it."""
    f = code.f
    if isinstance(pattern, Typed):
        assert pattern.cls is not None
        return [load(code, pattern.kind, pattern.cls, pointer, wrong_if)]
    if isinstance(pattern, Same):
        wrong_if(f.compare("icmp ne", pointer, code.object(pattern.value)))
        return []
    if isinstance(pattern, Text):
        wrong_if(f.compare("icmp ne", class_at(code, pointer), code.object(str, "class")))
        wrong_if(_not(f, are_equal_texts(code, pointer, code.object(pattern.value))))
        return []
    if isinstance(pattern, Row):
        return _read_row(code, pattern, pointer, wrong_if)
    assert isinstance(pattern, OneOf)
    return _read_one_of(code, pattern, pointer, wrong_if)


def _read_row(code: Frame, row: Row, pointer: V, wrong_if: Check) -> list[Rep]:
    _check_row(code, row, pointer, wrong_if)
    return _read_parts(code, row, pointer, wrong_if)


def _check_row(code: Frame, row: Row, pointer: V, wrong_if: Check) -> None:
    f = code.f
    wrong_if(f.compare("icmp ne", class_at(code, pointer), code.object(row.cls, "class")))
    length = f.load("i64", f.offset(pointer, i64(SIZE)))
    wrong_if(f.compare("icmp ne", length, i64(len(row.parts))))


def read_first(code: Frame, pattern: Pattern, pointer: V, wrong_if: Check) -> list[Rep]:
    """The same of the first item of a tuple, and of what is no tuple."""
    if not isinstance(pattern, Row):
        return read(code, pattern, pointer, wrong_if)
    _check_row(code, pattern, pointer, wrong_if)
    return _read_parts(code, Row(pattern.cls, pattern.parts[:1]), pointer, wrong_if)


def _read_parts(code: Frame, row: Row, pointer: V, wrong_if: Check) -> list[Rep]:
    known = layout()
    assert known is not None
    found: list[Rep] = []
    for k, part in enumerate(row.parts):
        item = code.f.load("ptr", code.f.offset(pointer, i64(known.tuple_items + 8 * k)))
        found += read(code, part, item, wrong_if)
    return found


def _read_one_of(code: Frame, pattern: OneOf, pointer: V, wrong_if: Check) -> list[Rep]:
    """Which of the alternatives it is, and its value; the values of the others are such that nobody reads."""
    f = code.f
    join = f.label("kind")
    types = flat_types(pattern)
    padding = [constant(code, nobody_reads(kind), kind) for kind in types[1:]]
    edges: list[tuple[list[Rep], Label]] = []
    first = 0
    for number, one in enumerate(pattern.alternatives):
        other = f.label("other")
        own = _read_if(code, one, pointer, other, wrong_if)
        tag = Register(Element(i64(number), INT.dtype))
        edges.append(([tag, *padding[:first], *own, *padding[first + len(own) :]], f.block))
        first += len(own)
        f.jump(join)
        f.at(other)
    wrong_if(TRUE)
    f.unreachable()
    f.at(join)
    return [_merged(f, join, kind, [(reps[k], end) for reps, end in edges]) for k, kind in enumerate(types)]


def _read_if(code: Frame, one: Pattern, pointer: V, other: Label, wrong_if: Check) -> list[Rep]:
    """The values of an item that fits; what does not goes to ``other``."""
    f = code.f

    def go_on_if(condition: V) -> None:
        fits = f.label("fits")
        f.branch(condition, fits, other)
        f.at(fits)

    if isinstance(one, Same):
        go_on_if(f.compare("icmp eq", pointer, code.object(one.value)))
        return []
    if isinstance(one, Text):
        go_on_if(is_of_class(code, pointer, str))
        go_on_if(are_equal_texts(code, pointer, code.object(one.value)))
        return []
    assert isinstance(one, Typed | Row) and one.cls is not None
    go_on_if(is_of_class(code, pointer, one.cls))
    if isinstance(one, Row):
        go_on_if(f.compare("icmp eq", f.load("i64", f.offset(pointer, i64(SIZE))), i64(len(one.parts))))
        return _read_parts(code, one, pointer, wrong_if)
    if isinstance(one.kind, ArrayType):
        go_on_if(_is_array_of(code, one.kind, pointer))
        return [array_ref(f, one.kind, pointer)]
    return [load_as(code, one.kind, pointer, wrong_if)]


def _merged(f: FunctionWriter, join: Label, kind: Type, choices: Sequence[tuple[Rep, Label]]) -> Rep:
    parts = []
    for k, type in enumerate(component_types(kind)):
        parts.append(f.merge(join, type, [(components(rep)[k], end) for rep, end in choices]))
    return from_components(kind, tuple(parts))


def own(code: Frame, reps: Sequence[Rep]) -> None:
    """Make borrowed references owned ones."""
    for rep in reps:
        pointer = reference(rep)
        if pointer is not None:
            incref(code, pointer)


# -- values -> objects ---------------------------------------------------------------------------------


def box_number(code: Frame, element: Element, kind: Type) -> V:
    """A new reference to the object of a number. NULL where an exception is set."""
    f = code.f
    if kind == INT:
        return f.call("ptr", "PyLong_FromLongLong", (element.value,))
    if kind == PY_BOOL:
        true, false = code.symbol("object.True"), code.symbol("object.False")
        found = f.select(element.value, true, false)
        incref(code, found)
        return found
    if kind == COMPLEX:
        code.declare("declare ptr @PyComplex_FromDoubles(double, double)")
        return f.call("ptr", "PyComplex_FromDoubles", pairs.parts(f, element.value))
    if isinstance(kind, NumberType):
        return f.call("ptr", "PyFloat_FromDouble", (element.value,))
    cell = code.cell(0)
    code.cell(1)  # of a complex number
    store_element(f, element, cell)
    return f.call("ptr", "rt_box", (code.code_of(kind), cell))


def replace_number(code: Frame, cell: V, element: Element, kind: Type) -> V:
    """Put a float or an int into the object in a cell, where nobody else has that. Was it done?"""
    name = declare_replace(code, kind)
    return FALSE if name is None else code.f.call("i1", name, (cell, element.value))


def declare_replace(code: Frame, kind: Type) -> str | None:
    """The function that puts a new number into the object in a cell; None where there is none."""
    known = layout()
    if known is None or kind not in (FLOAT, INT):
        return None
    if kind == FLOAT:
        code.symbol("type.float")
        code.define_global(_REPLACE_FLOAT)
        return "float.replace"
    code.symbol("type.int")
    code.define_global(_REPLACE_TAGGED if known.tagged_ints else _REPLACE_SIZED)
    return "int.replace"


#: a float that nobody else refers to gets the new value
_REPLACE_FLOAT = f"""\
define internal i1 @float.replace(ptr %cell, double %new) alwaysinline {{
  %none = icmp eq ptr %cell, null
  br i1 %none, label %no, label %look
look:
  %old = load ptr, ptr %cell
  %unset = icmp eq ptr %old, null
  br i1 %unset, label %no, label %some
some:
  %count = load i32, ptr %old
  %alone = icmp eq i32 %count, 1
  %class.at = getelementptr i8, ptr %old, i64 {CLASS}
  %class = load ptr, ptr %class.at
  %is.float = icmp eq ptr %class, @type.float
  %own = and i1 %alone, %is.float
  br i1 %own, label %yes, label %no
yes:
  %value.at = getelementptr i8, ptr %old, i64 {VALUE}
  store double %new, ptr %value.at
  ret i1 true
no:
  ret i1 false
}}"""

_REPLACE_INT = f"""\
define internal i1 @int.replace(ptr %cell, i64 %new) alwaysinline {{
  %none = icmp eq ptr %cell, null
  br i1 %none, label %no, label %look
look:
  %old = load ptr, ptr %cell
  %unset = icmp eq ptr %old, null
  br i1 %unset, label %no, label %some
some:
  %count = load i32, ptr %old
  %alone = icmp eq i32 %count, 1
  %class.at = getelementptr i8, ptr %old, i64 {CLASS}
  %class = load ptr, ptr %class.at
  %is.int = icmp eq ptr %class, @type.int
  %from.low = add i64 %new, 5
  %shared = icmp ult i64 %from.low, 262
  %negative = icmp slt i64 %new, 0
  %minus = sub i64 0, %new
  %size = select i1 %negative, i64 %minus, i64 %new
  %short = icmp ult i64 %size, 1073741824
  %own = and i1 %alone, %is.int
  %other = xor i1 %shared, true
  %fits = and i1 %short, %other
  %all = and i1 %own, %fits
  br i1 %all, label %yes, label %no
yes:
  %head.at = getelementptr i8, ptr %old, i64 {SIZE}
  %head = select i1 %negative, i64 NEGATIVE, i64 POSITIVE
  store i64 %head, ptr %head.at
  %digit.at = getelementptr i8, ptr %old, i64 {DIGITS}
  %digit = trunc i64 %size to i32
  store i32 %digit, ptr %digit.at
  ret i1 true
no:
  ret i1 false
}}"""
_REPLACE_SIZED = _REPLACE_INT.replace("NEGATIVE", "-1").replace("POSITIVE", "1")
_REPLACE_TAGGED = _REPLACE_INT.replace("NEGATIVE", "10").replace("POSITIVE", "8")
