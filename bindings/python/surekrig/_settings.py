# Made by scripts/pages from the library's table of settings: do not edit.

from __future__ import annotations

from typing import Any, Literal, Optional, Sequence, Union

from sklearn.base import BaseEstimator

Setting = Union[str, float, Sequence[float], None]


class Settings(BaseEstimator):  # type: ignore[misc]
    """Parameters
    ----------
    neighbors : 1 to 4096, or auto; default "auto"
        Nearest neighbours each prediction is made from; auto: 64 where sectors is auto and becomes yes, else 50, or
        one less than the points; predictions from more than three features have up to 400, where held-out points gain
        by them.
    sectors : auto, no or yes; default "auto"
        Neighbours by equal quotas of directions instead of the nearest whatever their side; auto: of two features,
        from 200 points on.
    nodes : auto, no or yes; default "auto"
        Places are kriged from the neighbours of the nodes of a lattice around them, and blended: maps have no steps,
        and many places at once take less time. For two coordinates; auto: where sectors is yes.
    search : auto, exact or approximate; default "auto"
        How neighbours are looked for: approximate passes over what can hardly hold one, and takes a half to a fifth
        of the time where more than ten features count; the summary says how many were found. auto: that, for more
        than 100000 points in more than ten features that count.
    batch : 2 to 1e9; default 1024
        Training points left out in turn, drawn at random; all of them where there are fewer.
    loss : block, lool, mse, huber, crps or looph; default "block"
        What training minimises: the likelihood of each left-out point with its neighbours, or given them
        (leave-one-out), squared error, pseudo-Huber error, the continuous ranked probability score, or leave-one-out
        likelihood with pseudo-Huber residuals.
    huber : 1e-6 to 1e6; default 1.5
        Boundary of the pseudo-Huber losses: for huber in standard deviations of the response, for looph in those of
        each prediction.
    coverage : levels between 0 and 1, none, or auto; default "auto"
        Levels at which the share of left-out points inside their interval is to equal the level; auto: none where
        something else sets the widths (variance local, interval conformal or student), else
        0.9,0.925,0.95,0.975,0.99.
    constraint : multipliers or penalty; default "multipliers"
        How coverage is enforced: method of multipliers, or its quadratic penalty alone.
    tolerance : 0 to 0.5, or auto; default "auto"
        A coverage this near its level counts as met (at least 1/batch); auto: 0.002 for one level, 0.01 for several.
    beta : 1e-9 to 1e12; default 10
        First weight of the squared coverage deviation, against the loss as a mean over the batch.
    growth : 1 to 1000; default 4
        Factor by which beta grows each round, up to 100 where there are several levels.
    rounds : 1 to 1000; default 30
        Rounds of the method of multipliers at most; most only re-score what is known.
    kernel : matern or gaussian; default "matern"
        Family of the covariance, of its first term where there are two; gaussian is matern with nu inf.
    nu : 0.01 to 50, inf, a range, or auto; default "auto"
        Smoothness of the Matérn kernel; auto: searched from 0.05 to 2.5, or to 10 where each of more than three
        features has a length scale.
    rho : a value, one per feature, a range, or auto; default "auto"
        Length scale in the features' units (where scaling is axis, one value or range is a share of each side); auto:
        searched from 0.001 to 10 of the longest side or, where anisotropic, to 1000 of each feature's own.
    anisotropic : auto, no or yes; default "auto"
        One length scale per feature instead of one for all; auto: where there are more than two features with ten
        rows or more for each, or the two have extents of different orders, or, without a coverage constraint, a field
        twice as long along one of them fits plainly better.
    turn : 0 to 180, or auto; default "auto"
        Of two features in one unit: the direction of the first length scale, in degrees from the first feature
        towards the second; the other's is at right angles to it. auto: that of the features, or another where,
        without a coverage constraint, a field twice as long along it fits plainly better.
    metric : fitted or start; default "fitted"
        The distance in which neighbours are nearest, where each feature has a length scale: in units of these, found
        in turns with them, or as scaling says.
    tau2 : 0 or more, a range that begins above 0, or auto; default "auto"
        Nugget, the noise variance as a share of gamma2; auto: searched from 1e-8, or of hundreds of neighbours in
        more than three features from 1e-10, to 100.
    gamma2 : a value, a range, or auto; default "auto"
        Variance of the field in the response's units squared; auto: profiled, or searched where noise is given.
    terms : 1 or 2; default 1
        Matérn terms of the covariance; the second has a longer range.
    long_ratio : above 1, or a range; default "1.5:10:300"
        The second term's length scale over the first's.
    long_share : between 0 and 1, or a range; default "0.02:0.5:0.98"
        The second term's share of gamma2.
    long_nu : 0.01 to 50, or a range; default 0.5
        The second term's smoothness.
    mean : zero, constant, local or trend; default "local"
        The field's mean: known as zero or the average, unknown in each neighbourhood (ordinary kriging), or linear in
        the trend columns with an unknown local mean of the rest.
    trend : all, or feature names; default "all"
        Columns in which the trend is linear, where mean is trend.
    distance : all, or feature names; default "all"
        Columns in which distances are measured; the others serve the trend alone.
    sphere : auto, no, or two feature names; default "auto"
        Longitude and latitude in degrees: distances are then through the earth, in km, without a seam at the date
        line or the poles; auto: where two features have these names and reach over more than 20 degrees or beyond a
        latitude of 60, and rho is auto.
    group : none, or feature names, with ; between groups; default None
        Features of one group have one length scale in common and the same units, such as lon,lat or lon,lat;u,v; each
        other feature has its own.
    time : none, or one of the feature names; default None
        The feature that is time: it has a length scale of its own, and two others have one in common. Where nothing
        is said of distances, a feature called time, day, year or the like beside the two coordinates of a map is
        taken for it.
    time_unit : number or date; default "number"
        What time is counted in: numbers as they stand, or days since 1970-01-01, which are dates in tables. The
        command sees that for itself.
    by : none, or column names; default None
        Rows that are alike in these columns are left out together, in training, in judging and for the widths of
        intervals: whole stations (station, or lon,lat) or days. Columns of the table or features.
    spacetime : auto, geometric, separable or gneiting; default "auto"
        How space and time go together, where there is a time: one distance of both; a covariance in space times one
        in time, each with its own smoothness; or Gneiting's, in which the two meet and which is separable where
        time_mix is 0. auto: separable, or with auto yes what held-out points say.
    time_nu : 0.01 to 50, or a range; default "0.05:0.5:2.5"
        Smoothness in time, where spacetime is not geometric; 0.5 forgets as an autoregression does.
    time_mix : 0 to 1, or a range that begins above 0; default "0.05:0.5:1"
        How much space and time meet, where spacetime is gneiting.
    holdout : auto, nearest, transplant, distance, thinned, similar or task; default "auto"
        Neighbours of a left-out point: its nearest; placed as around a target, exactly or roughly (similar); as far
        away as a target's; in ever thinner samples of the data; or, where there is a time, without what a target has
        no data from: its station, or a stretch of time (task). auto: where targets are given task, if there is a time
        and they are stations or stretches, else transplant, or the next that the data allow (similar, distance);
        nearest without targets, where they lie among the data as rows do, and, but for the scores that are told, with
        fewer than 400 rows.
    variance : auto, global or local; default "auto"
        Widths of intervals: one gamma2 for all, or following the variability of each point's neighbours and corrected
        on held-out points. auto: local from 200 points on, where no noise is given.
    interval : auto, gaussian, student or conformal; default "auto"
        Quantiles of intervals: the normal ones; Student's, with a degree of freedom less for each hyperparameter
        learned from the rows, and gamma2 larger accordingly; or those of held-out points' errors over their sd. Of
        fewer than 4000 such points they are mixed with 200 normal ones. auto: conformal from 200 points on, student
        with fewer.
    calibration : 20 to 1e9; default 8192
        Held-out points beside the batch for a local variance and conformal intervals, at most half of the data (or
        4096), and up to 4096 others for the scores where targets are given; where the data are few, the batch's own.
    auto : no or yes; default False
        Choose a trend, anisotropic and terms on held-out points (krige: yes unless set). Average the best model with
        the simplest where that is hardly worse, and take 100 neighbors (in sectors where there are targets or two
        features), mean local, loss block, variance local, interval conformal (student below 200 points) and coverage
        none; what is set otherwise stays. Of fewer than 30 rows nothing is chosen.
    scaling : auto, box, axis or none; default "auto"
        What features are divided by before distances are measured, until the metric is fitted: the longest side of
        their box, each its own side, or nothing; auto: axis where anisotropic is auto and finds reason for it, else
        box.
    optimizer : auto, bayes, local or lbfgs; default "auto"
        Inner optimiser: Bayesian optimisation, a local search from the start, or L-BFGS by gradients from there;
        auto: local where space and time have a factor each, lbfgs where each feature has a length scale or coverage
        is none, else bayes.
    acquisition : ei or ucb; default "ei"
        Where Bayesian optimisation looks next: expected improvement, or the confidence bound.
    kappa : 0 to 1000; default 7
        Exploration of the confidence bound, in its standard deviations; ei does not use it.
    initial : 1 to 100000, or auto; default "auto"
        Points of the initial design, the start included; auto: 5 + 5 per searched hyperparameter, 1 + 2 where
        optimizer is lbfgs.
    evaluations : 1 to 100000, or auto; default "auto"
        Evaluations of the inner optimiser a round; auto: 15 per searched hyperparameter, 2 from the second round on
        (local: 20 and 2; lbfgs: at most 30 and 5).
    polish : 0 to 100000, or auto; default "auto"
        Further evaluations of a local search that ends a round, and as many for three short ones from different
        places after the first Bayesian optimisation; auto: 25 per searched hyperparameter, none where optimizer is
        lbfgs.
    select : best or last; default "best"
        Return the best theta evaluated, or the last round's as the paper does.
    aids : all, none, or some of suggest, archive, limits, bend, log, stop; default "all"
        What the search has beyond the paper's Algorithm 1. suggest: after an evaluation, the rho that would match its
        scale (not for losses that see no scale, mse and huber); archive: rounds share their evaluations, and later
        ones need few; limits: of beta and lambda, and a price of a huge gamma2; bend: the surrogate sees log(1 +
        value), and squared errors count as their logarithm; log: the search is in logarithms, with rho up to 10
        instead of 2.2 longest sides; stop: Bayesian optimisation ends where it would look again.
    seconds : 0.001 to 1e9, or none; default None
        Time for training; the best theta found by then is returned.
    seed : 0 to 18446744073709551615; default 1
        Of the batch and the search; the same seed gives the same model.
    threads : 1 to 4096, or auto; default "auto"
        Threads, at most four for each processor (or eight); auto: what OMP_NUM_THREADS says, or one for each that the
        process or its container may use. The result does not depend on them.
    backend : auto, avx512, avx2, portable or reference; default "auto"
        The code that kriges; auto: the fastest this machine has.
    preset : default, coverage, gaps or paper; default "default"
        Sets several at once. coverage, training under the coverage constraint: sectors no, mean constant, variance
        global, interval gaussian, coverage 0.9,0.925,0.95,0.975,0.99; gaps, for filling them with targets given: 100
        neighbors in sectors, mean local, variance local, interval conformal, coverage none, batch 512, optimizer
        local, polish 0; paper: as coverage, with loss lool, mean zero, gamma2 1, tau2 1e-3, 5 rounds, each a Bayesian
        optimisation of its own with 3 + 10 evaluations, select last, no polish and no other aids, anisotropic no,
        sphere no: docs/paper.md.
    random_state : int, RandomState instance or None; default None
        scikit-learn's name for the seed; None: `seed` says.
    n_jobs : int or None; default None
        scikit-learn's name for the threads, -1 for all; None: `threads` says.
    verbose : bool; default False
        Show a progress bar on standard error.
    """

    def __init__(
        self,
        *,
        neighbors: Setting = "auto",
        sectors: Union[bool, Literal["auto", "no", "yes"]] = "auto",
        nodes: Union[bool, Literal["auto", "no", "yes"]] = "auto",
        search: Literal["auto", "exact", "approximate"] = "auto",
        batch: Setting = 1024,
        loss: Literal["block", "lool", "mse", "huber", "crps", "looph"] = "block",
        huber: Setting = 1.5,
        coverage: Setting = "auto",
        constraint: Literal["multipliers", "penalty"] = "multipliers",
        tolerance: Setting = "auto",
        beta: Setting = 10,
        growth: Setting = 4,
        rounds: Setting = 30,
        kernel: Literal["matern", "gaussian"] = "matern",
        nu: Setting = "auto",
        rho: Setting = "auto",
        anisotropic: Union[bool, Literal["auto", "no", "yes"]] = "auto",
        turn: Setting = "auto",
        metric: Literal["fitted", "start"] = "fitted",
        tau2: Setting = "auto",
        gamma2: Setting = "auto",
        terms: Setting = 1,
        long_ratio: Setting = "1.5:10:300",
        long_share: Setting = "0.02:0.5:0.98",
        long_nu: Setting = 0.5,
        mean: Literal["zero", "constant", "local", "trend"] = "local",
        trend: Setting = "all",
        distance: Setting = "all",
        sphere: Setting = "auto",
        group: Setting = None,
        time: Setting = None,
        time_unit: Literal["number", "date"] = "number",
        by: Setting = None,
        spacetime: Literal["auto", "geometric", "separable", "gneiting"] = "auto",
        time_nu: Setting = "0.05:0.5:2.5",
        time_mix: Setting = "0.05:0.5:1",
        holdout: Literal["auto", "nearest", "transplant", "distance", "thinned", "similar", "task"] = "auto",
        variance: Literal["auto", "global", "local"] = "auto",
        interval: Literal["auto", "gaussian", "student", "conformal"] = "auto",
        calibration: Setting = 8192,
        auto: Union[bool, Literal["no", "yes"]] = False,
        scaling: Literal["auto", "box", "axis", "none"] = "auto",
        optimizer: Literal["auto", "bayes", "local", "lbfgs"] = "auto",
        acquisition: Literal["ei", "ucb"] = "ei",
        kappa: Setting = 7,
        initial: Setting = "auto",
        evaluations: Setting = "auto",
        polish: Setting = "auto",
        select: Literal["best", "last"] = "best",
        aids: Setting = "all",
        seconds: Setting = None,
        seed: Setting = 1,
        threads: Setting = "auto",
        backend: Literal["auto", "avx512", "avx2", "portable", "reference"] = "auto",
        preset: Literal["default", "coverage", "gaps", "paper"] = "default",
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: bool = False,
    ) -> None:
        self.neighbors = neighbors
        self.sectors = sectors
        self.nodes = nodes
        self.search = search
        self.batch = batch
        self.loss = loss
        self.huber = huber
        self.coverage = coverage
        self.constraint = constraint
        self.tolerance = tolerance
        self.beta = beta
        self.growth = growth
        self.rounds = rounds
        self.kernel = kernel
        self.nu = nu
        self.rho = rho
        self.anisotropic = anisotropic
        self.turn = turn
        self.metric = metric
        self.tau2 = tau2
        self.gamma2 = gamma2
        self.terms = terms
        self.long_ratio = long_ratio
        self.long_share = long_share
        self.long_nu = long_nu
        self.mean = mean
        self.trend = trend
        self.distance = distance
        self.sphere = sphere
        self.group = group
        self.time = time
        self.time_unit = time_unit
        self.by = by
        self.spacetime = spacetime
        self.time_nu = time_nu
        self.time_mix = time_mix
        self.holdout = holdout
        self.variance = variance
        self.interval = interval
        self.calibration = calibration
        self.auto = auto
        self.scaling = scaling
        self.optimizer = optimizer
        self.acquisition = acquisition
        self.kappa = kappa
        self.initial = initial
        self.evaluations = evaluations
        self.polish = polish
        self.select = select
        self.aids = aids
        self.seconds = seconds
        self.seed = seed
        self.threads = threads
        self.backend = backend
        self.preset = preset
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
