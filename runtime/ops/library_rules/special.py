"""Derivatives of the functions of ``scipy.special``: Abramowitz and Stegun, and the DLMF."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime.ops.definition import as_written, none, refused, same_as
from runtime.ops.expressions import Expr, less, ops
from runtime.ops.library_calls import special
from runtime.ops.library_rules.table import rules

_BY_ORDER = refused("the derivative of a special function by its order")
_BY_PARAMETER = refused("the derivative of a special function by this parameter")
_SQRT_PI = math.sqrt(math.pi)


# -- error functions, logistic functions, entropies ----------------------------------------------------

rules(
    "scipy.special",
    erfi=lambda g, y, x: (g * (2 / _SQRT_PI) * ops.exp(x * x),),
    erfcx=lambda g, y, x: (g * (2 * x * y - 2 / _SQRT_PI),),
    dawsn=lambda g, y, x: (g * (1 - 2 * x * y),),
    wofz=lambda g, y, x: (g * (2j / _SQRT_PI - 2 * x * y),),
    erfinv=lambda g, y, x: (g * (_SQRT_PI / 2) * ops.exp(y * y),),
    erfcinv=lambda g, y, x: (g * (-_SQRT_PI / 2) * ops.exp(y * y),),
    ndtr=lambda g, y, x: (g * ops.exp(-0.5 * x * x) / math.sqrt(2 * math.pi),),
    log_ndtr=lambda g, y, x: (g * ops.exp(-0.5 * x * x - y) / math.sqrt(2 * math.pi),),
    ndtri=lambda g, y, x: (g * math.sqrt(2 * math.pi) * ops.exp(0.5 * y * y),),
    expit=lambda g, y, x: (g * y * (1 - y),),
    logit=lambda g, y, x: (g / (x * (1 - x)),),
    log_expit=lambda g, y, x: (g * special.expit(-x),),
    xlogy=lambda g, y, x, b: (g * ops.log(ops.where(x == 0, 1, b)), g * x / b),
    xlog1py=lambda g, y, x, b: (g * ops.log1p(ops.where(x == 0, 0, b)), g * x / (1 + b)),
    entr=lambda g, y, x: (-g * (ops.log(x) + 1),),
    rel_entr=lambda g, y, x, b: (g * (ops.log(x / b) + 1), -g * x / b),
    kl_div=lambda g, y, x, b: (g * ops.log(x / b), g * (1 - x / b)),
    huber=lambda g, y, delta, r: (
        g * ops.where(ops.absolute(r) <= delta, 0, ops.absolute(r) - delta),
        g * ops.clip(r, -delta, delta),
    ),
    pseudo_huber=as_written(lambda delta, r: delta * delta * (ops.sqrt(1 + ops.square(r / delta)) - 1)),
    **{name.rpartition(".")[2]: same_as(name) for name in "expm1 log1p cbrt exp2 math.erf math.erfc".split()},
    exp10=lambda g, y, x: (g * y * math.log(10),),
    cosm1=lambda g, y, x: (-g * ops.sin(x),),
    exprel=lambda g, y, x: (g * ops.where(x == 0, 0.5, (ops.exp(x) - y) / ops.where(x == 0, 1, x)),),
    boxcox=as_written(
        lambda x, power: ops.where(
            power == 0, ops.log(x), ops.expm1(power * ops.log(x)) / ops.where(power == 0, 1, power)
        )
    ),
)

# -- gamma, beta and zeta ------------------------------------------------------------------------------


def _beta_vjp(scale: Any) -> Any:
    return lambda g, y, a, b: (
        g * scale(y) * (special.psi(a) - special.psi(a + b)),
        g * scale(y) * (special.psi(b) - special.psi(a + b)),
    )


def _gammainc_vjp(sign: float) -> Any:
    return lambda g, y, a, x: (
        _BY_PARAMETER,
        g * sign * ops.exp(-x + (a - 1) * ops.log(x) - special.gammaln(a)),
    )


def _betainc_vjp(g: Expr, y: Expr, a: Expr, b: Expr, x: Expr) -> tuple[Any, ...]:
    density = ops.exp((a - 1) * ops.log(x) + (b - 1) * ops.log1p(-x) - special.betaln(a, b))
    return _BY_PARAMETER, _BY_PARAMETER, g * density


def _betaincinv_vjp(g: Expr, p: Expr, a: Expr, b: Expr, y: Expr) -> tuple[Any, ...]:
    *_, density = _betainc_vjp(g * 0 + 1, y, a, b, p)
    return _BY_PARAMETER, _BY_PARAMETER, g / density


def _gammaincinv_vjp(sign: float) -> Any:
    return lambda g, x, a, y: (
        _BY_PARAMETER,
        g * sign * ops.exp(x - (a - 1) * ops.log(x) + special.gammaln(a)),
    )


def _zeta(s: Any, q: Any) -> Any:
    return special.zeta(s, q, like=s + q)


def polygamma(n: Any, x: Any) -> Any:
    """ψ⁽ⁿ⁾(x) = (-1)ⁿ⁺¹ n! ζ(n + 1, x); ψ itself for n = 0."""
    if not isinstance(n, int) or n < 0:
        return refused("scipy.special.polygamma of an order that only a run knows")
    if n == 0:
        return special.psi(x)
    return (-1) ** (n + 1) * math.factorial(n) * _zeta(float(n + 1), x)


def _polygamma_vjp(g: Expr, y: Expr, n: Any, x: Expr) -> Any:
    if isinstance(n, np.integer):
        n = int(n)
    if not isinstance(n, int):
        return refused("scipy.special.polygamma of an order that only a run knows")
    return _BY_ORDER, g * polygamma(n + 1, x)


_FACTORIAL: Any = lambda g, y, x, **_: (g * y * special.psi(x + 1),)

rules(
    "scipy.special",
    gamma=lambda g, y, x: (g * y * special.psi(x),),
    gammaln=lambda g, y, x: (g * special.psi(x),),
    loggamma=lambda g, y, x: (g * special.psi(x),),
    rgamma=lambda g, y, x: (-g * y * special.psi(x),),
    gammasgn=none("a sign"),
    psi=lambda g, y, x: (g * polygamma(1, x),),
    zeta=lambda g, y, x, q: (_BY_PARAMETER, -g * x * _zeta(x + 1, q)),
    polygamma=_polygamma_vjp,
    beta=_beta_vjp(lambda y: y),
    betaln=_beta_vjp(lambda y: 1),
    binom=lambda g, y, n, k: (
        g * y * (special.psi(n + 1) - special.psi(n - k + 1)),
        g * y * (special.psi(n - k + 1) - special.psi(k + 1)),
    ),
    poch=lambda g, y, z, m: (g * y * (special.psi(z + m) - special.psi(z)), g * y * special.psi(z + m)),
    factorial=_FACTORIAL,
    gammainc=_gammainc_vjp(1.0),
    gammaincc=_gammainc_vjp(-1.0),
    gammaincinv=_gammaincinv_vjp(1.0),
    gammainccinv=_gammaincinv_vjp(-1.0),
    betainc=_betainc_vjp,
    betaincinv=_betaincinv_vjp,
)

# -- Bessel functions ----------------------------------------------------------------------------------


def _bessel(name: str, sign: float, scale: float = 0.5) -> Any:
    """2 J'ᵥ = Jᵥ₋₁ - Jᵥ₊₁, and the same with other signs for the others."""

    def vjp(g: Expr, y: Expr, v: Expr, z: Expr) -> tuple[Any, ...]:
        function = getattr(special, name)
        return _BY_ORDER, g * scale * (function(v - 1, z) + sign * function(v + 1, z))

    return vjp


