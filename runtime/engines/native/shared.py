"""Functions of machine code that many modules call: each is compiled once a process, when first wanted."""

from __future__ import annotations

from collections.abc import Callable

from runtime.engines.native.ir import FunctionWriter
from runtime.engines.native.jit import Library, jit
from runtime.engines.native.module import ModuleWriter

Write = Callable[[ModuleWriter, FunctionWriter], None]
#: by name; never freed
_LIBRARIES: dict[str, Library] = {}


def function(
    code: ModuleWriter,
    name: str,
    result: str,
    params: str,
    write: Callable[[ModuleWriter, FunctionWriter], None],
) -> str:
    """The name of a function for use in a module; ``write`` writes its body.

    ``params`` are names, as in "x step.x length"; x, y, out and "x.more" are addresses, others numbers.
    """
    typed = [("ptr" if p.split(".")[0] in ("x", "y", "out") else "i64", p) for p in params.split()]
    if name not in _LIBRARIES:
        module = ModuleWriter()
        module.begin(FunctionWriter(name, result, typed))
        write(module, module.f)
        library = jit().compile(module.text(), module.symbols, [name])
        _LIBRARIES.setdefault(name, library)  # another thread may have been first, whose code is in use
    code.symbols[name] = _LIBRARIES[name].address(name)
    memory = "argmem: readwrite" if "out" in params.split() else "read"
    types = ", ".join([kind for kind, _ in typed])
    code.declare(f"declare {result} @{name}({types}) nounwind willreturn memory({memory})")
    return name
