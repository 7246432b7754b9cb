"""The plain functions, against formulas written out in NumPy and SciPy."""
import math
import tracemalloc

import numpy as np
import pytest
from scipy import special, stats

import surekrig
from surekrig import SureKrigRegressor, calibration, knn, krige_from, matern, scores, simulate


def correlation(distance, nu, rho=1.0):
    u = np.sqrt(2 * nu) * np.maximum(distance / rho, 1e-9)
    return np.where(distance == 0, 1, 2 ** (1 - nu) / special.gamma(nu) * u**nu * special.kv(nu, u))


def distances(a, b):
    return np.sqrt(((a[:, None] - b[None]) ** 2).sum(-1))


@pytest.mark.parametrize("nu", [0.3, 0.5, 1.0, 2.4])
def test_matern(nu):
    u = np.linspace(0.01, 5, 60).reshape(3, 20)
    assert np.allclose(matern(u, nu), correlation(u / np.sqrt(2 * nu), nu), rtol=1e-12)
    assert np.allclose(matern(u, nu) + matern(u, nu, complement=True), 1, rtol=1e-15)
    assert matern(0.0, nu) == 1 and matern(1.0, nu).shape == ()
    with pytest.raises(ValueError, match="nu"):
        matern(u, -1)


def test_knn():
    random = np.random.default_rng(0)
    data, points = random.random((200, 3)), random.random((30, 3))
    away = distances(points, data)
    assert np.array_equal(knn(data, points, k=7), np.argsort(away, axis=1)[:, :7])
    assert np.array_equal(knn(data, k=1)[:, 0], np.argmin(distances(data, data) + np.eye(200) * 9, axis=1))
    allowed = np.where(away < 0.3, np.inf, away)
    assert np.array_equal(knn(data, points, k=4, min_distance=0.3), np.argsort(allowed, axis=1)[:, :4])
    group, own = np.arange(200) % 3, np.arange(30) % 3
    allowed = np.where(group[None] == own[:, None], np.inf, away)
    assert np.array_equal(knn(data, points, k=4, group=group, own_group=own), np.argsort(allowed, axis=1)[:, :4])
    assert np.array_equal(knn(data[:3], data[:1], k=3, min_distance=1e-9)[0][2:], [-1])
    for wrong, sentence in ((dict(k=0), "k = 0 is not possible"), (dict(k=2, group=group), "go together"),
                            (dict(k=2, group=group, own_group=[1]), "own_group has the shape"),
                            (dict(points=data[:, :2]), r"points has the shape \(200, 2\)")):
        with pytest.raises(ValueError, match=sentence):
            knn(data, **{"points": points, **wrong})


NOT_WHOLE = ([0.2, 1, 2], [np.inf, 1, 2], np.array([2**64 - 1, 1, 2], dtype=np.uint64), [2.0**63, 1, 2], [2**70, 1, 2],
             ["one", "1", "2"], np.array(["2024-01-01"] * 3, dtype="datetime64[D]"), [None, 1, 2], [1j, 1, 2])


@pytest.mark.parametrize("wrong", NOT_WHOLE)
def test_numbers_that_are_not_whole_are_refused_by_name(wrong):
    x, whole = np.arange(3.0)[:, None], [0, 1, 2]
    for name, call in (
        ("group", lambda: knn(x, x, k=2, group=wrong, own_group=whole)),
        ("own_group", lambda: knn(x, x, k=2, group=whole, own_group=wrong)),
        ("neighbors", lambda: krige_from(x, x[:, 0], x, np.reshape(wrong, (3, 1)), nu=0.5, rho=1.0)),
    ):
        with pytest.raises(ValueError, match=f"^{name} holds .*: whole numbers from -2\\*\\*63 to 2\\*\\*63 - 1 are needed"):
            call()


def test_whole_numbers_in_other_clothes():
    x, whole = np.arange(4.0)[:, None], np.array([0, 1, 1, 0])
    wanted = knn(x, x, k=2, group=whole, own_group=whole)
    for same in (whole == 1, whole.astype(np.uint64), whole.astype(np.float16), whole.astype(object), [0.0, 1, True, False]):
        assert np.array_equal(knn(x, x, k=2.0, group=same, own_group=same, threads=np.int8(1)), wanted)
    assert knn(x, x, k=1, group=[2.0**62] * 4, own_group=[2**62] * 4).max() == -1


