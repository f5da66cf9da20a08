"""Which code that is not converted a traced function may call, and what that does: one table, by subject.

What is not in the table is refused, by its name. `docs/allowed.md` shows it; a test keeps the two alike.

>>> import math, os
>>> entry_of(math.sqrt).way.name, entry_of([].append).effects.writes, entry_of(os.getcwd)
('STAGED', (0,), None)
"""

from __future__ import annotations

import enum
import sys
import types
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from autograph.records import record
from runtime.messages import NUMPY_CALLS
from runtime.ops.definition import PURE, Effects
from runtime.ops.instances import HEAP_TYPE
from runtime.types import BOOL, FLOAT, INT, Type


class Way(enum.Enum):
    """How a call is done in a trace. What is said of values of the run holds for references as well."""

    STAGED = "operations of the graph; with known values Python makes the call while tracing"
    THROUGH = "made while tracing: it holds what it gets, or asks it by operators, iteration and attributes"
    KNOWN = "made while tracing, of known values only: no value of the run, no object of a class of yours"
    WHOLE = "made by each run, its result as in trials; with known values made while tracing"
    CONVERTED = "its Python source is converted as yours is, where it gets an object of a class of yours"
    IN_RUN = "made by each run, in the order of the program"
    REFUSED = "acts on the world outside, or depends on it: refused"


@record
class Callee:
    """What the table says of a callee.

    ``effects`` counts arguments; of a method, its object is the first. What is ordered may not happen while
    tracing, what writes only to what nobody else has. ``calls``: it runs code of the user's.
    """

    way: Way
    effects: Effects = PURE
    calls: tuple[int | str, ...] = ()  # which of its arguments it calls, by position or by keyword
    items: bool = False  # takes an iterator for its items, and may get a list of them
    results: tuple[Type, ...] | None = None  # of IN_RUN; None: those of a trial


_STAGED, _THROUGH, _KNOWN = Callee(Way.STAGED), Callee(Way.THROUGH), Callee(Way.KNOWN)
_CONVERTED = Callee(Way.CONVERTED)
_WRITES = Callee(Way.STAGED, Effects(writes=(0,)))
_CONVERTED_WRITES = Callee(Way.CONVERTED, Effects(writes=(0,)))
_ORDERED = Effects(ordered=True)
_REFUSED, _MADE_IN_RUN = Callee(Way.REFUSED, _ORDERED), Callee(Way.IN_RUN, _ORDERED)
_DRAWN = Callee(Way.IN_RUN, Effects(writes=(0,), ordered=True))


def _keyed(*calls: int | str) -> Callee:
    return Callee(Way.STAGED, calls=calls)


def _in_run(*results: Type) -> Callee:
    return Callee(Way.IN_RUN, _ORDERED, results=results)


def _methods(cls: str, names: str) -> str:
    return " ".join([f"{cls}.{name}" for name in names.split()])


_LEVELS = "debug info warning error critical exception log"
_DISTRIBUTIONS = """beta binomial chisquare choice dirichlet exponential f gamma geometric gumbel
    hypergeometric laplace logistic lognormal logseries multinomial multivariate_normal
    negative_binomial noncentral_chisquare noncentral_f normal pareto permutation poisson power random
    rayleigh standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular uniform
    vonmises wald weibull zipf"""

