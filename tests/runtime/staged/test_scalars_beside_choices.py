"""NumPy's scalars beside what only a run chooses: they stay NumPy's, and are no Python numbers."""

import numpy as np
import pytest

from tests.differential import check_scenario
from tests.modules import module_of
from tests.spread import spread

SCALARS = ["np.int64(0)", "np.int8(100)", "np.uint8(3)", "np.float32(1.5)", "np.bool_(True)"]
OTHERS = ["None", "'text'", "x"]


@pytest.mark.parametrize(
    ("scalar", "operator"), spread([*SCALARS], ["+", "-", "*", "/", "//", "%", "**", "<", "==", "&", "<<"])
)
def test_the_operator_is_numpy_s(scalar, operator):
    def scenario(function):
        seen = []
        for other in OTHERS:
            text = f"def f(x, n):\n    c = n if x[0] > 0 else {other}\n    return {scalar} {operator} c\n"
            f = function(module_of(text, np=np)["f"])
            for first, n in ((1.0, 2), (1.0, 100), (1.0, 0)):
                try:
                    with np.errstate(all="ignore"):
                        result = f(np.array([first]), n)
                except (TypeError, ValueError, OverflowError) as error:
                    result = error
                seen.append((type(result).__name__, repr(result)))
        return seen

    check_scenario(scenario, engines=["numpy"])
