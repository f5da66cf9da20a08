"""A saved function and files of arrays: what `autograph run` does.

>>> flat({"y": np.ones(2), "k": [1, None]})
{"result['y']": array([1., 1.]), "result['k'][0]": 1}
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from runtime.arguments import did_you_mean
from runtime.saving.errors import LoadError, damaged
from runtime.saving.folders import new_file
from runtime.saving.load import load
from runtime.saving.loaded import LoadedFunction
from runtime.saving.loaded_module import LoadedModule
from runtime.saving.signatures import Numeric, Spec
from runtime.tensor import Tensor
from runtime.types import NumberType, ScalarType


def function_in(folder: str, name: str | None) -> LoadedFunction:
    """The function of a folder, or the one of this name. Raises LoadError."""
    found = load(folder)
    if isinstance(found, LoadedFunction):
        functions = {found.__name__: found}
    else:
        functions = found.functions if isinstance(found, LoadedModule) else found
    if name is None and len(functions) == 1:
        return next(iter(functions.values()))
    if name not in functions:
        said = "it is not said which function" if name is None else f"there is no function {name!r}"
        raise LoadError(
            f"{said}{did_you_mean(name, functions)}", file=folder, hint=f"there are {', '.join(functions)}"
        )
    return functions[name]


def read_npz(file: str) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a file that ``np.savez`` has written. Raises LoadError; objects in it are not read."""
    try:
        with np.load(file, allow_pickle=False) as arrays:
            if isinstance(arrays, np.ndarray):
                raise damaged(file, "it is an npy file, of one array without a name")
            return dict(arrays)
    except LoadError:
        raise
    except (ValueError, EOFError, zipfile.BadZipFile, KeyError):
        raise LoadError("this is no npz file of arrays", file=file, hint="write it with np.savez") from None


def run_on(function: LoadedFunction, file: str | None) -> Any:
    """Call with the arrays of a file, by the names of parameters; numbers are arrays without dimensions."""
    arrays = read_npz(file) if file else {}
    known = list(function.__signature__.parameters)
    for name in arrays:
        if name not in known:
            near = did_you_mean(name, known)
            hint = f"its parameters are {', '.join(known)}"
            raise LoadError(f"{function.__name__}() has no parameter {name!r}{near}", file=file, hint=hint)
    for signature in function.signatures:
        specs = [
            *zip(known, signature.args, strict=False),
            *signature.kwargs.items(),
        ]
        given = {name: _as(spec, arrays[name]) for name, spec in specs if name in arrays}
        try:
            args, kwargs = function.bind(given)
        except TypeError as error:
            hint = f"give a file with these arrays: {', '.join(known)}"
            raise LoadError(str(error), file=file, hint=hint) from None
        if signature.take(args, kwargs, []):
            return function(*args, **kwargs)
    return function(**arrays)


def _as(spec: Spec, array: np.ndarray[Any, Any]) -> Any:
    """An array as the spec wants it."""
    if not isinstance(spec, Numeric):
        return array.item() if array.ndim == 0 else array
    value: Any = array
    if array.ndim == 0 and isinstance(spec.type, NumberType):
        value = array.item()
    elif array.ndim == 0 and isinstance(spec.type, ScalarType):
        value = array[()]
    return Tensor(value) if spec.boxed else value


def write_npz(file: str | os.PathLike[str], result: Any) -> None:
    """Write the parts of a result under the ways that lead to them."""
    with new_file(Path(file)) as made, open(made, "wb") as opened:
        np.savez(opened, **flat(result))


def flat(result: Any, name: str = "result") -> dict[str, Any]:
    """The numbers and arrays of a structure by name; None and strings are left out."""
    if isinstance(result, Mapping):
        return {k: v for key, part in result.items() for k, v in flat(part, f"{name}[{key!r}]").items()}
    if isinstance(result, list | tuple):
        return {k: v for i, part in enumerate(result) for k, v in flat(part, f"{name}[{i}]").items()}
    if isinstance(result, Tensor):
        return {name: result.numpy()}
    return {name: result} if isinstance(result, np.ndarray | np.generic | int | float | complex) else {}