def test_counts_that_cannot_be_are_refused_by_name(field, quick):
    X, y = field
    model = SureKrigRegressor(**quick).fit(X, y)
    theta = dict(nu=0.5, rho=1.0)
    for name, call in (
        ("k", lambda value: knn(X, k=value)), ("threads", lambda value: knn(X, k=1, threads=value)),
        ("threads", lambda value: simulate(X, threads=value, **theta)), ("seed", lambda value: simulate(X, seed=value, **theta)),
        ("blocks", lambda value: surekrig.cv(model, blocks=value)), ("rows", lambda value: surekrig.cv(model, rows=value)),
        ("n_samples", lambda value: model.sample_y(X, value)),
    ):
        for wrong in (2**64 + 3, -1, 2.5, np.nan, np.inf, "3", None, [3]):
            with pytest.raises(ValueError, match=f"^{name} = .* is not possible: it takes a whole number from [01] to [0-9]+$"):
                call(wrong)
    for wrong in (dict(threads=2**33), dict(threads=-3), dict(threads=2.5), dict(n_jobs=2**33)):
        with pytest.raises(ValueError, match="threads = .* is not possible: it takes 1 to 4096, or auto"):
            SureKrigRegressor(**quick).fit(X, y).set_params(**wrong).predict(X)


def test_krige_of_two_responses_with_noise_and_two_terms():
    random = np.random.default_rng(1)
    data, points = random.random((50, 2)), random.random((6, 2))
    y, noise = random.random((50, 2)), random.random(50)
    near = knn(data, points, k=12)

    def covariance(a, b):
        d = distances(a, b)
        return 2.0 * (0.3 * correlation(d, 0.7, 0.1) + 0.7 * correlation(d, 1.5, 0.6))

    for s, responses in ((None, y), (noise, y[:, 0])):
        mean, variance = krige_from(data, responses, points, near, nu=(0.7, 1.5), rho=(0.1, 0.6), weight=(0.3, 0.7), tau2=0.1,
                               gamma2=2.0, noise=s)
        for i, rows in enumerate(near):
            K = covariance(data[rows], data[rows]) + np.diag(0.2 + (np.zeros(12) if s is None else s[rows]))
            cross = covariance(data[rows], points[[i]])[:, 0]
            weights = np.linalg.solve(K, cross)
            assert np.allclose(mean[i], weights @ responses[rows], atol=1e-10)
            assert np.isclose(variance[i], 2.0 - weights @ cross, atol=1e-10)
    cut = near.copy()
    cut[:, 5:] = -1
    assert np.allclose(krige_from(data, y, points, cut, nu=1.0, rho=0.2)[0], krige_from(data, y, points, near[:, :5], nu=1.0, rho=0.2)[0])
    for wrong, sentence in ((dict(neighbors=near[:2]), "neighbors of shape"), (dict(neighbors=near[:, :0]), "0 neighbours"),
                            (dict(neighbors=near + 50), "of 50 rows"),
                            (dict(nu=[]), r"nu has the shape \(0,\): one number is needed"), (dict(nu=[[1.0]]), "nu has the shape"),
                            (dict(rho=(1, 2, 3)), r"rho of shape \(3,\): 1 terms in 2 dimensions"),
                            (dict(noise=[1.0]), r"noise has the shape \(1,\)"), (dict(backend="slow"), "no back end 'slow'")):
        with pytest.raises(ValueError, match=sentence):
            krige_from(data, y[:, 0], points, **{**dict(neighbors=near, nu=1.0, rho=0.2), **wrong})


@pytest.mark.parametrize("status, kind", [("INVALID", ValueError), ("DATA", ValueError), ("MEMORY", MemoryError),
                                          ("FILE", OSError), ("NUMERIC", np.linalg.LinAlgError), ("STOPPED", KeyboardInterrupt)])