#: by subject: module, names, what is said of them. `C.*`: the methods of a class, if no row has their names
SUBJECTS: dict[str, tuple[tuple[str, str, Callee], ...]] = {
    "Builtins": (
        ("builtins", """abs all any ascii bin bool bytearray bytes chr complex dict dict.fromkeys divmod
            enumerate float format frozenset getattr hasattr hash hex id int isinstance issubclass len
            list next oct ord pow print range repr reversed round set str sum tuple type zip
            memoryview callable""", _STAGED),
        ("builtins", "delattr setattr", _WRITES),
        ("builtins", "object.__delattr__ object.__setattr__", _WRITES),
        ("builtins", """type.__delattr__ type.__setattr__ BaseException.add_note BaseException.with_traceback
            BaseException.__dir__ BaseException.__reduce__ BaseException.__reduce_ex__""", _REFUSED),
        ("builtins", "filter map iter", _keyed(0)),
        ("builtins", "max min sorted", _keyed("key")),
        ("builtins", """cell classmethod code function mappingproxy method module object
            property slice staticmethod super __build_class__
            object.__init__ object.__eq__ object.__ne__ object.__hash__ object.__repr__ object.__new__
            object.__init_subclass__""", _THROUGH),
        ("builtins", "bool.* complex.* float.* int.*", _KNOWN),
        ("builtins", """bytearray.* bytes.* range.* slice.* str.* tuple.* frozenset.* mappingproxy.*
            type.* list.* dict.* set.* dict_keys.* dict_values.* dict_items.* function.* module.*
            BaseException.*""", _THROUGH),
        ("builtins", _methods("list", """append clear extend insert pop remove reverse __delitem__
            __iadd__ __imul__ __setitem__"""), _WRITES),
        ("builtins", "list.sort", Callee(Way.STAGED, Effects(writes=(0,)), calls=("key",))),
        ("builtins", _methods("dict", """clear pop popitem setdefault update __delitem__ __ior__
            __setitem__"""), _WRITES),
        ("builtins", _methods("set", """add clear difference_update discard intersection_update
            pop remove symmetric_difference_update update __iand__ __ior__ __isub__ __ixor__"""), _WRITES),
        ("builtins", _methods("bytearray", """append clear extend insert pop remove reverse
            __delitem__ __iadd__ __imul__ __setitem__"""), _WRITES),
        ("builtins", "compile eval exec input open __import__", _REFUSED),
        ("io", "open", _REFUSED),
        ("sys", "exit", _STAGED),
    ),
    "Numbers": (
        ("math", """acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh
            degrees dist erf erfc exp exp2 expm1 fabs factorial floor fmod frexp gamma gcd hypot
            isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nextafter
            perm pow prod radians remainder sin sinh sqrt tan tanh trunc ulp""", _STAGED),
        ("math", "fma fsum sumprod", _KNOWN),
        ("cmath", """acos acosh asin asinh atan atanh cos cosh exp isclose isfinite isinf isnan
            log log10 phase polar rect sin sinh sqrt tan tanh""", _STAGED),
        ("fractions", "Fraction Fraction.*", _KNOWN),
        ("numbers", "Number Complex Real Rational Integral Complex.* Real.* Rational.* Integral.*", _KNOWN),
        ("decimal", "Decimal Decimal.*", _KNOWN),
        ("statistics", """fmean geometric_mean harmonic_mean kde kde_random mean median median_grouped
            median_high median_low mode multimode pstdev pvariance quantiles stdev
            variance""", Callee(Way.WHOLE, items=True)),
        ("statistics", "correlation covariance linear_regression", Callee(Way.WHOLE)),
        ("statistics", "NormalDist NormalDist.*", _KNOWN),
    ),
    "Operators": (
        ("operator", "call contains eq getitem index is_ is_not ne not_ truth", _STAGED),
        ("operator", "delitem iadd iand imul ior isub ixor setitem", _WRITES),
        ("operator", """abs add and_ attrgetter concat countOf floordiv ge gt iconcat ifloordiv
            ilshift imatmul imod indexOf inv invert ipow irshift itemgetter itruediv le
            lshift lt matmul mod mul neg or_ pos pow rshift sub truediv xor
            attrgetter.* itemgetter.*""",
            _THROUGH),
        ("copy", "copy deepcopy", _STAGED),
        ("copy", "replace", _CONVERTED),
    ),
    "Functions": (
        ("functools", "cmp_to_key", _REFUSED),
        ("functools", "update_wrapper", _STAGED),
        ("functools", "reduce", _keyed(0)),
        ("functools", """cache cached_property lru_cache partial partial.* partialmethod
            singledispatch singledispatchmethod total_ordering wraps cached_property.*
            partialmethod.*""", _THROUGH),
        ("functools", "singledispatchmethod.*", _REFUSED),
        ("contextlib", "ExitStack", _REFUSED),
        ("contextlib", """AsyncExitStack aclosing asynccontextmanager chdir closing contextmanager
            nullcontext nullcontext.* redirect_stderr redirect_stdout suppress""", _THROUGH),
    ),
    "Iterators": (
        ("itertools", """chain chain.from_iterable combinations count cycle islice pairwise permutations
            product repeat""", _STAGED),
        ("itertools", "starmap takewhile", _keyed(0)),
        ("itertools", "accumulate", _keyed(1, "func")),
        ("itertools", "groupby", Callee(Way.THROUGH, calls=(1, "key"))),
        ("itertools", "batched zip_longest", _THROUGH),
        ("itertools", "combinations_with_replacement compress dropwhile filterfalse tee", _REFUSED),
    ),
    "Containers": (
        ("collections", "Counter defaultdict deque OrderedDict", _STAGED),
        ("collections", _methods("deque", """append appendleft clear extend extendleft insert pop
            popleft remove reverse rotate __delitem__ __iadd__ __imul__ __setitem__"""), _WRITES),
        ("collections", "namedtuple deque.* Counter.* OrderedDict.* defaultdict.*", _THROUGH),
        ("collections", """OrderedDict.clear OrderedDict.move_to_end OrderedDict.pop
            OrderedDict.popitem OrderedDict.setdefault OrderedDict.update OrderedDict.__ior__
            OrderedDict.__setitem__ OrderedDict.__delitem__ Counter.subtract Counter.update
            Counter.__iadd__ Counter.__isub__ Counter.__iand__ Counter.__ior__ Counter.__delitem__
            defaultdict.__ior__""", _WRITES),
        ("collections", """ChainMap ChainMap.* UserDict UserDict.* UserList UserList.* UserString
            UserString.*""", _CONVERTED),
        ("collections.abc", """Collection.* Container.* Hashable.* ItemsView.* Iterable.*
            Iterator.* KeysView.* Mapping.* MappingView.* MutableMapping.* MutableSequence.*
            MutableSet.* Reversible.* Sequence.* Set.* Sized.* ValuesView.* ItemsView KeysView
            ValuesView""", _CONVERTED),
        ("collections", _methods("ChainMap", "clear pop popitem __delitem__ __ior__ __setitem__"),
            _CONVERTED_WRITES),
        ("collections", _methods("UserDict", "__delitem__ __ior__ __setitem__"), _CONVERTED_WRITES),
        ("collections", _methods("UserList", """append clear extend insert pop remove reverse sort
            __delitem__ __iadd__ __imul__ __setitem__"""), _CONVERTED_WRITES),
        ("collections.abc", _methods("MutableMapping", """clear pop popitem setdefault update
            __delitem__ __setitem__"""), _CONVERTED_WRITES),
        ("collections.abc", _methods("MutableSequence", """append clear extend insert pop remove reverse
            __delitem__ __iadd__ __setitem__"""), _CONVERTED_WRITES),
        ("collections.abc", _methods("MutableSet", """add clear discard pop remove __iand__ __ior__ __isub__
            __ixor__"""), _CONVERTED_WRITES),
        ("bisect", "bisect_left bisect_right", _STAGED),
        ("bisect", "insort_left insort_right", _WRITES),
        ("heapq", "heapify heappop heappush heappushpop heapreplace", _WRITES),
        ("heapq", "nlargest nsmallest", _STAGED),
    ),
    "Classes": (
        ("dataclasses", "dataclass field fields is_dataclass make_dataclass Field InitVar", _THROUGH),
        ("dataclasses", "_is_dataclass_instance", _THROUGH),
        ("dataclasses", "replace _replace", _CONVERTED),
        ("dataclasses", "asdict astuple", _CONVERTED),
        ("types", "SimpleNamespace", _STAGED),
        ("types", """DynamicClassAttribute GenericAlias coroutine get_original_bases new_class
            prepare_class resolve_bases""", _THROUGH),
        ("abc", """ABC ABCMeta ABCMeta.* abstractclassmethod abstractmethod abstractproperty
            abstractstaticmethod get_cache_token update_abstractmethods""", _THROUGH),
        ("enum", """Enum Enum.* EnumType EnumType.* Flag Flag.* IntEnum IntFlag ReprEnum StrEnum
            auto auto.* member nonmember property property.* unique verify verify.* IntEnum.*
            IntFlag.* StrEnum.* global_enum""",
            _THROUGH),
        ("typing", """Annotated ForwardRef Generic Generic.* NamedTuple NewType NewType.*
            ParamSpec Protocol Protocol.* TypeVar TypeVarTuple TypedDict assert_never assert_type cast
            clear_overloads dataclass_transform final get_args get_origin get_overloads
            is_typeddict no_type_check no_type_check_decorator overload reveal_type runtime_checkable
            _GenericAlias.* _SpecialForm.* _BaseGenericAlias.* _ProtocolMeta.* _tp_cache""", _THROUGH),
        ("typing", "get_type_hints", _KNOWN),
    ),
    "Text": (
        ("re", "sub subn", _STAGED),
        ("re", """compile escape findall finditer fullmatch match search split Pattern.*
            Match.* RegexFlag RegexFlag.*""", _KNOWN),
        ("string", "Formatter Formatter.* Template Template.*", _CONVERTED),
        ("string", "capwords formatter_field_name_split formatter_parser", _KNOWN),
        ("textwrap", "TextWrapper TextWrapper.*", _CONVERTED),
        ("textwrap", "dedent fill indent shorten wrap", _KNOWN),
    ),
    "Dates, paths": (
        ("datetime", """date date.* datetime datetime.* time time.* timedelta timedelta.* timezone
            timezone.*""", _KNOWN),
        ("datetime", """date.today date.fromtimestamp date.strftime datetime.today datetime.now
            datetime.utcnow datetime.fromtimestamp datetime.timestamp
            datetime.astimezone datetime.strftime datetime.strptime time.strftime""", _REFUSED),
        ("pathlib", """PurePath PurePath.* PurePathBase.* PurePosixPath PurePosixPath.* PureWindowsPath
            PureWindowsPath.* Path PosixPath WindowsPath""", _KNOWN),
    ),
    "Random numbers": (
        ("random", _methods("Random", """random uniform triangular gauss normalvariate
            lognormvariate expovariate betavariate gammavariate vonmisesvariate paretovariate
            weibullvariate"""),
            _in_run(FLOAT)),
        ("random", _methods("Random", "randint randrange getrandbits"), _in_run(INT)),
        ("random", "Random.seed", _in_run()),
        ("numpy.random", "default_rng RandomState", _MADE_IN_RUN),
        ("numpy.random", "seed Generator.shuffle RandomState.seed RandomState.shuffle", _in_run()),
        ("numpy.random", _methods("Generator", _DISTRIBUTIONS + " integers permuted"), _DRAWN),
        ("numpy.random", _methods("RandomState", _DISTRIBUTIONS + """ rand randint randn
            random_integers random_sample tomaxint"""), _DRAWN),
    ),
    "Time, logs, warnings, streams": (
        ("time", "time perf_counter monotonic process_time", _in_run(FLOAT)),
        ("time", "time_ns perf_counter_ns monotonic_ns process_time_ns", _in_run(INT)),
        ("time", "sleep", _in_run()),
        ("warnings", "warn", _in_run()),
        ("warnings", "catch_warnings", _REFUSED),
        ("logging", _LEVELS, _in_run()),
        ("logging", _methods("Logger", _LEVELS), _in_run()),
        ("logging", "Logger.isEnabledFor", _in_run(BOOL)),
        ("logging", "getLogger", _KNOWN),  # there is one logger of each name, for good
        ("io", "StringIO", _REFUSED),
        ("io", "TextIOWrapper.* StringIO.*", _REFUSED),
    ),
}  # fmt: skip

