"""Type rules that are found by a run: what they say of long and unknown lengths holds for arrays of these."""

import itertools
import warnings

import numpy as np

from runtime.ops import REGISTRY
from runtime.ops.promotion import BY_RUN
from runtime.types import ArrayType, is_subtype, type_of
from tests.runtime.ops.test_registry import SAMPLES, split
from tests.runtime.samples import each_sample

#: lengths of the axes of the first operand: short and long ones, longer and shorter than what stands beside
LENGTHS = [1, 2, 3, 17, 40]


FOUND = {
    name: [sample for sample in samples if isinstance(sample[0], tuple)]
    for name, samples in SAMPLES.items()
    if REGISTRY[name].infer in BY_RUN
}


@each_sample(FOUND)
def test_what_a_short_run_says_of_other_lengths(name, sample):
    definition = REGISTRY[name]
    (shape, *others), attributes = split(sample)
    rest = [np.full(s, 0.5) if isinstance(s, tuple) else s for s in others]
    for lengths in itertools.product(LENGTHS, repeat=len(shape)):
        x = np.ones(lengths)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = definition.kernel(x, *rest, **attributes)
            except (ValueError, IndexError):
                continue
        for forgotten in itertools.product((False, True), repeat=len(shape)):
            known = ArrayType(x.dtype, tuple(None if f else n for n, f in zip(lengths, forgotten)))
            inferred = definition.infer((known, *map(type_of, rest)), **attributes)
            pairs = zip(found, inferred, strict=True) if isinstance(found, tuple) else [(found, inferred)]
            for value, t in pairs:
                assert is_subtype(type_of(value), t), f"{known} {attributes}: {type_of(value)}, {t}"
