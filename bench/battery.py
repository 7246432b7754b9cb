"""battery.py [OPTION]...: ways of fitting beside each other on many data sets, and what each costs where another is best.
scripts/battery runs it and says how it is called."""
import argparse
import csv
import fnmatch
import hashlib
import itertools
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import battery_sets

# Options of 'surekrig fit' by name. TARGETS stands for the file of places where predictions will be wanted.
CANDIDATES = {
    "default": "",
    "coverage": "--preset coverage",
    "constant": "--mean constant",
    "nearest": "--sectors no",
    "100": "--neighbors 100",
    "gaussian": "--interval gaussian --coverage none",
    "global": "--variance global",
    "lool": "--loss lool",
    "bayes": "--optimizer bayes",
    "auto": "--auto",
    "targets": "--targets TARGETS",
    "targets-gaps": "--targets TARGETS --preset gaps",
    "targets-auto": "--targets TARGETS --auto",
}
QUICK = 2000  # points at most of --quick
PEERS = ("gstat", "MuyGPyS", "exact GP")
TRUTH = "truth"  # the parameters that made a set, where these are known
EXACT = 1000  # points at most of the exact process: its cost goes with the cube
ODD = .8  # a coverage below it, where 0.95 was asked, is named on the page
SCORES = ("rmse", "cov", "crps", "int")
FIELDS = ("set", "d", "n", "draw", "held_out", "data", "candidate", "options", "binary", *SCORES, "fit_s", "predict_s", "said")
KEY = ("set", "n", "draw", "held_out", "data", "candidate", "options", "binary")
HERE = Path(__file__).parent


def tell(sentence):
    print(sentence, file=sys.stderr, flush=True)


# ---- what is asked


def arguments():
    # The head of scripts/battery is the help.
    ask = argparse.ArgumentParser(prog="battery", add_help=False, allow_abbrev=False)
    ask.add_argument("--quick", action="store_true")
    ask.add_argument("--size", type=int, default=0)
    ask.add_argument("--sets", default="*")
    ask.add_argument("--only")
    ask.add_argument("--candidate", action="append", default=[])
    ask.add_argument("--surekrig", default="build/release/surekrig")
    ask.add_argument("--peers", action="store_true")
    ask.add_argument("--truth", action="store_true")
    ask.add_argument("--draws", type=int, default=1)
    ask.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    ask.add_argument("--fresh", action="store_true")
    ask.add_argument("--report", action="store_true")
    ask.add_argument("--folder", type=Path, default=Path("build/battery"))
    return ask.parse_args()


def chosen_candidates(asked):
    """By name: the binary and its options. The words before = are NAME or NAME@BINARY."""
    known = dict(CANDIDATES)
    if asked.only is not None:
        names = [name for name in asked.only.split(",") if name]
        for name in names:
            if name not in known:
                sys.exit(f"no candidate is called '{name}'; there are {', '.join(known)}, and --candidate NAME=OPTIONS for others")
        known = {name: known[name] for name in names}
    chosen = {name: (asked.surekrig, options) for name, options in known.items()}
    for words in asked.candidate:
        name, equals, options = words.partition("=")
        if not equals or not name:
            sys.exit(f"--candidate '{words}': NAME=OPTIONS is wanted, such as \"few=--neighbors 20\"")
        name, _, binary = name.partition("@")
        chosen[name] = (binary or asked.surekrig, options)
    return chosen


def chosen_sets(asked):
    """Name, points and maker. A star says: in --quick too."""
    size = asked.size or (QUICK if asked.quick else 0)
    for name, n, make in battery_sets.SETS:
        if asked.quick and not name.startswith("*"):
            continue
        name = name.lstrip("*")
        if any(fnmatch.fnmatch(name, pattern) for pattern in asked.sets.split(",")):
            yield name, min(n, size or n), make


# ---- data, made once


def digest(*paths):
    return hashlib.sha256(b"".join(Path(path).read_bytes() for path in paths)).hexdigest()[:12]


