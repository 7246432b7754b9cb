# Made by scripts/pages from include/surekrig.h: do not edit.
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int64,
                    c_uint64, c_void_p)
from typing import Any, Dict, List, Optional, Tuple


SUREKRIG_OK = 0
SUREKRIG_INVALID = 1
SUREKRIG_DATA = 2
SUREKRIG_MEMORY = 3
SUREKRIG_FILE = 4
SUREKRIG_NUMERIC = 5
SUREKRIG_STOPPED = 6
surekrig_status = {0: 'ok', 1: 'invalid', 2: 'data', 3: 'memory', 4: 'file', 5: 'numeric', 6: 'stopped'}


class surekrig_error(Structure):
    status: int
    sentence: bytes
    _fields_ = [
        ("status", c_int),
        ("sentence", c_char * 512),
    ]


class surekrig_progress_report(Structure):
    phase: Optional[bytes]
    done: float
    evaluations: int
    objective: float
    coverage: float
    _fields_ = [
        ("phase", c_char_p),
        ("done", c_double),
        ("evaluations", c_int64),
        ("objective", c_double),
        ("coverage", c_double),
    ]


class surekrig_progress(Structure):
    report: Any
    user: Any
    _fields_ = [
        ("report", CFUNCTYPE(c_int, c_void_p, POINTER(surekrig_progress_report))),
        ("user", c_void_p),
    ]


class surekrig_setting(Structure):
    name: Optional[bytes]
    fallback: Optional[bytes]
    takes: Optional[bytes]
    sentence: Optional[bytes]
    _fields_ = [
        ("name", c_char_p),
        ("fallback", c_char_p),
        ("takes", c_char_p),
        ("sentence", c_char_p),
    ]


class surekrig_data(Structure):
    n: int
    d: int
    l: int
    x: Any
    y: Any
    noise: Any
    x_names: Any
    y_names: Any
    targets: int
    target: Any
    group: Any
    ranks: Any
    _fields_ = [
        ("n", c_int64),
        ("d", c_int64),
        ("l", c_int64),
        ("x", c_void_p),
        ("y", c_void_p),
        ("noise", c_void_p),
        ("x_names", POINTER(c_char_p)),
        ("y_names", POINTER(c_char_p)),
        ("targets", c_int64),
        ("target", c_void_p),
        ("group", c_void_p),
        ("ranks", c_void_p),
    ]


class surekrig_query(Structure):
    n: int
    x: Any
    latent: int
    threads: int
    noise: Any
    levels: int
    level: Any
    apart: int
    _fields_ = [
        ("n", c_int64),
        ("x", c_void_p),
        ("latent", c_int),
        ("threads", c_int),
        ("noise", c_void_p),
        ("levels", c_int),
        ("level", c_void_p),
        ("apart", c_int),
    ]


class surekrig_prediction(Structure):
    mean: Any
    sd: Any
    jittered: int
    max_jitter: float
    lower: Any
    upper: Any
    beyond: int
    _fields_ = [
        ("mean", c_void_p),
        ("sd", c_void_p),
        ("jittered", c_int64),
        ("max_jitter", c_double),
        ("lower", c_void_p),
        ("upper", c_void_p),
        ("beyond", c_int64),
    ]


class surekrig_validation(Structure):
    blocks: int
    rows: int
    seed: int
    threads: int
    levels: int
    level: Any
    by: Optional[bytes]
    after: Any
    group: Any
    _fields_ = [
        ("blocks", c_int64),
        ("rows", c_int64),
        ("seed", c_uint64),
        ("threads", c_int),
        ("levels", c_int),
        ("level", c_void_p),
        ("by", c_char_p),
        ("after", c_void_p),
        ("group", c_void_p),
    ]


class surekrig_validated(Structure):
    row: Any
    mean: Any
    sd: Any
    distance: Any
    jittered: int
    max_jitter: float
    lower: Any
    upper: Any
    count: int
    x: Any
    y: Any
    _fields_ = [
        ("row", c_void_p),
        ("mean", c_void_p),
        ("sd", c_void_p),
        ("distance", c_void_p),
        ("jittered", c_int64),
        ("max_jitter", c_double),
        ("lower", c_void_p),
        ("upper", c_void_p),
        ("count", c_int64),
        ("x", c_void_p),
        ("y", c_void_p),
    ]


class surekrig_scores(Structure):
    n: int
    mae: float
    rmse: float
    cov: float
    crps: float
    interval: float
    logdensity: float
    level: float
    _fields_ = [
        ("n", c_int64),
        ("mae", c_double),
        ("rmse", c_double),
        ("cov", c_double),
        ("crps", c_double),
        ("interval", c_double),
        ("logdensity", c_double),
        ("level", c_double),
    ]


