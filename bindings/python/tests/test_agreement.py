"""The same numbers as the command, to the bit, and as others' Gaussian processes."""
import subprocess

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern

import surekrig
from surekrig import SureKrigRegressor, knn, krige_from


def run(*arguments):
    subprocess.run([str(argument) for argument in arguments], check=True, capture_output=True)


@pytest.mark.parametrize("options", [{}, {"loss": "mse", "coverage": "0.8,0.95", "anisotropic": "yes", "seed": 9}])
def test_the_command_to_the_bit(command, tmp_path, options):
    train, test, model, out = (tmp_path / name for name in ("train.csv", "test.csv", "model", "out.csv"))
    run(command, "simulate", "--grid", "40x40", "--nu", 0.8, "--rho", 0.3, "--tau2", 0.01, "-o", train, "--holdout", test)
    run(command, "fit", train, "-o", model, "-q", *(f"--{name}={value}" for name, value in options.items()))
    run(command, "predict", model, test, "-o", out, "--level", 0.9, "-q")
    points, held_out = (np.loadtxt(path, delimiter=",", skiprows=1) for path in (train, test))
    theirs = np.loadtxt(out, delimiter=",", skiprows=1)
    made = SureKrigRegressor(**options).fit(points[:, :-1], points[:, -1])
    for ours in (made, surekrig.load(model)):
        mean, sd = ours.predict(held_out[:, :-1], return_std=True)
        lower, upper = ours.predict_interval(held_out[:, :-1], 0.9)
        assert np.array_equal(np.column_stack([held_out[:, :-1], mean, sd, lower, upper]), theirs)
    assert made.estimates_ == surekrig.load(model).estimates_ and made.coverage_ == surekrig.load(model).coverage_
    ours = surekrig.scores(held_out[:, -1], theirs[:, 2], theirs[:, 3])
    said = subprocess.run([command, "score", out, test, "--json"], check=True, capture_output=True, text=True).stdout
    assert f'"crps": {ours["crps"]!r}' in said


@pytest.mark.parametrize("grid", [(30, 20), (7, 6, 5)])
def test_the_command_simulates_the_same(command, tmp_path, grid):
    size = "x".join(map(str, grid))
    run(command, "simulate", "--grid", size, "--nu", 0.8, "--rho", 0.3, "--seed", 5, "-o", tmp_path / "out.csv")
    theirs = np.loadtxt(tmp_path / "out.csv", delimiter=",", skiprows=1)[:, -1].reshape(grid)
    assert np.array_equal(surekrig.simulate(grid=grid, nu=0.8, rho=0.3, seed=5), theirs)


def test_the_command_draws_the_same(command, tmp_path):
    train, test, model, out = (tmp_path / name for name in ("train.csv", "test.csv", "model", "out.csv"))
    run(command, "simulate", "--grid", "30x20", "--nu", 0.8, "--rho", 0.3, "--tau2", 0.01, "-o", train, "--holdout", test)
    run(command, "fit", train, "-o", model, "-q", "--nu", 0.8, "--rho", 0.3, "--tau2", 0.01, "--coverage", "none", "--mean", "local")
    run(command, "simulate", "--given", model, test, "--draws", 3, "--seed", 5, "-o", out)
    theirs, places = (np.loadtxt(path, delimiter=",", skiprows=1) for path in (out, test))
    ours = surekrig.load(model)
    draws = ours.sample_y(places[:, :2], 3, random_state=5)
    assert draws.shape == (len(places), 3) and np.array_equal(draws, theirs[:, 2:])
    assert np.array_equal(ours.sample_y(places[:, :2], random_state=5), draws[:, :1])
    many = ours.sample_y(places[:, :2], 2000)
    mean, sd = ours.predict(places[:, :2], return_std=True)
    assert np.all(np.abs(many.mean(axis=1) - mean) < 5 * sd / np.sqrt(2000))
    assert np.all(np.abs(many.std(axis=1) / sd - 1) < 5 / np.sqrt(4000) + 0.02)
    with pytest.raises(ValueError, match="n_samples = 0"):
        ours.sample_y(places[:, :2], 0)


def test_draws_of_several_responses():
    random = np.random.default_rng(3)
    X = random.random((200, 2))
    y = np.column_stack([np.sin(5 * X[:, 0]), 10 * X[:, 1] + random.standard_normal(200)])
    model = SureKrigRegressor(nu=0.8, rho=0.3, tau2=0.1, coverage=None).fit(X, y)
    draws = model.sample_y(X[:20], 500, random_state=np.random.RandomState(1))
    assert draws.shape == (20, 2, 500)
    mean, sd = model.predict(X[:20], return_std=True)
    assert np.all(np.abs(draws.mean(axis=2) - mean) < 5 * sd / np.sqrt(500))


