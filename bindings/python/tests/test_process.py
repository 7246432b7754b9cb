"""Around the calls: Ctrl-C, threads, forks, memory, the bar."""
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from surekrig import SureKrigRegressor, knn, krige_from, simulate

LONG = """
import numpy as np, surekrig, sys
random = np.random.default_rng(0)
X = random.random((20000, 2))
quick = dict(nu=0.9, rho=0.3, tau2=0.1, coverage=None, neighbors=50, batch=50)
job = sys.argv[1]
if job == "fit":
    model, call = surekrig.SureKrigRegressor(evaluations=100000, batch=20000), lambda: model.fit(X, X[:, 0])
else:
    model, points = surekrig.SureKrigRegressor(**quick).fit(X, X[:, 0]), random.random((20000000, 2))
    call = lambda: model.predict(points)
print("begun", flush=True)
try:
    call()
except KeyboardInterrupt:
    print("interrupted", flush=True)
assert surekrig.SureKrigRegressor(**quick).fit(X, X[:, 0]).predict(X[:3]).shape == (3,)
"""


@pytest.mark.parametrize("job", ["fit", "predict"])
def test_ctrl_c(job):
    process = subprocess.Popen([sys.executable, "-c", LONG, job], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    try:
        said, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert (said, errors, process.returncode) == ("interrupted\n", "", 0)
    assert time.monotonic() - sent < 10


def test_a_handler_of_the_users_stays(field, quick):
    mine = lambda *_: None
    before = signal.signal(signal.SIGINT, mine)
    try:
        SureKrigRegressor(**quick).fit(*field)
        assert signal.getsignal(signal.SIGINT) is mine
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_run_meanwhile():
    points, ticks = np.random.default_rng(0).random((3000, 2)), 0
    thread = threading.Thread(target=simulate, args=(points,), kwargs=dict(nu=0.9, rho=0.3))
    thread.start()
    while thread.is_alive():
        time.sleep(0.005)
        ticks += 1
    assert ticks > 10


def test_many_threads_ask_one_model(field, quick):
    model = SureKrigRegressor(n_jobs=1, **quick).fit(*field)
    expected, found = model.predict(field[0]), []
    threads = [threading.Thread(target=lambda: found.append(model.predict(field[0]))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all(np.array_equal(expected, one) for one in found)


def in_a_child(X, y, n_jobs, queue):
    krige_from(X, y, X, knn(X, k=20), nu=0.7, rho=0.3, tau2=0.01)
    queue.put(SureKrigRegressor(nu=1.5, rho=0.3, tau2=0.01, n_jobs=n_jobs).fit(X, y).predict(X))


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_fork_does_not_hang(field, n_jobs):
    expected = SureKrigRegressor(nu=1.5, rho=0.3, tau2=0.01, n_jobs=2).fit(*field).predict(field[0])
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_a_child, args=(*field, n_jobs, queue))
    child.start()
    try:
        assert np.array_equal(queue.get(timeout=30), expected)
    finally:
        child.kill()
        child.join()


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_memory_is_flat_under_a_thousand_fits_and_predictions(field, quick):
    X, y = field

    def many(count):
        for _ in range(count):
            model = SureKrigRegressor(n_jobs=1, neighbors=20, **quick).fit(X, y)
            model.predict(X, return_std=True)

    many(200)
    before = resident()
    many(1000)
    grown = resident() - before
    print(f"grown by {grown} bytes, the data have {X.nbytes + y.nbytes}")
    assert grown < 200 * (X.nbytes + y.nbytes)  # a fifth of what one lost copy a fit would be


def test_the_bar_only_when_asked(field, capfd):
    X, y = field
    SureKrigRegressor(nu=1.5, evaluations=5, polish=0).fit(X, y).predict(X)
    assert capfd.readouterr().err == ""
    SureKrigRegressor(verbose=True).fit(X, y).predict(np.random.default_rng(0).random((20000, 2)))
    said = capfd.readouterr().err
    assert "training [" in said and "prediction [" in said and "evaluations, objective" in said
