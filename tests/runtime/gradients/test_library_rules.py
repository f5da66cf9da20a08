"""The table of library functions against central differences: most through ``rt.grad``, as people call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import fft, integrate, linalg, ndimage, signal, special, stats
from scipy.spatial import distance

import runtime as rt
from runtime.ops.library_calls import LibraryFunction
from runtime.ops.template import Hole, Template
from runtime.types import type_of
from tests.long import some
from tests.runtime.gradients.differences import gradient
from tests.runtime.gradients.test_rules import Case, check_first_order, check_second_order

X = np.array([0.3, 0.8, 0.45, 0.9])
M = np.diag([2.0, 3.0, 4.0, 5.0]) + np.outer([0.3, 0.2, 0.4, 0.1], [0.5, 0.4, 0.3, 0.8])


def imag(z: Any) -> Any:
    return (-1j * z).real


def symmetric(x: Any) -> Any:
    return M + M.T + np.outer(x, x)


OF_ONE_NUMBER = (
    "erf erfc erfi erfcx dawsn erfinv erfcinv ndtr log_ndtr ndtri expit logit log_expit entr "
    "expm1 log1p cbrt exp2 exp10 cosm1 exprel gamma gammaln loggamma rgamma psi j0 j1 y0 y1 i0 "
    "i1 i0e i1e k0 k1 k0e k1e exp1 expi ellipk ellipe spence factorial"
).split()
SPECIAL: dict[str, Callable[..., Any]] = {
    "xlogy": lambda x: special.xlogy(x, x * x),
    "xlog1py": lambda x: special.xlog1py(x, x * x),
    "rel_entr": lambda x: special.rel_entr(x, x * x),
    "kl_div": lambda x: special.kl_div(x, x * x),
    "huber": lambda x: special.huber(0.5, x) + special.huber(x, 0.6),
    "pseudo_huber": lambda x: special.pseudo_huber(x, 1 + x),
    "boxcox": lambda x: special.boxcox(x, x + 1),
    "beta": lambda x: special.beta(x, 2 * x + 1),
    "betaln": lambda x: special.betaln(x, 2 * x + 1),
    "binom": lambda x: special.binom(3 + x, x),
    "poch": lambda x: special.poch(x, 1.5 + x),
    "zeta": lambda x: special.zeta(3.0, x),
    "polygamma": lambda x: special.polygamma(2, x),
    "gammainc": lambda x: special.gammainc(1.7, x),
    "gammaincc": lambda x: special.gammaincc(1.7, x),
    "gammaincinv": lambda x: special.gammaincinv(1.7, x),
    "gammainccinv": lambda x: special.gammainccinv(1.7, x),
    "betainc": lambda x: special.betainc(1.7, 2.2, x),
    "betaincinv": lambda x: special.betaincinv(1.7, 2.2, x),
    "jv": lambda x: special.jv(1.5, x),
    "yv": lambda x: special.yv(1.5, x),
    "iv": lambda x: special.iv(1.5, x),
    "kv": lambda x: special.kv(1.5, x),
    "jve": lambda x: special.jve(1.5, x),
    "ive": lambda x: special.ive(1.5, x),
    "kve": lambda x: special.kve(1.5, x),
    "airy": lambda x: special.airy(x)[1] + special.airy(x)[2],
    "expn": lambda x: special.expn(2, x),
    "sici": lambda x: special.sici(x)[0] + special.sici(x)[1],
    "shichi": lambda x: special.shichi(x)[0] * special.shichi(x)[1],
    "fresnel": lambda x: special.fresnel(x)[0] * special.fresnel(x)[1],
    "hyp0f1": lambda x: special.hyp0f1(1.5, x),
    "hyp1f1": lambda x: special.hyp1f1(0.5, 1.5, x),
    "hyp2f1": lambda x: special.hyp2f1(0.5, 1.5, 2.5, x / 2),
    "lambertw": lambda x: special.lambertw(x).real,
    "wofz": lambda x: special.wofz(x + 1j * x).real,
    "softmax": lambda x: special.softmax(np.outer(x, x), axis=1),
    "log_softmax": special.log_softmax,
    "logsumexp": lambda x: special.logsumexp(np.outer(x, x), axis=0, keepdims=True),
    "logsumexp b": lambda x: special.logsumexp(x, b=x * x),
    "logsumexp rows": lambda x: special.logsumexp(np.outer(x, x), axis=-1),
}
FOURIER: dict[str, Callable[..., Any]] = {
    "fft": lambda x: imag(np.fft.fft(x, 6, norm="ortho")),
    "fft cut": lambda x: np.abs(np.fft.fft(x, 3)),
    "ifft": lambda x: np.abs(np.fft.ifft(np.outer(x, x + 1j), axis=0)),
    "fft2": lambda x: np.abs(np.fft.fft2(np.outer(x, x), s=(3, 6))),
    "ifftn": lambda x: np.fft.ifftn(np.outer(x, x + 1j), norm="forward").real,
    "rfft": lambda x: np.abs(np.fft.rfft(x)),
    "rfft odd": lambda x: imag(np.fft.rfft(x, 5, norm="forward")),
    "irfft": lambda x: np.fft.irfft(x + 1j * x * x),
    "irfft odd": lambda x: np.fft.irfft(x + 1j * x * x, 5),
    "hfft": lambda x: np.fft.hfft(x + 1j * x * x),
    "ihfft": lambda x: imag(np.fft.ihfft(x)),
    "rfft2": lambda x: np.abs(np.fft.rfft2(np.outer(x, x * x))),
    "irfftn": lambda x: np.fft.irfftn(np.outer(x, x + 1j)),
    "fftshift": lambda x: np.fft.ifftshift(np.fft.fftshift(np.outer(x, x[:3]), axes=1)),
    "scipy.fft": lambda x: np.abs(fft.rfft(x)) + fft.fft(x, norm="ortho")[:3].real,
    "dct": lambda x: fft.idct(fft.dct(x, norm="ortho") ** 2, norm="ortho"),
    "dst": lambda x: fft.dst(x, type=3, norm="ortho"),
}
LINEAR_ALGEBRA: dict[str, Callable[..., Any]] = {
    "multi_dot": lambda x: np.linalg.multi_dot([M, np.outer(x, x), x]),
    "tensorsolve": lambda x: np.linalg.tensorsolve(M * x, x),
    "tensorinv": lambda x: np.linalg.tensorinv(M * x, ind=1),
    "vector_norm": lambda x: np.linalg.vector_norm(np.outer(x, x)),
    "matrix_norm": lambda x: np.linalg.matrix_norm(np.outer(x, x) + M, ord="nuc"),
    "trace": lambda x: np.linalg.trace(np.outer(x, x * x)),
    "eigvals": lambda x: imag(np.linalg.eigvals(M + 1j * np.outer(x, x))),
    "eig": lambda x: np.abs(np.linalg.eig(M + 1j * np.outer(x, x))[1]),
    "vecdot": lambda x: imag(np.linalg.vecdot(x + 1j, np.outer(x, x) + 1j * x)),
    "vecmat": lambda x: imag(np.vecmat(x + 1j * x, M + 1j * x)),
    "matvec": lambda x: np.matvec(M * x, x),
    "inv": lambda x: linalg.inv(M * x),
    "det": lambda x: linalg.det(M * x),
    "pinv": lambda x: linalg.pinv((M * x)[:3]),
    "solve": lambda x: linalg.solve(M * x, np.outer(x, x)),
    "solve_triangular": lambda x: linalg.solve_triangular(M * x, x, lower=True),
    "solve_triangular T": lambda x: linalg.solve_triangular(
        M * x, np.outer(x, x), trans=1, unit_diagonal=True
    ),
    "cholesky": lambda x: linalg.cholesky(symmetric(x)),
    "cho_solve": lambda x: linalg.cho_solve((linalg.cholesky(symmetric(x), lower=True), True), x),
    "cho_factor": lambda x: linalg.cho_solve(linalg.cho_factor(symmetric(x)), x),
    "expm": lambda x: linalg.expm(M * x / 5),
    "eigh": lambda x: linalg.eigh(symmetric(x), eigvals_only=True),
    "svd": lambda x: linalg.svd(M * x)[1],
    "svdvals": lambda x: linalg.svdvals(M * x),
    "qr": lambda x: linalg.qr(M * x, mode="economic")[1],
    "solve_sylvester": lambda x: linalg.solve_sylvester(M * x, M, np.outer(x, x)),
    "lyapunov": lambda x: linalg.solve_continuous_lyapunov(M * x, np.outer(x, x)),
    "norm": lambda x: linalg.norm(np.outer(x, x), 1),
    "block_diag": lambda x: linalg.block_diag(np.outer(x, x), x),
    "toeplitz": lambda x: linalg.toeplitz(x, x * x),
}
ARRAYS: dict[str, Callable[..., Any]] = {
    "trapezoid": lambda x: np.trapezoid(np.outer(x, x), x * x, axis=0),
    "cumulative_trapezoid": lambda x: integrate.cumulative_trapezoid(x, dx=0.5, initial=0),
    "simpson": lambda x: integrate.simpson(np.outer(x, x), x=np.cumsum(x), axis=0),
    "simpson odd": lambda x: integrate.simpson(np.outer(x, x)[:, :3], dx=0.5),
    "gradient": lambda x: np.gradient(x, x * x, edge_order=2),
    "gradient of rows": lambda x: np.gradient(np.outer(x, x), 0.5)[0],
    "diff": lambda x: np.diff(x, prepend=0.5, append=x[0]),
    "ediff1d": lambda x: np.ediff1d(x, to_end=x),
    "unwrap": lambda x: np.unwrap(8 * x),
    "sum where": lambda x: np.sum(np.outer(x, x), axis=0, where=x > 0.4, initial=2.0),
    "prod where": lambda x: np.prod(x, where=x > 0.4),
    "mean where": lambda x: np.mean(x, where=x > 0.4),
    "max initial": lambda x: np.max(x, initial=0.6),
    "average": lambda x: np.average(np.outer(x, x), axis=0, weights=x * x),
    "cumulative_sum": lambda x: np.cumulative_sum(x, include_initial=True),
    "sinc": np.sinc,
    "i0": np.i0,
    "angle": lambda x: np.angle(x + 1j * x * x, deg=True),
    "interp": lambda x: np.interp(2 * x, [0, 0.5, 1.0], [1.0, 2, 3], right=0.0),
    "block": lambda x: np.block([[np.outer(x, x), x[:, None]], [x, 1.0]]),
    "diagflat": lambda x: np.diagflat(x, 1),
    "delete": lambda x: np.delete(x, [0, 2]),
    "insert": lambda x: np.insert(x, 1, x[2] * 2),
    "insert several": lambda x: np.insert(np.outer(x, x), [0, 3], x[:, None], axis=1),
    "resize": lambda x: np.resize(x, (2, 3)),
    "vander": lambda x: np.vander(x, 3, increasing=True),
    "trim_zeros": lambda x: np.trim_zeros(np.where(x > 0.4, x, 0.0))[:2],
    "linspace": lambda x: np.linspace(x, x * x, 5),
    "einsum": lambda x: np.einsum("...i,ij->...j", np.outer(x, x), M),
    "correlate": lambda x: np.correlate(x, x[:2], "full"),
    "histogram": lambda x: np.histogram(np.arange(4.0), bins=3, weights=x)[0],
    "polyval": lambda x: np.polyval(x, x * x),
    "polyder": lambda x: np.polyint(np.polyder(x)),
    "polymul": lambda x: np.polyadd(np.polymul(x, x), x),
    "polyfit": lambda x: np.polyfit(np.arange(4.0), x, 2),
    "cov": lambda x: np.cov(np.outer(x, x) * M),
    "corrcoef": lambda x: np.corrcoef(x, x**3),
    "arange": lambda x: np.arange(x[0], 3 + x[1], x[2]),
}
SIGNALS: dict[str, Callable[..., Any]] = {
    "convolve": lambda x: signal.convolve(x, x[:3], mode="same"),
    "fftconvolve": lambda x: signal.fftconvolve(np.outer(x, x), M[:2, :2]),
    "convolve2d": lambda x: signal.convolve2d(np.outer(x, x), M[:2, :2], mode="valid"),
    "correlate": lambda x: imag(signal.correlate(x + 1j, x[:2] * 1j, mode="full")),
    "detrend": lambda x: signal.detrend(x * x),
    "ndimage.convolve": lambda x: ndimage.convolve(np.outer(x, x), M[:3, 1:]),
    "ndimage.correlate": lambda x: ndimage.correlate(x, np.array([1.0, 2.0, 5.0]), mode="mirror"),
    "gaussian_filter": lambda x: ndimage.gaussian_filter(np.outer(x, x * x), 1.5),
    "lfilter": lambda x: signal.lfilter(x[:2], 1 + x[2:], x),
}
DENSITIES: dict[str, Callable[..., Any]] = {
    "norm": lambda x: stats.norm.logpdf(x, x[0], scale=x[1]) + stats.norm.pdf(x),
    "norm.cdf": lambda x: stats.norm.cdf(x, loc=0.5) * stats.norm.logsf(x),
    "expon": lambda x: stats.expon.logpdf(x, scale=2.0) + stats.expon.cdf(x),
    "logistic": lambda x: stats.logistic.logpdf(x) + stats.cauchy.logpdf(x) + stats.laplace.pdf(x),
    "t": lambda x: stats.t.logpdf(x, 3.0 + x, 0.5, 2.0),
    "gamma": lambda x: stats.gamma.logpdf(x, 2.0 + x) + stats.gamma.cdf(x, 2.0),
    "beta": lambda x: stats.beta.logpdf(x, 2.0, 1 + x) + stats.beta.cdf(x, 2.0, 3.0),
    "chi2": lambda x: stats.chi2.logpdf(x, 3.0) + stats.uniform.logpdf(x),
    "lognorm": lambda x: stats.lognorm.logpdf(x, 0.5 + x) + stats.weibull_min.pdf(x, 1 + x),
    "counts": lambda x: stats.poisson.logpmf(3, x) + stats.binom.pmf(2, 5, x) + stats.bernoulli.logpmf(1, x),
    "multivariate_normal": lambda x: stats.multivariate_normal.logpdf(x, x * x, symmetric(x)),
    "cdist": lambda x: distance.cdist(np.outer(x, x), M) + distance.cdist(np.outer(x, x), M, "cityblock"),
    "pdist": lambda x: distance.pdist(np.outer(x, x * x)) * distance.euclidean(x, x * x),
}
CASES = [
    pytest.param(function, id=f"{subject}: {name}")
    for subject, cases in {
        "special": SPECIAL, "fft": FOURIER, "linalg": LINEAR_ALGEBRA, "arrays": ARRAYS, "signal": SIGNALS,
        "stats": DENSITIES,
    }.items()
    for name, function in cases.items()
]  # fmt: skip


def weights(of: Any) -> Any:
    """All different, so that a wrong place shows."""
    return np.cos(np.arange(np.size(of)) + 0.5).reshape(np.shape(of))


@pytest.mark.parametrize("name", some(OF_ONE_NUMBER))
def test_special_functions_of_one_number(name: str) -> None:
    """The operation alone, to second order."""
    attributes = {
        "function": LibraryFunction(getattr(special, name)),
        "template": Template(((Hole(0),), {})),
        "outputs": (type_of(X),),
    }
    case = Case("call", [X.copy()], attributes)
    check_first_order(case)
    check_second_order(case)


@pytest.mark.parametrize("function", some(CASES, 3))
def test_the_rule_against_central_differences(function: Callable[..., Any]) -> None:
    w = weights(function(X))

    def weighted(x: Any) -> Any:
        return (function(x) * w).sum()

    found = rt.grad(weighted)(X.copy())
    np.testing.assert_allclose(found, gradient(weighted, [X.copy()]), rtol=1e-5, atol=1e-7)


SECOND = (
    SPECIAL["jv"], SPECIAL["logsumexp"], FOURIER["rfft"],
    FOURIER["irfft odd"], LINEAR_ALGEBRA["expm"], ARRAYS["trapezoid"],
    ARRAYS["cov"], SIGNALS["convolve"],
)  # fmt: skip


@pytest.mark.parametrize("function", some(SECOND))
def test_to_second_order(function: Callable[..., Any]) -> None:
    w, along = weights(function(X)), np.array([0.5, -1.0, 0.25, 0.75])

    def weighted(x: Any) -> Any:
        return (function(x) * w).sum()

    first = rt.grad(weighted)

    def slope(x: Any) -> Any:
        return (first(x) * along).sum()

    found = rt.hvp(weighted, (X.copy(),), (along,))
    np.testing.assert_allclose(found, gradient(slope, [X.copy()]), rtol=1e-4, atol=1e-6)


def test_what_nobody_has_written_is_refused_by_name() -> None:
    with pytest.raises(Exception, match=r"nobody has written the derivative of scipy\.special\.ellipkinc"):
        rt.grad(lambda x: special.ellipkinc(x, 0.5).sum())(X)
    with pytest.raises(Exception, match="the derivative of a special function by its order"):
        rt.grad(lambda v: special.jv(v, X).sum())(1.5)
    assert np.isfinite(rt.grad(lambda x, v: special.jv(v, x).sum())(X, 1.5)).all()


def test_a_rule_that_needs_other_arguments_says_so() -> None:
    with pytest.raises(Exception, match="with an assumed structure"):
        rt.grad(lambda x: linalg.solve(symmetric(x), x, assume_a="pos").sum())(X)