def test_conformal_intervals_are_the_commands(command, tmp_path):
    train, test, model, out = (tmp_path / name for name in ("train.csv", "test.csv", "model", "out.csv"))
    run(command, "simulate", "--grid", "30x20", "--nu", 0.8, "--rho", 0.3, "--tau2", 0.01, "-o", train, "--holdout", test)
    run(command, "fit", train, "-o", model, "-q", "--nu", 0.8, "--rho", 0.3, "--tau2", 0.01, "--coverage", "none", "--batch", 100,
        "--interval", "conformal")
    run(command, "predict", model, test, "-o", out, "-q")
    theirs = np.loadtxt(out, delimiter=",", skiprows=1)
    lower, upper = surekrig.load(model).predict_interval(theirs[:, :2])
    assert np.array_equal(np.column_stack([lower, upper]), theirs[:, 4:])
    assert not np.allclose(upper - lower, 2 * 1.959964 * theirs[:, 3])


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5, np.inf, 0.37, 1.9])
def test_muygpys(nu):
    """Means and variances with given hyperparameters and neighbours."""
    pytest.importorskip("MuyGPyS", reason="MuyGPyS is not installed")
    from MuyGPyS.gp import MuyGPS
    from MuyGPyS.gp.deformation import F2, Isotropy, l2
    from MuyGPyS.gp.hyperparameter import FixedScale, Parameter
    from MuyGPyS.gp.kernels import RBF
    from MuyGPyS.gp.kernels import Matern as TheirMatern
    from MuyGPyS.gp.noise import HomoscedasticNoise

    random = np.random.default_rng(1)
    data, points = random.random((400, 2)), random.random((60, 2))
    y, rho, tau2 = np.sin(5 * data[:, 0]) + data[:, 1], 0.3, 1e-2
    near = knn(data, points, k=25)
    kernel = (RBF(deformation=Isotropy(F2, length_scale=Parameter(rho))) if np.isinf(nu) else
              TheirMatern(smoothness=Parameter(nu), deformation=Isotropy(l2, length_scale=Parameter(rho))))
    theirs = MuyGPS(kernel=kernel, noise=HomoscedasticNoise(tau2), scale=FixedScale())
    cross, pair, targets = theirs.make_predict_tensors(np.arange(60), near, points, data, y)
    covariance, with_point = theirs.kernel(pair), theirs.kernel(cross)
    mean, variance = krige_from(data, y, points, near, nu=nu, rho=rho, tau2=tau2)
    assert np.allclose(mean, np.ravel(theirs.posterior_mean(covariance, with_point, targets)), rtol=0, atol=1e-9)
    assert np.allclose(variance, np.ravel(theirs.posterior_variance(covariance, with_point)), rtol=0, atol=1e-9)


def exact(X, y, at, nu, rho, tau2, gamma2):
    gp = GaussianProcessRegressor(gamma2 * Matern(rho, nu=nu), alpha=tau2 * gamma2, optimizer=None).fit(X, y)
    return gp.predict(at, return_std=True)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5, np.inf, 0.8])
def test_the_exact_gaussian_process(nu):
    """Each point from the n - 1 others: scikit-learn's, fitted without it."""
    random = np.random.default_rng(2)
    X = random.random((40, 3))
    y, rho, tau2, gamma2 = X.sum(1) + 0.1 * random.standard_normal(40), np.array([0.4, 0.8, 1.2]), 0.02, 2.5
    mean, variance = krige_from(X, y, X, knn(X, k=39), nu=nu, rho=rho, tau2=tau2, gamma2=gamma2)
    rest = [np.arange(40) != i for i in range(40)]
    theirs = [exact(X[others], y[others], X[[i]], nu, rho, tau2, gamma2) for i, others in enumerate(rest)]
    assert np.allclose(mean, [m[0] for m, _ in theirs], rtol=0, atol=1e-9)
    assert np.allclose(np.sqrt(variance), [s[0] for _, s in theirs], rtol=0, atol=1e-8)


def test_the_estimator_is_the_exact_gaussian_process(field):
    """With one point far away, the n - 1 neighbours of the others' places are all but that one."""
    X, y = field[0][:60], field[1][:60]
    far, own = np.vstack([X, [[50.0, 50.0]]]), np.hstack([y, 0.0])
    model = SureKrigRegressor(nu=1.5, rho=0.4, tau2=0.02, gamma2=1.7, mean="zero", neighbors=60, coverage=None).fit(far, own)
    at = np.random.default_rng(3).random((20, 2))
    mean, sd = exact(X, y, at, 1.5, 0.4, 0.02, 1.7)
    ours = model.predict(at, return_std=True, latent=True)
    assert np.allclose(ours[0], mean, rtol=0, atol=1e-9) and np.allclose(ours[1], sd, rtol=0, atol=1e-9)
    assert np.allclose(model.predict(at, return_std=True)[1], np.sqrt(sd**2 + 0.02 * 1.7), rtol=0, atol=1e-9)
