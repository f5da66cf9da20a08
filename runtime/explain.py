"""``f.explain()``: which traces a function has and why, what became of its statements, what runs where."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from runtime.graph import Operation, walk

if TYPE_CHECKING:
    from runtime.functions import ConcreteFunction, Function

_STATEMENTS = {"if": "staged if", "while": "staged while", "for": "staged for"}


def explain(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The text that ``Function.explain`` returns."""
    if args or kwargs:
        function.get_concrete_function(*args, **kwargs)
    if not function.concrete_functions:
        return f"{function.name}: not traced yet; call it, or explain(*args)"
    count = function.trace_count
    parts = [f"{function.name}: {count} trace{'s' * (count != 1)}"]
    for number, concrete in enumerate(function.concrete_functions, 1):
        parts.append(_one(number, concrete))
    return "\n\n".join(parts)


def _one(number: int, concrete: ConcreteFunction) -> str:
    lines = [f"trace {number}: {concrete.signature}", f"  made because: {concrete.reason}"]
    decisions = concrete.decisions
    if decisions.static_numbers:
        lines.append("  Python numbers among the arguments are constants: a new value makes a new trace")
    for guard in concrete.guards:
        if guard.routine:
            continue
        lines.append(f"  guard: {guard}")
    for path in concrete.paths:
        lines.append(f"  read at each call: {path}")
    lines += _statements(concrete)
    compiled = concrete.compiled
    lines.append(f"  engine: {compiled.engine}" + (f" ({compiled.reason})" if compiled.reason else ""))
    for name in dict.fromkeys(getattr(compiled.executable, "fallbacks", ())):
        lines.append(f"  calls back into NumPy: {name}")
    return "\n".join(lines)


def _statements(concrete: ConcreteFunction) -> list[str]:
    by_line: dict[tuple[str, int], list[Operation]] = defaultdict(list)
    for operation in walk(concrete.graph.body):
        if operation.location is not None and operation.name != "constant":
            by_line[operation.location.file, operation.location.line].append(operation)
    notes = {(file, line): text for file, line, text in concrete.notes}
    lines = []
    for file, line in sorted({*by_line, *notes}):
        operations = by_line.get((file, line), [])
        staged = next((_STATEMENTS[o.name] for o in operations if o.name in _STATEMENTS), None)
        text = (
            notes.get((file, line))
            or staged
            or "staged: " + ", ".join(dict.fromkeys(o.name for o in operations))
        )
        import linecache

        lines.append(f"  {line:4d}  {linecache.getline(file, line).rstrip():50s}  # {text}")
    return lines
