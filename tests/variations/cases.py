"""Other programs for the rows of the feature table: the same situations in another guise.

    @case((floats(1, 2),), (floats(-1, 2),))
    def best_of(x): ...

One module per mechanism of the table. `docs/situations.md` shows the programs of the rows themselves.
"""

from tests.programs import Programs

CASES = Programs()
case = CASES.of
scenario = CASES.scenario