class surekrig_scored(Structure):
    n: int
    y: Any
    mean: Any
    sd: Any
    quantile: float
    lower: Any
    upper: Any
    ranks: Any
    _fields_ = [
        ("n", c_int64),
        ("y", c_void_p),
        ("mean", c_void_p),
        ("sd", c_void_p),
        ("quantile", c_double),
        ("lower", c_void_p),
        ("upper", c_void_p),
        ("ranks", c_void_p),
    ]


class surekrig_class(Structure):
    to: float
    sd: float
    scores: surekrig_scores
    _fields_ = [
        ("from", c_double),
        ("to", c_double),
        ("sd", c_double),
        ("scores", surekrig_scores),
    ]


class surekrig_by_distance(Structure):
    all: surekrig_scores
    classes: int
    of: Any
    _fields_ = [
        ("all", surekrig_scores),
        ("classes", c_int),
        ("of", surekrig_class * 6),
    ]


SUREKRIG_CONVERGED = 0
SUREKRIG_COVERAGE_NOT_MET = 1
SUREKRIG_BUDGET_SPENT = 2
SUREKRIG_STOPPED_EARLY = 3
SUREKRIG_NOT_TRAINED = 4
surekrig_outcome = {0: 'converged', 1: 'coverage_not_met', 2: 'budget_spent', 3: 'stopped_early', 4: 'not_trained'}


SUREKRIG_BOUND_LOWER = -1
SUREKRIG_BOUND_NONE = 0
SUREKRIG_BOUND_UPPER = 1
surekrig_bound = {-1: 'lower', 0: 'none', 1: 'upper'}


class surekrig_estimate(Structure):
    name: bytes
    value: float
    lower: float
    upper: float
    at_bound: int
    as_good: Any
    _fields_ = [
        ("name", c_char * 72),
        ("value", c_double),
        ("lower", c_double),
        ("upper", c_double),
        ("at_bound", c_int),
        ("as_good", c_double * 2),
    ]


class surekrig_round(Structure):
    beta: float
    coverage: Any
    theta: Any
    loss: float
    objective: float
    evaluations: int
    _fields_ = [
        ("lambda", c_void_p),
        ("beta", c_double),
        ("coverage", c_void_p),
        ("theta", c_void_p),
        ("loss", c_double),
        ("objective", c_double),
        ("evaluations", c_int64),
    ]


class surekrig_phase(Structure):
    name: Optional[bytes]
    seconds: float
    _fields_ = [
        ("name", c_char_p),
        ("seconds", c_double),
    ]


class surekrig_trial(Structure):
    what: bytes
    crps: float
    error: float
    seconds: float
    kept: int
    _fields_ = [
        ("what", c_char * 48),
        ("crps", c_double),
        ("error", c_double),
        ("seconds", c_double),
        ("kept", c_int),
    ]


SUREKRIG_HOLDOUT_NONE = 0
SUREKRIG_HOLDOUT_NEAREST = 1
SUREKRIG_HOLDOUT_TRANSPLANT = 2
SUREKRIG_HOLDOUT_DISTANCE = 3
SUREKRIG_HOLDOUT_THINNED = 4
SUREKRIG_HOLDOUT_SIMILAR = 5
SUREKRIG_HOLDOUT_TASK = 6
SUREKRIG_HOLDOUT_GROUP = 7
surekrig_holdout = {0: 'none', 1: 'nearest', 2: 'transplant', 3: 'distance', 4: 'thinned', 5: 'similar', 6: 'task', 7: 'group'}


class surekrig_info(Structure):
    version: Optional[bytes]
    n: int
    d: int
    l: int
    neighbors: int
    batch: int
    box: Any
    x_names: Any
    y_names: Any
    noise: int
    estimates: int
    estimate: Any
    partner_estimates: int
    partner_estimate: Any
    outcome: int
    loss: float
    levels: int
    level: Any
    coverage: Any
    rounds: int
    round: Any
    evaluations: int
    history: Any
    jittered: int
    max_jitter: float
    scores: surekrig_scores
    held_out: surekrig_scores
    holdout: int
    accepted: float
    trials: int
    trial: Any
    phases: int
    phase: Any
    settings: Any
    recall: float
    shared_rows: int
    shared_places: int
    within_sd: Any
    seen_share: float
    margin: surekrig_scores
    beside: float
    held_out_each: Any
    freedom: int
    part: int
    fitted_metric: int
    lattice: Any
    _fields_ = [
        ("version", c_char_p),
        ("n", c_int64),
        ("d", c_int64),
        ("l", c_int64),
        ("neighbors", c_int64),
        ("batch", c_int64),
        ("box", c_void_p),
        ("x_names", POINTER(c_char_p)),
        ("y_names", POINTER(c_char_p)),
        ("noise", c_int),
        ("estimates", c_int),
        ("estimate", POINTER(surekrig_estimate)),
        ("partner_estimates", c_int),
        ("partner_estimate", POINTER(surekrig_estimate)),
        ("outcome", c_int),
        ("loss", c_double),
        ("levels", c_int),
        ("level", c_void_p),
        ("coverage", c_void_p),
        ("rounds", c_int),
        ("round", POINTER(surekrig_round)),
        ("evaluations", c_int64),
        ("history", c_void_p),
        ("jittered", c_int64),
        ("max_jitter", c_double),
        ("scores", surekrig_scores),
        ("held_out", surekrig_scores),
        ("holdout", c_int),
        ("accepted", c_double),
        ("trials", c_int),
        ("trial", POINTER(surekrig_trial)),
        ("phases", c_int),
        ("phase", POINTER(surekrig_phase)),
        ("settings", c_void_p),
        ("recall", c_double),
        ("shared_rows", c_int64),
        ("shared_places", c_int64),
        ("within_sd", c_void_p),
        ("seen_share", c_double),
        ("margin", surekrig_scores),
        ("beside", c_double),
        ("held_out_each", POINTER(surekrig_scores)),
        ("freedom", c_int64),
        ("part", c_int64),
        ("fitted_metric", c_int),
        ("lattice", c_void_p),
    ]