def write_table(path, header, rows):
    part = path.with_suffix(".part")
    np.savetxt(part, rows, delimiter=",", header=",".join(header), comments="", fmt="%.9g")
    part.rename(path)


def data_folder(within, name, n, draw):
    return within / "data" / f"{name}-{n}-{draw}"


def prepared(within, name, n, make, draw):
    """The set's hold-outs: of each the files of training and test points, their digest, and how many features and rows they have."""
    folder = data_folder(within, name, n, draw)
    done, by = folder / "done", digest(battery_sets.__file__)
    made = json.loads(done.read_text()) if done.exists() else {}
    if made.get("by") != by:  # data of other sources may be others
        folder.mkdir(parents=True, exist_ok=True)
        made = {"by": by, "held_out": {}}
        for kind, train, test in battery_sets.splits(name, n, make, draw):
            d = train.shape[1] - 1
            files = {part: folder / f"{kind}-{part}.csv" for part in ("train", "test")}
            for part, rows in (("train", train), ("test", test)):
                write_table(files[part], [*battery_sets.columns(name, d), "y"], rows)
            made["held_out"][kind] = {"d": d, "rows": len(train), "digest": digest(*files.values())}
        done.write_text(json.dumps(made))
    return {kind: {**what, "train": folder / f"{kind}-train.csv", "test": folder / f"{kind}-test.csv"}
            for kind, what in made["held_out"].items()}


# ---- one run


class Failed(Exception):
    pass


def run(words, work):
    """What it prints, the seconds of processor time, which other work on the machine hardly changes, and what it warns of."""
    with open(work / "printed", "w+") as printed, open(work / "said", "w+") as said:
        process = subprocess.Popen([str(word) for word in words], stdout=printed, stderr=said, env={**os.environ, **ONE_THREAD})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        said.seek(0)
        if process.returncode:
            raise Failed(f"status {process.returncode}: {(said.read().strip().splitlines() or ['nothing said'])[-1]}")
        return printed.read(), usage.ru_utime + usage.ru_stime, said.read()


ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


def peer_command(name, data, out):
    if name == "exact GP":
        return [sys.executable, HERE / "peers/exact.py", data["train"], data["test"], out]
    if name == "MuyGPyS":
        return ["env", "MUYGPYS_BACKEND=numpy", "build/battery/venv/bin/python", HERE / "peers/muygpys.py", data["train"], data["test"], out]
    # A variogram as far as twice the neighbourhoods reach, in shares of the longest side.
    reach = min(1 / 3, max(1 / 20, 2 * (50 / data["rows"]) ** (1 / data["d"]) / 2))
    return ["Rscript", HERE / "peers/gstat.R", data["train"], data["test"], out, "3", reach]


def fitted(job, data, work):
    """Scores as JSON, seconds of the fit and of the prediction (a peer's are together), what was said."""
    if job["binary"] == "-":
        _, fit, _ = run(peer_command(job["candidate"], data, work / "out.csv"), work)
        scores, _, _ = run([job["path"], "score", work / "out.csv", data["test"], "--json"], work)
        return json.loads(scores), fit, 0.0, ""
    options = [data["test"] if word == "TARGETS" else word for word in shlex.split(job["options"])]
    _, fit, said = run([job["path"], "fit", data["train"], "-o", work / "model", "-q", *options], work)
    scores, predict, more = run([job["path"], "score", work / "model", data["test"], "--json"], work)
    return json.loads(scores), fit, predict, " ".join((said + more).split())


def row_of(job, data):
    row = {**{name: job[name] for name in KEY}, "d": data["d"]}
    try:
        with tempfile.TemporaryDirectory() as work:
            scores, fit, predict, said = fitted(job, data, Path(work))
        row.update({name: scores[name] for name in SCORES}, fit_s=round(fit, 3), predict_s=round(predict, 3), said=said)
        if not all(isinstance(row[name], (int, float)) and math.isfinite(row[name]) for name in SCORES):
            raise Failed("its scores are not finite")
    except (Failed, ValueError) as why:
        row.update(dict.fromkeys(SCORES, ""), fit_s="", predict_s="", said=f"failed, {why}")
    return row


