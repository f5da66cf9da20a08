"""Liveness and definite assignment: one statement of a program, and what is known of it."""

import gast
import pytest

from autograph.analysis.flow import Flow

# The statement in question is the one on the line marked with `#`. A name that is dead where a block begins
# counts as unbound from there on: in the block's closure it would be a variable of its own.
PROGRAMS = {
    "a branch": ("c", "if c:  #\n  y = 1\nreturn y", {"live": {"y"}, "bound": {"c"}, "maybe": {"c"}}),
    "both branches": ("c", "if c: y = 1\nelse: y = 2\nprint(y)  #", {"live": set(), "bound": {"y"}}),
    "a loop carries": ("n", "i = 0\nwhile i < n:  #\n  i += 1", {"live": set(), "bound": {"n", "i"}}),
    "loop body may not run": (
        "xs",
        "for x in xs: y = x\nprint(x, y)  #",
        {"bound": set(), "maybe": {"xs", "x", "y"}},
    ),
    "endless loop binds": ("", "while True:\n  y = 1\n  break\nprint(y)  #", {"bound": {"y"}}),
    "handler sees the old value": (
        "",
        "y = 0\ntry:\n  y = g()  #\nexcept E: return y",
        {"live": {"y"}, "bound": {"y"}},
    ),
    "handler unbinds its name": (
        "",
        "try: g()\nexcept E as e: pass\nprint(e)  #",
        {"bound": set(), "maybe": set()},
    ),
    "deleted": ("y", "if y: del y\nprint(y)  #", {"bound": set(), "maybe": {"y"}}),
    "closures keep names alive": (
        "",
        "y = 1\ng = lambda: y\ny = 2  #\nreturn g()",
        {"live": {"y", "g"}, "bound": {"y", "g"}},
    ),
    "eager generators do not": ("xs", "s = sum(x * k for x in xs)\nk = 2  #", {"live": set()}),
    "walrus may not happen": ("a", "a and (y := 1)\nprint(y)  #", {"bound": {"a"}, "maybe": {"a", "y"}}),
    "finally comes after return": ("", "y = 1\ntry:\n  return 2  #\nfinally: print(y)", {"bound": {"y"}}),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_flow(name):
    parameter, body, expected = PROGRAMS[name]
    lines = body.splitlines()
    line = next(number for number, text in enumerate(lines, 2) if text.endswith("#"))
    tree = gast.parse(f"def f({parameter}):\n" + "\n".join(" " + text for text in lines))
    flow = Flow(tree.body[0])
    statement = next(
        node for node in gast.walk(tree.body[0]) if isinstance(node, gast.stmt) and node.lineno == line
    )
    found = {
        "live": flow.live_after(statement),
        "bound": flow.bound_before(statement),
        "maybe": flow.maybe_bound_before(statement),
    }
    assert {key: found[key] for key in expected} == expected