class surekrig_sphere(Structure):
    turn: Any
    _fields_ = [
        ("turn", c_double * 9),
    ]


class surekrig_term(Structure):
    weight: float
    nu: float
    rho: Any
    kernel: Optional[bytes]
    _fields_ = [
        ("weight", c_double),
        ("nu", c_double),
        ("rho", c_void_p),
        ("kernel", c_char_p),
    ]


class surekrig_theta(Structure):
    terms: int
    term: Any
    tau2: float
    gamma2: float
    unknown_mean: int
    product: int
    mix: float
    _fields_ = [
        ("terms", c_int),
        ("term", POINTER(surekrig_term)),
        ("tau2", c_double),
        ("gamma2", c_double),
        ("unknown_mean", c_int),
        ("product", c_int),
        ("mix", c_double),
    ]


class surekrig_neighbor_query(Structure):
    n: int
    x: Any
    k: int
    row: Any
    min_distance: float
    group: Any
    own_group: Any
    threads: int
    sectors: int
    slack: float
    _fields_ = [
        ("n", c_int64),
        ("x", c_void_p),
        ("k", c_int64),
        ("row", c_void_p),
        ("min_distance", c_double),
        ("group", c_void_p),
        ("own_group", c_void_p),
        ("threads", c_int),
        ("sectors", c_int),
        ("slack", c_double),
    ]


class surekrig_neighborhoods(Structure):
    n: int
    k: int
    neighbor: Any
    count: Any
    x: Any
    _fields_ = [
        ("n", c_int64),
        ("k", c_int64),
        ("neighbor", c_void_p),
        ("count", c_void_p),
        ("x", c_void_p),
    ]


class surekrig_kriged(Structure):
    mean: Any
    variance: Any
    jitter: Any
    scale: Any
    _fields_ = [
        ("mean", c_void_p),
        ("variance", c_void_p),
        ("jitter", c_void_p),
        ("scale", c_void_p),
    ]


class surekrig_residuals(Structure):
    n: int
    residual: Any
    variance: Any
    _fields_ = [
        ("n", c_int64),
        ("residual", c_void_p),
        ("variance", c_void_p),
    ]


class surekrig_axis(Structure):
    lower: float
    upper: float
    start: float
    log: int
    _fields_ = [
        ("lower", c_double),
        ("upper", c_double),
        ("start", c_double),
        ("log", c_int),
    ]


class surekrig_problem(Structure):
    axes: int
    axis: Any
    constraints: int
    evaluate: Any
    user: Any
    _fields_ = [
        ("axes", c_int),
        ("axis", POINTER(surekrig_axis)),
        ("constraints", c_int),
        ("evaluate", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p)),
        ("user", c_void_p),
    ]


class surekrig_minimum(Structure):
    theta: Any
    residual: Any
    loss: float
    evaluations: int
    outcome: int
    _fields_ = [
        ("theta", c_void_p),
        ("residual", c_void_p),
        ("loss", c_double),
        ("evaluations", c_int64),
        ("outcome", c_int),
    ]


class surekrig_sample(Structure):
    d: int
    size: Any
    lower: Any
    upper: Any
    n: int
    x: Any
    seed: int
    threads: int
    _fields_ = [
        ("d", c_int64),
        ("size", c_int64 * 3),
        ("lower", c_double * 3),
        ("upper", c_double * 3),
        ("n", c_int64),
        ("x", c_void_p),
        ("seed", c_uint64),
        ("threads", c_int),
    ]