# ---- all runs


def fits(peer, d, n):
    return {"gstat": d in (2, 3), "MuyGPyS": True, "exact GP": n <= EXACT}[peer]


def listed_jobs(asked):
    """What is to be known: a job, and its data."""
    candidates = chosen_candidates(asked)
    for path in {path for path, _ in candidates.values()}:
        if not os.access(path, os.X_OK):
            sys.exit(f"cannot run {path}: build it, or name another by --surekrig")
    binaries = {path: digest(path) for path, _ in candidates.values()}
    for draw, (name, n, make) in itertools.product(range(1, asked.draws + 1), chosen_sets(asked)):
        for kind, data in prepared(asked.folder, name, n, make, draw).items():
            place = {"set": name, "n": n, "draw": draw, "held_out": kind, "data": data["digest"]}
            for candidate, (path, options) in candidates.items():
                yield {**place, "candidate": candidate, "options": options, "binary": binaries[path], "path": path}, data
            if asked.truth and hasattr(make, "truth"):
                yield {**place, "candidate": TRUTH, "options": make.truth, "binary": digest(asked.surekrig), "path": asked.surekrig}, data
            for peer in PEERS if asked.peers else ():
                if fits(peer, data["d"], n):
                    yield {**place, "candidate": peer, "options": "", "binary": "-", "path": asked.surekrig}, data


def key(row):
    return tuple(str(row[name]) for name in KEY)


def read_results(path):
    if not path.exists():
        return {}
    with open(path, newline="") as file:
        return {key(row): row for row in csv.DictReader(file)}


