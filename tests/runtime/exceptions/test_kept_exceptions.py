"""Exceptions in loops, functions and `finally`; exceptions that are kept, changed, and raised later."""

import logging

import numpy as np

from tests.programs import Programs

PROGRAMS = Programs()
CALLS = [(np.array(items),) for items in ([1.0, 2.0], [-1.0, 2.0], [0.0, 2.0], [5.0, -2.0])]
case = PROGRAMS.of(*CALLS)


class AppError(Exception):
    def __init__(self, code, why=None):
        super().__init__(f"code {code}")
        self.code = code
        self.why = why


@case
def set_args_and_reraise(x):
    try:
        try:
            if x[0] > 0:
                raise ValueError("a")
            y = 1 // int(x[0])
        except (ValueError, ZeroDivisionError) as e:
            e.args = (f"wrapped {e.args[0]}",)
            raise
    except Exception as e:
        return str(e)
    return y


@case
def retry(x):
    attempts = 0
    last = None
    while attempts < 3:
        try:
            attempts += 1
            if x[0] + attempts < 3:
                raise ValueError(f"try {attempts}")
            break
        except ValueError as e:
            last = str(e)
            continue
    else:
        return "gave up", last
    return attempts, last


@case
def retry_error(x):
    last = None
    for i in range(3):
        try:
            if x[0] + i < 3:
                raise AppError(i)
            return i
        except AppError as e:
            last = e
    raise last


@case
def finally_order(x):
    try:
        print("body")
        if x[0] > 0:
            return "early"
        y = 1 // int(x[0])
    except ZeroDivisionError:
        print("zero")
        y = 0
    else:
        print("else")
    finally:
        print("finally")
        x[1] = 9
    return y


@case
def finally_in_loop(x):
    n = 0
    for v in x:
        try:
            if v < 0:
                continue
            if v > 4:
                break
            n += 1
        finally:
            n += 10
    return n


@case
def type_is(x):
    try:
        if x[0] > 0:
            raise KeyError("k")
        1 // int(x[0])
    except Exception as e:
        if type(e) is ZeroDivisionError:
            return "zero"
        return "notzero" if type(e) == KeyError else "?"  # noqa: E721
    return "none"


@case
def returned_error(x):
    if x[0] > 0:
        return AppError(x[0])
    return None


@case
def ok_or_error(x):
    def attempt(v):
        try:
            if v < 0:
                raise AppError(v)
            return True, v
        except AppError as e:
            return False, e

    ok, r = attempt(x[0])
    if not ok:
        print("error", r.code)
    return ok


@case
def shadowed_name(x):
    e = 5
    try:
        if x[0] > 0:
            raise AppError(1)
    except AppError as e:
        pass
    return e


@case
def compare_errors(x):
    a = b = None
    try:
        if x[0] > 0:
            raise AppError(1)
    except AppError as e:
        a = e
    try:
        if x[1] > 0:
            raise AppError(2)
    except AppError as e:
        b = e
    return a is b, a is None, b is not None and b.code == 2


@case
def inherit_builtin(x):
    class MyKey(KeyError):
        def __init__(self, key):
            super().__init__(key)
            self.key = key

    try:
        if x[0] > 0:
            raise MyKey(int(x[0]))
        {}[1]
    except KeyError as e:
        return isinstance(e, MyKey), str(e)


@case
def oserror(x):
    try:
        if x[0] > 0:
            raise OSError(2, "no such", "f.txt")
    except OSError as e:
        return e.errno, e.strerror, e.filename, str(e)
    return 0, "", "", ""


@case
def get_logger(x):
    log = logging.getLogger("e.test")
    try:
        y = 1 // int(x[0])
    except ZeroDivisionError as e:
        log.warning("failed: %s (%s)", e, type(e).__name__)
        log.error("code %d", 3)
        y = -1
    return y


test_exceptions = PROGRAMS.test()
