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
    has_vectors: bool = True,
    is_done: bool = False,
) -> str:
    """The name of a function for use in a module; ``write`` writes its body.

    ``params`` are names, as in "x step.x length"; x, y, out and "x.more" are addresses, others numbers.
    Without ``has_vectors`` compiling takes half the time: its loops could not be vectors, or are short. With
    ``is_done`` it takes a third: the function is written as LLVM's passes would leave it.
    """
    typed = [("ptr" if p.split(".")[0] in ("x", "y", "out") else "i64", p) for p in params.split()]
    if name not in _LIBRARIES:
        module = ModuleWriter()
        module.begin(FunctionWriter(name, result, typed))
        write(module, module.f)
        compiling = jit().compile if has_vectors else jit().compile_loops
        if is_done:
            library = jit().compile_quickly(module.text(), module.symbols, [name])
        else:
            library = compiling(text=module.text(), symbols=module.symbols, exports=[name])
        _LIBRARIES.setdefault(name, library)  # another thread may have been first, whose code is in use
    code.symbols[name] = _LIBRARIES[name].address(name)
    memory = "argmem: readwrite" if "out" in params.split() else "read"
    types = ", ".join([kind for kind, _ in typed])
    code.declare(f"declare {result} @{name}({types}) nounwind willreturn memory({memory})")
    return name