_by_name: dict[str, Callee] = {}
#: functions of NumPy that are in no row: where they get values of the run, NumPy's protocols hand them over
_NUMPY = _CONVERTED
_home_of: Callable[[type], Any] = type.__dict__["__module__"].__get__  # no method of a metaclass is asked
_name_of: Callable[[type], str] = type.__dict__["__qualname__"].__get__
_namespace_of: Callable[[type], Any] = type.__dict__["__dict__"].__get__
_OF_CLASSES = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)
_BOUND = (types.BuiltinMethodType, types.MethodWrapperType)


def entry_named(name: str) -> Callee | None:
    """By the name that a program writes: ``math.sqrt``, ``builtins.list.append``."""
    if not _by_name:
        for rows in SUBJECTS.values():
            for module, names, callee in rows:
                _by_name.update(dict.fromkeys([f"{module}.{each}" for each in names.split()], callee))
    return _by_name.get(name)


def entry_of(function: Any) -> Callee | None:
    """What the table says of a function, a class or a method; of another object, of its being called."""
    function = function.__func__ if isinstance(function, types.MethodType) else function
    if isinstance(function, types.FunctionType):
        return _of_python(function)
    if isinstance(function, _OF_CLASSES):
        return _of_method((function.__objclass__,), function.__name__)
    if isinstance(function, _BOUND) and not isinstance(function.__self__, types.ModuleType | None):
        owner: Any = function.__self__
        of_class = owner.__mro__ if isinstance(owner, type) else ()
        if isinstance(function, types.MethodWrapperType):  # `super().__init__`, perhaps
            of_class = (function.__objclass__,)
        return _of_method((*of_class, *type(owner).__mro__), function.__name__)
    if isinstance(function, type):
        return _of_class(function)
    if _is_refused(function):
        return None
    return _of_compiled(function) or _of_numpy(function) or _of_method(type(function).__mro__, "__call__")


