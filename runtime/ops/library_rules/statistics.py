"""Derivatives of statistics: covariances, densities of ``scipy.stats``, and distances."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops.definition import NoDerivative, as_written, refused
from runtime.ops.expressions import ops
from runtime.ops.library_calls import special
from runtime.ops.library_rules.arrays import beside
from runtime.ops.library_rules.table import rules


def _cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None) -> Any:
    m, y = [x if x is None or x.ndim == 2 else x[None, :] for x in beside(m, y)]
    if not rowvar and m.shape[0] != 1:
        m = m.T
    if y is not None:
        m = ops.concatenate(m, y.T if not rowvar and y.shape[0] != 1 else y, axis=0)
    centred = m - ops.mean(m, axis=1, keepdims=True)
    ddof = (0 if bias else 1) if ddof is None else ddof
    return _squeezed((centred @ centred.mH) / (m.length(1) - ddof))


def _squeezed(found: Any) -> Any:
    """A single variance is a number."""
    return found[0, 0] if found.shape == (1, 1) else found


def _corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    covariance = _cov(x, y, rowvar)
    if not covariance.ndim:
        return covariance / covariance
    deviations = ops.sqrt(ops.real(ops.diagonal(covariance)))
    return covariance / deviations[:, None] / deviations[None, :]


rules("numpy", cov=as_written(_cov), corrcoef=as_written(_corrcoef))


# -- scipy.stats -------------------------------------------------------------------------------------------


def _density(of: Callable[..., Any], shapes: int, result: str) -> Any:
    """``logpdf``, and what follows from it, of a standard density ``of(z, *shapes)`` by its logarithm."""

    def call(x: Any, *given: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
        rest = given[shapes:]
        if len(given) < shapes or len(rest) > 2:
            return refused("a distribution with its parameters by name")
        loc, scale = [*rest, loc, scale][:2] if len(rest) == 2 else [*rest, scale] if rest else [loc, scale]
        x, loc, scale, *parameters = beside(x, loc, scale, *given[:shapes])
        z = (x - loc) / scale
        found = of(z, *parameters)
        if result == "logpdf":
            return found - ops.log(scale)
        if result == "pdf":
            return ops.exp(found) / scale
        return ops.exp(found) if result == "pmf" else found

    return as_written(call)


def _enter(name: str, log_density: Callable[..., Any], shapes: int = 0, **others: Callable[..., Any]) -> None:
    named = {
        f"{name}.logpdf": _density(log_density, shapes, "logpdf"),
        f"{name}.pdf": _density(log_density, shapes, "pdf"),
    }
    named |= {f"{name}.{other}": _density(of, shapes, other) for other, of in others.items()}
    rules("scipy.stats", **named)


_enter(
    "norm",
    lambda z: -0.5 * ops.square(z) - 0.5 * math.log(2 * math.pi),
    cdf=lambda z: special.ndtr(z),
    logcdf=lambda z: special.log_ndtr(z),
    sf=lambda z: special.ndtr(-z),
    logsf=lambda z: special.log_ndtr(-z),
)
_enter(
    "expon",
    lambda z: ops.where(z < 0, -math.inf, -z),
    cdf=lambda z: ops.where(z < 0, 0, -ops.expm1(-ops.where(z < 0, 0, z))),
    sf=lambda z: ops.where(z < 0, 1, ops.exp(-ops.where(z < 0, 0, z))),
)
_enter(
    "cauchy",
    lambda z: -ops.log1p(ops.square(z)) - math.log(math.pi),
    cdf=lambda z: 0.5 + ops.arctan(z) / math.pi,
)
_enter(
    "logistic",
    lambda z: -z + 2 * special.log_expit(z),
    cdf=lambda z: special.expit(z),
    logcdf=lambda z: special.log_expit(z),
)
_enter("laplace", lambda z: -ops.absolute(z) - math.log(2))
_enter(
    "t",
    lambda z, df: (
        special.gammaln((df + 1) / 2)
        - special.gammaln(df / 2)
        - 0.5 * ops.log(df * math.pi)
        - (df + 1) / 2 * ops.log1p(ops.square(z) / df)
    ),
    shapes=1,
)
_enter(
    "gamma",
    lambda z, a: special.xlogy(a - 1, z) - z - special.gammaln(a),
    shapes=1,
    cdf=lambda z, a: special.gammainc(a, z),
    sf=lambda z, a: special.gammaincc(a, z),
)
_enter(
    "beta",
    lambda z, a, b: special.xlogy(a - 1, z) + special.xlog1py(b - 1, -z) - special.betaln(a, b),
    shapes=2,
    cdf=lambda z, a, b: special.betainc(a, b, z),
)
_enter("uniform", lambda z: ops.where((z >= 0) & (z <= 1), 0 * z, -math.inf))
_enter(
    "chi2",
    lambda z, df: special.xlogy(df / 2 - 1, z) - z / 2 - special.gammaln(df / 2) - df / 2 * math.log(2),
    shapes=1,
)
_enter(
    "lognorm",
    lambda z, s: -ops.square(ops.log(z) / s) / 2 - ops.log(s * z) - 0.5 * math.log(2 * math.pi),
    shapes=1,
)
_enter("weibull_min", lambda z, c: ops.log(c) + special.xlogy(c - 1, z) - z**c, shapes=1)


def _enter_counts(name: str, log_mass: Callable[..., Any], shapes: int) -> None:
    """Distributions of whole numbers, which have no scale."""
    rules(
        "scipy.stats",
        **{
            f"{name}.logpmf": _density(log_mass, shapes, "logpmf"),
            f"{name}.pmf": _density(log_mass, shapes, "pmf"),
        },
    )


_enter_counts("poisson", lambda k, mu: special.xlogy(k, mu) - special.gammaln(k + 1) - mu, shapes=1)
_enter_counts("bernoulli", lambda k, p: special.xlogy(k, p) + special.xlog1py(1 - k, -p), shapes=1)
_enter_counts(
    "binom",
    lambda k, n, p: (
        special.gammaln(n + 1)
        - special.gammaln(k + 1)
        - special.gammaln(n - k + 1)
        + special.xlogy(k, p)
        + special.xlog1py(n - k, -p)
    ),
    shapes=2,
)


def _normal_logpdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
    x, mean, cov = beside(x, 0.0 if mean is None else mean, cov)
    if allow_singular or cov.ndim != 2 or not x.ndim:
        return refused("scipy.stats.multivariate_normal of a covariance that is no regular matrix")
    difference = x - mean
    scaled = ops.linalg.solve(cov, difference[..., None])[..., 0]
    _, log_determinant = ops.linalg.slogdet(cov)
    squares = ops.sum(difference * scaled, axis=-1)
    return -0.5 * (cov.length(0) * math.log(2 * math.pi) + log_determinant + squares)


def _normal_pdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False) -> Any:
    found = _normal_logpdf(x, mean, cov, allow_singular)
    return found if isinstance(found, NoDerivative) else ops.exp(found)


rules(
    "scipy.stats",
    **{
        "multivariate_normal.logpdf": as_written(_normal_logpdf),
        "multivariate_normal.pdf": as_written(_normal_pdf),
    },
)


# -- scipy.spatial.distance --------------------------------------------------------------------------------


def _lengths(difference: Any, metric: Any) -> Any:
    if metric == "sqeuclidean":
        return ops.sum(ops.square(difference), axis=-1)
    if metric == "euclidean":
        return ops.linalg.norm(difference, axis=-1)
    if metric == "cityblock":
        return ops.sum(ops.absolute(difference), axis=-1)
    if metric == "chebyshev":
        return ops.max(ops.absolute(difference), axis=-1)
    return refused(f"distances by {metric!r}")


def _cdist(XA: Any, XB: Any, metric: Any = "euclidean") -> Any:
    a, b = beside(XA, XB)
    return _lengths(a[:, None, :] - b[None, :, :], metric)


def _pdist(X: Any, metric: Any = "euclidean") -> Any:
    n = X.length(0)
    if not isinstance(n, int):
        return refused("scipy.spatial.distance.pdist of a number of points that only a run knows")
    first, second = (X.of(k) for k in np.triu_indices(n, 1))
    return _lengths(X[first] - X[second], metric)


def _distance(metric: str) -> Any:
    def distance(u: Any, v: Any) -> Any:
        u, v = beside(u, v)
        return _lengths(u - v, metric)

    return as_written(distance)


rules(
    "scipy.spatial.distance",
    cdist=as_written(_cdist),
    pdist=as_written(_pdist),
    euclidean=_distance("euclidean"),
    sqeuclidean=_distance("sqeuclidean"),
    cityblock=_distance("cityblock"),
    chebyshev=_distance("chebyshev"),
)
