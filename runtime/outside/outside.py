"""The world outside a trace: what it read, under which guards, and the objects that it met or made.

`importing.py` says what becomes of a value from outside, `attributes.py` what reads and stores of attributes
mean, `objects/operators.py` what operators of objects do.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from autograph.errors import StagingError
from runtime.guards.paths import Constant, Guard, Path
from runtime.objects import attributes as object_attributes
from runtime.outside.importing import Importer
from runtime.outside.watched import WatchedClasses

if TYPE_CHECKING:
    from runtime.tracer.trace import Trace


class Outside(WatchedClasses):
    """What one trace knows of the world outside."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace)
        self._importer = Importer(self)

    def guards_of_refusal(self) -> list[Guard]:
        """Guards under which this attempt comes to nothing once more.

        None speaks of what stood in the way where the world is read: such a refusal is not to be kept.
        """
        if self.stands_in_the_way:
            never = lambda source, names: "False"
            return [Guard(Constant(self, "what was read"), never, "what stood in the way")]
        self.aliases.guard_distinct()
        self.definitions.finish()
        return self.guards

    @cached_property
    def attributes(self) -> object_attributes.Attributes:
        return object_attributes.Attributes(self)

    def import_value(self, value: Any, path: Path) -> Any:
        try:
            return self._importer.import_value(value, path)
        except StagingError:
            self.stands_in_the_way = True
            raise