def _of_compiled(function: Any) -> Callee | None:
    """By its name, if that leads to it: C, and what Cython makes."""
    home, name = getattr(function, "__module__", None) or "builtins", getattr(function, "__qualname__", None)
    if not isinstance(home, str) or not isinstance(name, str):
        return None
    outer = getattr(sys.modules.get(home), name.partition(".")[0], None)
    if isinstance(outer, type) and "." in name:
        outer = getattr(outer, name.rpartition(".")[2], None)
    if function is not outer:
        return None
    home = _public(home)
    return entry_named(f"{home}.{name}") or entry_named(f"{home}.{name.partition('.')[0]}.*")


def _public(module: str) -> str:
    """``math`` of `_math`, ``pathlib`` of `pathlib._local`: where a program finds what is defined there."""
    if module.startswith("numpy.random."):
        return "numpy.random"
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return module
    return module.removeprefix("_").removesuffix("._local").removesuffix("._abc")


def _of_python(function: types.FunctionType) -> Callee | None:
    """By the code, which nobody gives another name."""
    module = function.__globals__.get("__name__")
    if not isinstance(module, str) or not any(
        getattr(sys.modules.get(home), "__dict__", None) is function.__globals__
        for home in (module, "_" + module.replace(".", "_"))
    ):
        return None
    name = function.__code__.co_qualname
    outermost, _, rest = name.partition(".")
    around = outermost if rest.startswith("<locals>") else outermost + ".*"  # made by it, or a method
    home = _public(module)
    return entry_named(f"{home}.{name}") or entry_named(f"{home}.{around}") or _of_numpy(function)