def all_results(asked):
    """The rows of all jobs: those of the file, and for the others runs, which are added to it one by one."""
    path = asked.folder / "results.csv"
    asked.folder.mkdir(parents=True, exist_ok=True)
    jobs = list(listed_jobs(asked))
    known = {} if asked.fresh else read_results(path)
    scored = {key for key, row in known.items() if row["crps"] != ""}  # what failed may have been interrupted
    open_jobs = [] if asked.report else [(job, data) for job, data in jobs if key(job) not in scored]
    new = not path.exists()
    lock, done = threading.Lock(), 0
    with open(path, "a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if new:
            writer.writeheader()

        def one(job, data):
            nonlocal done
            row = row_of(job, data)
            with lock:
                writer.writerow(row)
                file.flush()
                known[key(job)] = {name: str(value) for name, value in row.items()}
                done += 1
                where = f"{row['set']}, {row['held_out']}, {row['candidate']}"
                tell(f"{done}/{len(open_jobs)} {where}: " + (row["said"] if row["crps"] == "" else f"CRPS {row['crps']:.4g}, COV {row['cov']:.3f}"))

        with ThreadPoolExecutor(asked.jobs) as pool:
            try:
                for result in [pool.submit(one, *job) for job in open_jobs]:
                    result.result()
            except KeyboardInterrupt:
                pool.shutdown(cancel_futures=True)
                sys.exit("interrupted; the same call goes on from here")
    return [known[key(job)] for job, _ in jobs if key(job) in known]


# ---- the page


def grouped(rows, *names):
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def averaged(draws):
    """One row of means for the draws of one set, hold-out and candidate; no scores where one of them failed."""
    means = {name: "" if any(row[name] == "" for row in draws) else statistics.fmean(float(row[name]) for row in draws)
             for name in (*SCORES, "fit_s", "predict_s")}
    return {**draws[0], **means}


def regrets(places):
    """Adds to each row that has scores, in percent, how much more than the least of its place it has."""
    for there in places.values():
        good = [row for row in there if row["crps"] != ""]
        for score in ("crps", "int", "rmse"):
            least = min((row[score] for row in good), default=0)
            for row in good:
                row[f"{score}_regret"] = 100 * (row[score] / least - 1) if least > 0 else 0.0


def summary_row(name, rows):
    good = [row for row in rows if row["crps"] != ""]
    if not good:
        return math.inf, f"| {name} |" + " |" * 10 + f" {len(rows)} |"
    mean = {score: statistics.fmean(row[f"{score}_regret"] for row in good) for score in ("crps", "int", "rmse")}
    worst = {score: max(row[f"{score}_regret"] for row in good) for score in mean}
    covs = [row["cov"] for row in good]
    cells = [f"{value[score]:.1f}" for score in mean for value in (mean, worst)]
    cells += [f"{statistics.fmean(covs):.3f}", f"{max(covs, key=lambda c: abs(c - .95)):.3f}"]
    cells += [f"{100 * statistics.fmean(abs(c - .95) <= .02 for c in covs):.0f} %"]
    cells += [f"{statistics.fmean(row['fit_s'] + row['predict_s'] for row in good):.2f}"]
    return mean["crps"], f"| {name} | {' | '.join(cells)} | {len(rows) - len(good) or ''} |"


def summary(rows):
    return [line for _, line in sorted(summary_row(name, group) for (name,), group in grouped(rows, "candidate").items())]


def place_row(name, kind, there, first):
    good = [row for row in there if row["crps"] != ""]
    if not good:
        return f"| {name} | | | {kind} |" + " |" * 5
    best = min(good, key=lambda row: row["crps"])
    cells = [name, best["d"], f"{int(best['n']):,}", kind, best["candidate"], f"{best['crps']:.3g}", f"{best['cov']:.3f}"]
    mine = next((row for row in good if row["candidate"] == first), None)
    cells += [f"{mine['crps_regret']:.1f}", f"{mine['cov']:.3f}"] if mine else ["", ""]
    return f"| {' | '.join(map(str, cells))} |"


def odd_line(row, folder):
    """What is odd about a run, and the command that makes it again."""
    place = data_folder(folder, row["set"], row["n"], row["draw"]) / row["held_out"]
    options = row["options"].replace("TARGETS", f"{place}-test.csv")
    again = "" if row["binary"] == "-" else f": `surekrig fit {place}-train.csv -o m {options} && surekrig score m {place}-test.csv`"
    return f"- {row['set']}, {row['held_out']}, {row['candidate']}, " + (row["said"] or f"COV {float(row['cov']):.3f}") + again


def page(rows, draws, folder):
    first = rows[0]["candidate"]
    means = [averaged(group) for group in grouped(rows, "set", "held_out", "candidate").values()]
    places = grouped(means, "set", "held_out")
    regrets(places)
    known = {place for place, there in places.items() if any(row["candidate"] == TRUTH for row in there)}
    lines = [f"{len(grouped(means, 'set'))} sets, {len(places)} with their hold-outs; {draws} draw{'s' if draws > 1 else ''} of each; regrets in %.", "",
             "| candidate | CRPS, mean | worst | INT, mean | worst | RMSE, mean | worst | COV, mean | farthest | within .02 | seconds | failed |",
             "| --- |" + " ---: |" * 11]
    lines += summary([row for row in means if row["candidate"] != TRUTH])
    if known:
        lines += ["", f"The {len(known)} of them whose parameters are known, beside these parameters:", "", *lines[2:4]]
        lines += summary([row for row in means if (row["set"], row["held_out"]) in known])
    lines += ["", f"| set | features | points | left out | best | its CRPS | its COV | regret of {first} | its COV |",
              "| --- | ---: | ---: | --- | --- | ---: | ---: | ---: | ---: |"]
    lines += [place_row(name, kind, there, first) for (name, kind), there in places.items()]
    odd = [odd_line(row, folder) for row in rows if row["said"] or float(row["cov"]) < ODD]
    return "\n".join(lines + (["", f"Runs that failed, warned, or have a coverage below {ODD}:", ""] + odd if odd else [])) + "\n"


def main():
    asked = arguments()
    rows = all_results(asked)
    if not rows:
        sys.exit(f"no data set is like '{asked.sets}', or nothing has been run")
    text = page(rows, asked.draws, asked.folder)
    (asked.folder / "battery.md").write_text(text)
    print(text, end="")
    tell(f"{asked.folder}/results.csv has every run, {asked.folder}/battery.md this page")


if __name__ == "__main__":
    main()