rules(
    "scipy.special",
    j0=lambda g, y, x: (-g * special.j1(x),),
    j1=lambda g, y, x: (g * 0.5 * (special.j0(x) - special.jv(2.0, x)),),
    y0=lambda g, y, x: (-g * special.y1(x),),
    y1=lambda g, y, x: (g * 0.5 * (special.y0(x) - special.yv(2.0, x)),),
    i0=lambda g, y, x: (g * special.i1(x),),
    i1=lambda g, y, x: (g * 0.5 * (special.i0(x) + special.iv(2.0, x)),),
    i0e=lambda g, y, x: (g * (special.i1e(x) - ops.sign(x) * y),),
    i1e=lambda g, y, x: (g * (0.5 * (special.i0e(x) + special.ive(2.0, x)) - ops.sign(x) * y),),
    k0=lambda g, y, x: (-g * special.k1(x),),
    k1=lambda g, y, x: (-g * 0.5 * (special.k0(x) + special.kv(2.0, x)),),
    k0e=lambda g, y, x: (g * (y - special.k1e(x)),),
    k1e=lambda g, y, x: (g * (y - 0.5 * (special.k0e(x) + special.kve(2.0, x))),),
    jv=_bessel("jv", -1.0),
    yv=_bessel("yv", -1.0),
    iv=_bessel("iv", 1.0),
    kv=_bessel("kv", 1.0, -0.5),
    hankel1=_bessel("hankel1", -1.0),
    hankel2=_bessel("hankel2", -1.0),
    jve=lambda g, y, v, z: (
        _BY_ORDER,
        g * 0.5 * (special.jve(v - 1, z) - special.jve(v + 1, z)),
    ),
    ive=lambda g, y, v, z: (
        _BY_ORDER,
        g * (0.5 * (special.ive(v - 1, z) + special.ive(v + 1, z)) - ops.sign(z) * y),
    ),
    kve=lambda g, y, v, z: (
        _BY_ORDER,
        g * (y - 0.5 * (special.kve(v - 1, z) + special.kve(v + 1, z))),
    ),
)


