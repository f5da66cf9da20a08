"""Staged values: what converted code holds in place of arrays and numbers while a trace is under way."""

from autograph.loading import later

later(__name__, "mappings")

from runtime.staged.arrays import StagedArray as StagedArray
from runtime.staged.containers import StagedContainer as StagedContainer
from runtime.staged.exceptions import StagedClass as StagedClass
from runtime.staged.exceptions import StagedException as StagedException
from runtime.staged.numbers import StagedNumber as StagedNumber
from runtime.staged.objects import StagedObject as StagedObject
from runtime.staged.operands import apply as apply
from runtime.staged.sequences import StagedList as StagedList
from runtime.staged.sets import StagedSet as StagedSet
from runtime.staged.strings import StagedString as StagedString