def test_every_failure_is_one_of_pythons(status, kind):
    def fails(error):
        error.sentence = "3 Grüße: why".encode()
        return getattr(surekrig._header, "SUREKRIG_" + status)

    with pytest.raises(kind, match="3 Grüße: why"):
        surekrig._library.call(fails)


def test_simulate_has_the_covariance_asked():
    draws = np.array([simulate(grid=6, upper=2.0, nu=1.5, rho=0.7, gamma2=3.0, seed=seed) for seed in range(2000)])
    x = np.linspace(0, 2, 6)[:, None]
    assert np.abs(draws.T @ draws / 2000 - 3 * correlation(distances(x, x), 1.5, 0.7)).max() < 0.35
    scattered = simulate(x, nu=1.5, rho=0.7, seed=1)
    assert scattered.shape == (6,) and not np.array_equal(scattered, simulate(x, nu=1.5, rho=0.7, seed=2))
    for wrong, sentence in ((dict(grid=(2, 2, 2, 2)), "two or three axes"), (dict(), "either points or a grid"),
                            (dict(grid=0), "grid, axis 1 = 0 is not possible: it takes a whole number from 1"),
                            (dict(grid=(3, -1)), "grid, axis 2 = -1 is not possible"), (dict(grid=2.5), "grid, axis 1 = 2.5"),
                            (dict(grid=()), "two or three axes"), (dict(grid=4, nu=[]), "nu has the shape"),
                            (dict(grid=4, tau2=-1), "tau2"), (dict(grid=4, seed=-1), "seed = -1 is not possible")):
        with pytest.raises(ValueError, match=sentence):
            simulate(**{"nu": 1.5, "rho": 0.7, **wrong})


def test_scores_and_calibration():
    random = np.random.default_rng(4)
    y, mean, sd = random.standard_normal(300), random.standard_normal(300) / 2, random.random(300) + 0.5
    made, z = scores(y, mean, sd, level=0.9), (y - mean) / sd
    edge = stats.norm.ppf(0.95)
    assert made["n"] == 300 and made["level"] == 0.9
    assert made["mae"] == pytest.approx(np.abs(y - mean).mean())
    assert made["rmse"] == pytest.approx(np.sqrt(((y - mean) ** 2).mean()))
    assert made["cov"] == pytest.approx(np.mean(np.abs(z) < edge))
    crps = sd * (z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z) - 1 / math.sqrt(math.pi))
    assert made["crps"] == pytest.approx(crps.mean())
    assert made["logdensity"] == pytest.approx(stats.norm.logpdf(y, mean, sd).mean())
    levels = np.linspace(0.1, 0.9, 5)
    assert np.allclose(calibration(y, mean, sd, levels), [np.mean(np.abs(z) < stats.norm.ppf((1 + a) / 2)) for a in levels])
    with pytest.raises(ValueError, match=r"shapes differ: y \(300,\), mean \(1,\)"):
        scores(y, mean[:1], sd)


def test_settings_is_the_commands_table():
    assert surekrig.settings()["nu"].sentence.startswith("Smoothness of the Matérn kernel")


def test_arrays_are_not_copied():
    """What NumPy allocates in a call is no more than its results; Fortran order does need a copy, so this can fail."""
    x = np.random.default_rng(0).random((200_000, 4))
    model = SureKrigRegressor(nu=0.5, rho=0.3, tau2=0.1, coverage=None, neighbors=2, batch=50).fit(x[:2000], x[:2000, 0])

    def peak(call):
        tracemalloc.start()
        call()
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    y = np.ascontiguousarray(x[:, 0])
    quick = dict(nu=0.5, rho=0.3, tau2=0.1, coverage=None, neighbors=2, batch=50)
    assert peak(lambda: model.predict(x)) < 1.2 * 8 * len(x)
    assert peak(lambda: SureKrigRegressor(**quick).fit(x, y)) < 0.3 * x.nbytes
    assert peak(lambda: matern(x, 0.5)) < 1.1 * x.nbytes
    assert peak(lambda: knn(x, x[:10], k=2)) < 0.1 * x.nbytes
    assert peak(lambda: model.predict(np.asfortranarray(x))) > x.nbytes