def _airy_vjp(g: Any, y: Any, x: Expr) -> tuple[Any, ...]:
    """Ai'' = x Ai, and so is Bi."""
    ai, slope_a, bi, slope_b = y
    return (g[0] * slope_a + g[1] * x * ai + g[2] * slope_b + g[3] * x * bi,)


# -- integrals, and others -----------------------------------------------------------------------------


def _ellipk_vjp(g: Expr, y: Expr, m: Expr) -> tuple[Any, ...]:
    safe = ops.where(m == 0, 0.5, m)
    slope = (special.ellipe(safe) / (1 - safe) - special.ellipk(safe)) / (2 * safe)
    return (g * ops.where(m == 0, math.pi / 8, slope),)


def _ellipe_vjp(g: Expr, y: Expr, m: Expr) -> tuple[Any, ...]:
    safe = ops.where(m == 0, 0.5, m)
    slope = (special.ellipe(safe) - special.ellipk(safe)) / (2 * safe)
    return (g * ops.where(m == 0, -math.pi / 8, slope),)


def _lambertw_vjp(g: Expr, y: Expr, z: Expr, k: Any = 0, tol: Any = 1e-8) -> tuple[Any, ...]:
    return (g / (z + ops.exp(y)),)


rules(
    "scipy.special",
    airy=_airy_vjp,
    exp1=lambda g, y, x: (-g * ops.exp(-x) / x,),
    expi=lambda g, y, x: (g * ops.exp(x) / x,),
    expn=lambda g, y, n, x: (_BY_ORDER, -g * special.expn(n - 1, x)),
    sici=lambda g, y, x: (
        g[0] * ops.where(x == 0, 1, ops.sin(x) / ops.where(x == 0, 1, x)) + g[1] * ops.cos(x) / x,
    ),
    shichi=lambda g, y, x: (
        g[0] * ops.where(x == 0, 1, ops.sinh(x) / ops.where(x == 0, 1, x)) + g[1] * ops.cosh(x) / x,
    ),
    fresnel=lambda g, y, x: (g[0] * ops.sin(math.pi / 2 * x * x) + g[1] * ops.cos(math.pi / 2 * x * x),),
    ellipk=_ellipk_vjp,
    ellipe=_ellipe_vjp,
    spence=lambda g, y, x: (g * ops.where(x == 1, -1, ops.log(x) / ops.where(x == 1, 1, 1 - x)),),
    lambertw=_lambertw_vjp,
    wrightomega=lambda g, y, z: (g * y / (1 + y),),
    hyp0f1=lambda g, y, v, z: (_BY_PARAMETER, g * special.hyp0f1(v + 1, z) / v),
    hyp1f1=lambda g, y, a, b, z: (
        _BY_PARAMETER,
        _BY_PARAMETER,
        g * (a / b) * special.hyp1f1(a + 1, b + 1, z),
    ),
    hyp2f1=lambda g, y, a, b, c, z: (
        _BY_PARAMETER,
        _BY_PARAMETER,
        _BY_PARAMETER,
        g * (a * b / c) * special.hyp2f1(a + 1, b + 1, c + 1, z),
    ),
)

# -- over an axis --------------------------------------------------------------------------------------


def _softmax_vjp(g: Expr, y: Expr, x: Expr, axis: Any = None) -> tuple[Any, ...]:
    product = g * y
    return (product - y * ops.sum(product, axis=axis, keepdims=True),)


def _log_softmax_vjp(g: Expr, y: Expr, x: Expr, axis: Any = None) -> tuple[Any, ...]:
    return (g - ops.exp(y) * ops.sum(g, axis=axis, keepdims=True),)


def _logsumexp_vjp(
    g: Expr,
    y: Expr,
    a: Expr,
    axis: Any = None,
    b: Any = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Any:
    """Of all infinite items each one equal to the result has the same weight."""
    if return_sign or not isinstance(a, Expr):
        return refused("scipy.special.logsumexp with these arguments")
    if not keepdims and a.ndim:
        axes = range(a.ndim) if axis is None else [k % a.ndim for k in np.atleast_1d(axis)]
        index = tuple([None if k in axes else slice(None) for k in range(a.ndim)])
        g, y = g[index], y[index]
    weight = ops.exp(less(a, y))
    return (g * weight, None) if b is None else (g * weight * b, None, g * weight)


rules("scipy.special", softmax=_softmax_vjp, log_softmax=_log_softmax_vjp, logsumexp=_logsumexp_vjp)
