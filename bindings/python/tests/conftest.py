"""What the tests share. SUREKRIG_COMMAND names the command they compare with."""
import os

os.environ["SCIPY_ARRAY_API"] = "1"  # without it scikit-learn skips one of its checks

import numpy as np  # noqa: E402
import pytest  # noqa: E402


def pytest_configure(config):
    """Small sets are warned of; test_notes.py looks at that."""
    config.addinivalue_line("filterwarnings", "ignore::surekrig.SureKrigWarning")


@pytest.fixture(scope="session")
def command():
    path = os.environ.get("SUREKRIG_COMMAND")
    if not path:
        pytest.skip("SUREKRIG_COMMAND does not name the command to compare with")
    return path


@pytest.fixture(scope="session")
def field():
    """300 points of a smooth function in the plane with a little noise."""
    random = np.random.default_rng(5)
    X = random.random((300, 2))
    return X, np.sin(6 * X[:, 0]) * np.cos(4 * X[:, 1]) + 0.05 * random.standard_normal(300)


@pytest.fixture
def quick():
    """Keywords of a fit that trains nothing."""
    return dict(nu=1.5, rho=0.3, tau2=0.01, coverage=None)
