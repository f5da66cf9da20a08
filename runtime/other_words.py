"""Words of JAX, PyTorch, numba and TensorFlow that there are none of here, and what to write instead.

Tests try each of these.

>>> instead_of("prange")
'; write `range(n)` in a decorated function'
"""

from __future__ import annotations

from typing import Any

from autograph.errors import ArgumentError, did_you_mean
from runtime.arguments import wrong_argument

_IN_LOOPS = " in a decorated function"

#: what people look for in `rt`, in groups, and what to write
_NAMES = {
    "jit njit compile script": "rt.function(f)",
    "pmap vectorize guvectorize": "rt.vmap(f)(xs)",
    "prange": "range(n)" + _IN_LOOPS,
    "fori_loop lax": "for i in range(n): x = f(x)" + _IN_LOOPS,
    "scan associative_scan": "for row in xs: x = x + f(row)" + _IN_LOOPS,
    "switch": "x = f(x) if n == 0 else x" + _IN_LOOPS,
    "jacfwd jacrev": "rt.jacobian(f)(x)",
    "linearize": "rt.jvp(f, (x,), (x,))",
    "no_grad inference_mode detach": "rt.stop_gradient(x)",
    "backward autograd gradient derivative": "rt.grad(total)(x)",
    "optim optimizer optax": "rt.optimizers.Adam(0.001)",
    "nn": "class Net(rt.Module): pass",
    "Parameter": "rt.Variable(x)",
    "array asarray": "np.array(x)",
    "random": "np.random.default_rng(0)",
    "remat": "rt.checkpoint(f)",
    "custom_vjp custom_jvp": "rt.custom_gradient(f)",
    "make_jaxpr": "print(rt.function(f).get_concrete_function(x).graph)",
}
#: name -> what to write, and where
NAMES = {name: code for names, code in _NAMES.items() for name in names.split()}

_LEFT_OUT = {
    "static_argnums static_argnames": "what has to be known is a constant by itself",
    "donate_argnums": "arguments that the function writes are written in place",
    "parallel fastmath nogil cache inline autograph fullgraph": "there is no such choice",
}
_OPTIONS = {
    "jit jit_compile nopython backend": 'engine="native"',
    "experimental_relax_shapes dynamic": "reduce_retracing=True",
    "signature": 'input_signature=[rt.TensorSpec([None], "float64")]',
}
#: option of `rt.function` -> what to write in its place; nothing where it is to be left out
OPTIONS = {name: code for names, code in _OPTIONS.items() for name in names.split()}
OPTIONS |= dict.fromkeys(" ".join(_LEFT_OUT).split(), "")


def instead_of(name: str) -> str:
    """What an AttributeError about a name of ours adds."""
    code, where, _ = NAMES.get(name, "").partition(_IN_LOOPS)
    return f"; write `{code}`{where}" if code else ""


def unknown_option(name: str, known: Any) -> ArgumentError:
    """The error (not raised) for an option that `rt.function` has not."""
    why = next((reason for names, reason in _LEFT_OUT.items() if name in names.split()), None)
    if name in OPTIONS:
        hint = f"write {OPTIONS[name]}" if OPTIONS[name] else f"leave it out: {why}"
        return wrong_argument(f"rt.function has no option {name}=", hint, name)
    message = f"rt.function has no option {name}={did_you_mean(name, known)}"
    return wrong_argument(message, f"its options are {', '.join(known)}", name)
