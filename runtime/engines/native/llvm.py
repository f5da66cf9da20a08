"""LLVM: its text form becomes machine code for the processor at hand, as the bytes of an object file.

This is the only module that imports llvmlite, and it is imported when the first function compiles whose code
is not on disk.
"""

from __future__ import annotations

import functools
import itertools
import os
import platform
from collections.abc import Mapping, Sequence

import llvmlite.binding as llvm

from runtime.engines.native.disk import How

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
if platform.machine() in ("x86_64", "AMD64"):
    # a choice between two registers stays one: data decides which, and no processor guesses data
    llvm.set_option("", "-x86-cmov-converter=false")

#: what LLVM keeps of a freed library, 10 KB, goes with the last one that was linked by the same linker
LINKED_TOGETHER = 16


@functools.cache
def _machine(optimising: int) -> llvm.TargetMachine:
    """The processor at hand; ``optimising``, from 0 to 3, is how much its code is worth.

    Code that is not optimised is for any processor of the kind: what this one can do takes LLVM a while to
    note, each time.
    """
    if not optimising:
        return llvm.Target.from_default_triple().create_target_machine(opt=0, jit=True)
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=optimising,
        jit=True,
    )


#: a builder of passes serves so many modules, not one and not all: each run of passes leaves callbacks in its
#: builder, which all later runs call; llvmlite keeps 1 KB of each builder
_RUNS_OF_A_BUILDER = 32
_runs = itertools.count()


@functools.lru_cache(maxsize=8)
def _builder(how: How, generation: int) -> llvm.PassBuilder:
    options = llvm.create_pipeline_tuning_options(speed_level=how.speed)
    options.loop_vectorization, options.slp_vectorization = how.vectorizes, how.vectorizes and how.speed == 3
    options.loop_unrolling = how.unrolls
    return llvm.create_pass_builder(_machine(how.optimising), options)


def _run_passes(builder: llvm.PassBuilder, module: llvm.ModuleRef) -> None:
    """Run them, and free them: llvmlite 0.50 keeps their memory, 76 KB of each module."""
    passes = builder.getModulePassManager()
    passes.run(module, builder)
    llvm.newpassmanagers.NewPassManager._dispose(passes)
    passes.detach()


def _module(text: str, how: How) -> llvm.ModuleRef:
    """The module after its passes."""
    module = llvm.parse_assembly(text)
    module.verify()
    _run_passes(_builder(how, next(_runs) // _RUNS_OF_A_BUILDER), module)
    return module


def object_code(text: str, how: How) -> bytes:
    return _machine(how.optimising).emit_object(_module(text, how))


def optimised_text(text: str, how: How) -> str:
    return str(_module(text, how))


def assembly(text: str, how: How) -> str:
    return _machine(how.optimising).emit_assembly(_module(text, how))


class Linked:
    """An object in memory, by LLVM's linker."""

    def __init__(self, code: bytes, symbols: Mapping[str, int], exports: Sequence[str]) -> None:
        library = llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
        for name, address in symbols.items():
            library.import_symbol(name, address)
        for name in exports:
            library.export_symbol(name)
        number = next(_numbers)
        linker = _linker(number // LINKED_TOGETHER)
        tracker = library.link(linker, f"native.{number}")
        self.addresses = {name: tracker[name] for name in exports}
        self._parts = linker, tracker  # freed from the last to the first


_numbers = itertools.count()


@functools.lru_cache(maxsize=1)
def _linker(generation: int) -> llvm.LLJIT:
    return llvm.create_lljit_compiler(_machine(optimising=0))  # it compiles nothing


def _keep_llvm_whole_in_forks() -> None:
    """No thread is inside of LLVM while the process forks: it would stay as it is then."""
    using_llvm = llvm.ffi.lib._lock
    leave = functools.partial(using_llvm.__exit__, None, None, None)
    os.register_at_fork(before=using_llvm.__enter__, after_in_parent=leave, after_in_child=leave)


if hasattr(os, "register_at_fork"):
    _keep_llvm_whole_in_forks()
