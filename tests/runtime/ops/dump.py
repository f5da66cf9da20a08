"""What the registry says, line by line, for a comparison of two versions:

    python -m tests.runtime.ops.dump > before
    python -m tests.runtime.ops.dump | diff before -

For each operation its description; the types of the results of each sample, for several dtypes, of known
and of forgotten lengths; the LLVM text of its formula on each combination of dtypes, as a hash.
"""

import hashlib
import itertools
import warnings

import numpy as np

from runtime.engines.native.elements import Element, LlvmElements, Unsupported, register_type
from runtime.engines.native.ir import FunctionWriter, V
from runtime.ops import REGISTRY
from runtime.ops.definition import NoDerivative
from runtime.ops.formulas import operand_dtypes
from runtime.types import BOOL, COMPLEX, FLOAT, INT, ArrayType, ScalarType, type_of

DTYPES = ["bool", "int64", "uint8", "uint64", "float32", "float64", "complex128"]


def description(definition):
    rule = definition.vjp.reason if isinstance(definition.vjp, NoDerivative) else "a rule"
    effects = "by types" if callable(definition.effects) else definition.effects
    told = definition.family, sorted(definition.traits), effects, rule, definition.lowered
    return *told, definition.formula is not None, definition.exact, len(definition.samples)


def split(sample):
    return (sample[:-1], sample[-1]) if sample and isinstance(sample[-1], dict) else (sample, {})


def types_of_sample(specs, dtype, forget):
    for spec in specs:
        if not isinstance(spec, tuple):
            yield type_of(spec)
        else:
            yield ArrayType(np.dtype(dtype), tuple([None if forget else n for n in spec]))


def inferred(definition, types, attributes):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = definition.infer(tuple(types), **attributes)
        except Exception as error:  # its class and words are compared
            return f"{type(error).__name__}: {error}"
    return ", ".join(map(str, found if isinstance(found, tuple) else (found,)))


def llvm_text(definition, types):
    """What the formula writes for operands of these types; None where it has no machine code."""
    try:
        dtypes = operand_dtypes(definition, types)
        found = definition.infer(types)
        result = found[0] if isinstance(found, tuple) else found
        f = FunctionWriter("f", "void", [])
        b = LlvmElements(
            f, lambda text: None, {}, result.dtype, lambda c, raises: f.call("void", "slow", (c,))
        )
        operands = [Element(V(register_type(d), f"%x{k}"), d) for k, d in enumerate(dtypes)]
        if definition.native(b, *operands) is NotImplemented:
            return None
    except (Unsupported, TypeError, ValueError, AssertionError):
        return None
    return "\n".join(line for block in [f.entry, *f.blocks] for line in block.lines)


def lines():
    for name, definition in sorted(REGISTRY.items()):
        yield f"{name}: {description(definition)}"
        for k, sample in enumerate(definition.samples):
            specs, attributes = split(sample)
            for dtype, forget in itertools.product(DTYPES, (False, True)):
                types = tuple(types_of_sample(specs, dtype, forget))
                yield f"{name} {k} {dtype}{' forgotten' * forget}: {inferred(definition, types, attributes)}"
        if definition.native is None or not definition.samples or split(definition.samples[0])[1]:
            continue
        kinds = [BOOL, INT, FLOAT, COMPLEX]
        if not definition.family.startswith(("python", "scalar")):
            kinds += [ScalarType(np.dtype(dtype)) for dtype in DTYPES]
        for types in itertools.product(kinds, repeat=len(split(definition.samples[0])[0])):
            text = llvm_text(definition, types)
            if text is not None:
                yield f"{name} {' '.join(map(str, types))}: {hashlib.sha256(text.encode()).hexdigest()[:12]}"


if __name__ == "__main__":
    print(*lines(), sep="\n")