class surekrig_draws(Structure):
    n: int
    x: Any
    draws: int
    seed: int
    latent: int
    threads: int
    _fields_ = [
        ("n", c_int64),
        ("x", c_void_p),
        ("draws", c_int64),
        ("seed", c_uint64),
        ("latent", c_int),
        ("threads", c_int),
    ]


# name: (result, arguments)
FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "surekrig_version": (c_char_p, []),
    "surekrig_settings_row": (POINTER(surekrig_setting), [c_int]),
    "surekrig_settings_new": (c_int, [POINTER(c_void_p), POINTER(surekrig_error)]),
    "surekrig_settings_free": (None, [c_void_p]),
    "surekrig_settings_set": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(surekrig_error)]),
    "surekrig_settings_get": (c_char_p, [c_void_p, c_char_p]),
    "surekrig_settings_given": (c_int, [c_void_p, c_char_p]),
    "surekrig_settings_time": (c_int, [c_void_p, c_int64, POINTER(c_char_p)]),
    "surekrig_fit": (c_int, [POINTER(surekrig_data), c_void_p, POINTER(surekrig_progress), POINTER(c_void_p), POINTER(surekrig_error)]),
    "surekrig_refit": (c_int, [POINTER(surekrig_data), c_void_p, POINTER(c_void_p), POINTER(surekrig_error)]),
    "surekrig_calibrate": (c_int, [c_void_p, c_int64, c_void_p, POINTER(surekrig_error)]),
    "surekrig_model_free": (None, [c_void_p]),
    "surekrig_predict": (c_int, [c_void_p, POINTER(surekrig_query), POINTER(surekrig_progress), POINTER(surekrig_prediction), POINTER(surekrig_error)]),
    "surekrig_within": (c_int, [c_void_p, POINTER(surekrig_query), c_int64, c_void_p, POINTER(surekrig_error)]),
    "surekrig_validate": (c_int, [c_void_p, POINTER(surekrig_validation), POINTER(surekrig_progress), POINTER(surekrig_validated), POINTER(surekrig_error)]),
    "surekrig_model_quantile": (c_double, [c_void_p, c_int64, c_double]),
    "surekrig_quantile": (c_double, [c_double]),
    "surekrig_score": (c_int, [POINTER(surekrig_scored), c_double, POINTER(surekrig_scores), POINTER(surekrig_error)]),
    "surekrig_calibration": (c_int, [POINTER(surekrig_scored), c_int, c_void_p, c_void_p, POINTER(surekrig_error)]),
    "surekrig_score_distances": (c_int, [c_void_p, POINTER(surekrig_validated), c_int64, c_double, POINTER(surekrig_by_distance), POINTER(surekrig_error)]),
    "surekrig_outcome_sentence": (c_char_p, [c_int]),
    "surekrig_model_info": (POINTER(surekrig_info), [c_void_p]),
    "surekrig_model_data": (POINTER(surekrig_data), [c_void_p]),
    "surekrig_model_save": (c_int, [c_void_p, c_char_p, POINTER(surekrig_error)]),
    "surekrig_model_save_parts": (c_int, [c_void_p, c_char_p, POINTER(surekrig_error)]),
    "surekrig_model_load": (c_int, [c_char_p, POINTER(c_void_p), POINTER(surekrig_error)]),
    "surekrig_sphere_new": (None, [c_double, POINTER(surekrig_sphere)]),
    "surekrig_sphere_places": (None, [POINTER(surekrig_sphere), c_int64, c_void_p, c_void_p]),
    "surekrig_matern": (c_int, [c_double, c_int64, c_void_p, c_void_p, c_void_p, POINTER(surekrig_error)]),
    "surekrig_index_new": (c_int, [c_int64, c_int64, c_void_p, POINTER(c_void_p), POINTER(surekrig_error)]),
    "surekrig_index_free": (None, [c_void_p]),
    "surekrig_neighbors": (c_int, [c_void_p, POINTER(surekrig_neighbor_query), c_void_p, c_void_p, POINTER(surekrig_error)]),
    "surekrig_krige": (c_int, [POINTER(surekrig_data), POINTER(surekrig_neighborhoods), POINTER(surekrig_theta), c_char_p, POINTER(surekrig_kriged), POINTER(surekrig_error)]),
    "surekrig_loss": (c_int, [c_char_p, POINTER(surekrig_residuals), c_double, c_void_p, POINTER(surekrig_error)]),
    "surekrig_minimize": (c_int, [POINTER(surekrig_problem), c_void_p, POINTER(surekrig_minimum), POINTER(surekrig_error)]),
    "surekrig_simulate": (c_int, [POINTER(surekrig_sample), POINTER(surekrig_theta), c_void_p, POINTER(surekrig_error)]),
    "surekrig_simulate_given": (c_int, [c_void_p, POINTER(surekrig_draws), POINTER(surekrig_progress), c_void_p, POINTER(surekrig_error)]),
}
