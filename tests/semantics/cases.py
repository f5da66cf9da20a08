"""Programs about one nasty meaning each; every one runs on both engines and converted.

    @case(floats(1, 2), floats(-1, 2))
    def alias(x): ...

A case that is refused today stands in refused.py, as the rows of the feature table do.
"""

from tests.programs import Programs

CASES = Programs()
case = CASES.of
scenario = CASES.scenario