def _of_method(classes: tuple[type, ...], name: str) -> Callee | None:
    if name in ("__new__", "__init__"):
        maker = next((cls for cls in classes if name in _namespace_of(cls)), object)
        return entry_named(f"builtins.object.{name}") if maker is object else _of_class(maker)
    for cls in classes:
        home = f"{_public(str(_home_of(cls)))}.{_name_of(cls)}"
        found = entry_named(f"{home}.{name}") or entry_named(f"{home}.*")
        if found is not None:
            return found
    return _KNOWN if _is_of_numpy(str(_home_of(classes[0]))) else None


def _of_class(cls: type) -> Callee | None:
    home = str(_home_of(cls))
    if home == "builtins" and issubclass(cls, BaseException):
        return _STAGED
    return entry_named(f"{_public(home)}.{_name_of(cls)}") or _of_numpy(cls)


def _of_numpy(function: Any) -> Callee | None:
    if isinstance(function, np.ufunc):
        return _NUMPY
    home = getattr(function, "__module__", None)
    known = isinstance(home, str) and _is_of_numpy(home) and not _is_refused(function)
    return _NUMPY if known else None


def _is_refused(function: Any) -> bool:
    """Is it a function of NumPy that acts on the world outside, or depends on it?"""
    home = getattr(function, "__module__", None)
    return isinstance(home, str) and _is_of_numpy(home) and getattr(function, "__name__", "") in NUMPY_CALLS


def _is_of_numpy(module: str) -> bool:
    return module.partition(".")[0] == "numpy" and not module.startswith("numpy.random")


def is_hashable(function: Any) -> bool:
    """May a table be asked for it, without a `__hash__` of the user's or of a library?"""
    hashes = type(function).__hash__
    is_of_python = hashes is object.__hash__ or not type(function).__flags__ & HEAP_TYPE
    return hashes is not None and is_of_python and not isinstance(function, types.MethodType)


def writes(function: Any) -> bool:
    """Does it change its first argument, or the object that it is a method of, where no trace sees it?"""
    entry = entry_of(function)
    return entry is not None and 0 in entry.effects.writes


@cache
def writing_methods() -> frozenset[str]:
    """The names of all methods that do."""
    entry_named("")
    return frozenset([name.rpartition(".")[2] for name, one in _by_name.items() if one.effects.writes])
