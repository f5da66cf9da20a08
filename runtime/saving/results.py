"""How a saved function builds what it returns, as data: the plans of `functions/plans.py` and back.

>>> plan = TupleOf(tuple, (Leaf(0), Constant("mean")))
>>> plan_as_json(plan)
{'tuple': [{'result': 0}, {'value': "'mean'"}]}
>>> read_plan({'tuple': [{'result': 0}, {'value': "'mean'"}]}, results=1, arguments=0) == plan
True
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from functools import partial
from typing import Any

from autograph.operators import Undefined
from runtime.functions.plans import (
    Anew,
    Boxed,
    Building,
    Chosen,
    Constant,
    Given,
    Leaf,
    Plan,
    Shared,
    TupleOf,
)
from runtime.saving.admissible import is_data, read_data, text_of
from runtime.saving.signatures import Unsaveable, named_tuple

#: what makes the containers that are no lists, tuples or dicts
MAKERS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (set, frozenset, deque, Counter, OrderedDict, defaultdict, bytearray, slice)
}


def plan_as_json(plan: Plan, position: Callable[[int], int] = lambda index: index) -> Any:
    """The form of a plan. ``position`` says which flat argument one is in the file. Raises Unsaveable."""
    return _Forms(position).of(plan)


class _Forms:
    def __init__(self, position: Callable[[int], int]) -> None:
        self.position = position
        self.numbers: dict[int, int] = {}

    def of(self, plan: Plan) -> Any:
        match plan:
            case Building():
                return self.of(plan.plan)
            case Leaf():
                return {"result": plan.leaf}
            case Boxed():
                return {"tensor": plan.index}
            case Given():
                return {"argument": self.position(plan.index)}
            case Constant():
                return self.constant(plan.value)
            case TupleOf():
                items = list(map(self.of, plan.items))
                if plan.kind is tuple:
                    return {"tuple": items}
                return {"namedtuple": plan.kind.__name__, "fields": list(plan.kind._fields), "items": items}
            case Shared():
                return self.shared(plan)
            case Anew():
                return self.anew(plan)
            case Chosen():
                unbound = {str(i): name for i, name in plan.unbound.items()}
                options = [
                    None if i in plan.unbound else self.of(option) for i, option in enumerate(plan.options)
                ]
                return {"chosen": self.of(plan.tag), "options": options, "unbound": unbound}
        raise Unsaveable("it returns an object that is no number, array, list, tuple or dict")

    def constant(self, value: Any) -> Any:
        if isinstance(value, Undefined) or not is_data(value):
            raise Unsaveable(f"it returns a {type(value).__name__}, which no file can describe")
        return {"value": text_of(value)}

    def anew(self, plan: Anew) -> Any:
        if plan.number in self.numbers:
            return {"again": self.numbers[plan.number]}
        function, parts = plan.function, plan.parts
        if isinstance(function, partial) and not parts:  # of a set, whose order it repeats
            made = function()
            function, parts = type(made), (Constant(list(made)),)
        name = getattr(function, "__name__", "")
        if MAKERS.get(name) is not function:
            raise Unsaveable("it returns an object that is no number, array, list, tuple or dict")
        items = list(map(self.of, parts))
        number = self.numbers[plan.number] = len(self.numbers)
        return {"made": name, "parts": items, "number": number}

    def shared(self, plan: Shared) -> Any:
        if plan.number in self.numbers:
            return {"again": self.numbers[plan.number]}
        number = self.numbers[plan.number] = len(self.numbers)
        items = list(map(self.of, plan.items))
        if plan.keys is None:
            return {"list": items, "number": number}
        if not all(map(is_data, plan.keys)):
            raise Unsaveable("it returns a dict with keys that no file can describe")
        pairs = [[text_of(key), item] for key, item in zip(plan.keys, items, strict=True)]
        return {"dict": pairs, "number": number}


def read_plan(form: Any, results: int, arguments: int) -> Plan:
    """The inverse. Raises ValueError, LookupError, TypeError for what is none.

    ``results`` and ``arguments``: how many flat ones there are.
    """
    reader = _Reader(results, arguments)
    plan = reader.read(form)
    return Building(plan) if reader.shared else plan


class _Reader:
    def __init__(self, results: int, arguments: int) -> None:
        self.results = range(results)
        self.arguments = range(arguments)
        self.shared: dict[int, Shared | Anew] = {}

    def read(self, form: Any) -> Plan:
        (kind, inner), *_ = form.items()
        match kind:
            case "result":
                return Leaf(self.results[inner])
            case "tensor":
                return Boxed(self.results[inner])
            case "argument":
                return Given(self.arguments[inner])
            case "value":
                return Constant(read_data(inner))
            case "tuple":
                return TupleOf(tuple, tuple(map(self.read, inner)))
            case "namedtuple":
                items = tuple(map(self.read, form["items"]))
                return TupleOf(named_tuple(inner, tuple(form["fields"])), items)
            case "list" | "dict":
                return self.container(kind, inner, form["number"])
            case "made":
                parts = tuple(map(self.read, form["parts"]))
                made = self.shared[form["number"]] = Anew(form["number"], MAKERS[inner], parts)
                return made
            case "again":
                return self.shared[inner]
            case "chosen":
                return self.chosen(inner, form["options"], form["unbound"])
        raise ValueError(f"{kind!r} is no kind of result")

    def container(self, kind: str, inner: Any, number: int) -> Plan:
        keys = None if kind == "list" else tuple([read_data(key) for key, _ in inner])
        made = self.shared[number] = Shared(number, keys)
        made.items = tuple([self.read(item) for item in (inner if kind == "list" else [v for _, v in inner])])
        return made

    def chosen(self, tag: Any, options: Any, unbound: Any) -> Plan:
        missing = {int(number): name for number, name in unbound.items()}
        plans = [Constant(None) if i in missing else self.read(form) for i, form in enumerate(options)]
        return Chosen(self.read(tag), tuple(plans), missing)
