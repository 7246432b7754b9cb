"""The scikit-learn estimator."""
from __future__ import annotations

from inspect import cleandoc
from itertools import compress
from typing import Any, List, Optional, Tuple, Union

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _header as c
from . import _library as lib
from . import _notes as notes
from ._model import Model, data_of, numbered, preset_settings, settings_with, train
from ._settings import Settings
from ._times import numbers


def _column_names(y: Any) -> List[str]:
    """Of a DataFrame or a Series, where they are words."""
    names: List[Any] = list(y.columns) if hasattr(y, "columns") else [getattr(y, "name", None)]
    return names if all(isinstance(name, str) for name in names) else []


def _of(estimates: List[Tuple[str, float]], name: str) -> "Union[float, np.ndarray[Any, Any]]":
    """The one of this name, or those that begin with it: rho, or rho_lon and rho_lat."""
    alone = [value for key, value in estimates if key == name]
    return alone[0] if alone else np.array([value for key, value in estimates if key.startswith(name + "_")])


def _varying(x: Any, names: List[str], time: str) -> "np.ndarray[Any, Any]":
    """Which features are not the same everywhere, and so tell something about distances; the model knows what to do with
    one time. If none does, the first is for the library to complain of."""
    low, high = x.min(axis=0), x.max(axis=0)
    made = (low < high) | (np.array(names) == time)
    made[0] |= not made.any()
    for name, value in compress(zip(names, low), ~made):
        notes.tell(f"column {name} is {value:g} in all rows and left out")
    return np.asarray(made)


def _kept(x: Any, varying: Any) -> Any:
    """x without the features that were constant in training."""
    return x if varying.all() else np.ascontiguousarray(x[:, varying])


Settings.__init__ = lib.marking(Settings.__init__)  # type: ignore[method-assign]


class SureKrigRegressor(MultiOutputMixin, RegressorMixin, Settings):  # type: ignore[misc]
    """Nearest-neighbour kriging with intervals that points left out have set.

    Gaussian-process regression with a Matérn kernel of any smoothness. Each prediction is made from the nearest
    neighbours; the hyperparameters are trained by the likelihood of points with their neighbours, and points left out say
    how wide intervals are; under ``preset="coverage"`` training is under a coverage constraint instead.

    A number, a word (``"auto"``), a range to search in (``nu="0.05:2.5"``, or with a start ``"0.05:0.5:2.5"``) or a
    sequence (``coverage=(0.9, 0.95)``) may be given; None is the word none, True and False are yes and no. What is not
    given is the preset's, if there is one, and may be chosen under ``auto=True``; what is given stays, be it a default.

    Attributes
    ----------
    nu_, rho_, tau2_, gamma2_ : float or ndarray
        The hyperparameters; an array where there is one for each feature (rho; or along a direction
        and across it, where ``turn`` is not 0) or response (gamma2).
    estimates_ : dict
        All estimates by name, the mean among them.
    averaged_with_ : dict or None
        Those of the simpler model with which ``auto=True`` averages this one, in equal parts; None: it stands alone.
    coverage_ : dict
        Coverage reached at each level that was asked, leave-one-out over the batch.
    outcome_ : str
        "converged", "coverage_not_met", "budget_spent", "stopped_early" or "not_trained".
    history_ : list of dict
        The rounds of the method of multipliers, ready for ``pandas.DataFrame``.
    scores_ : dict
        Leave-one-out scores over the batch, in the responses' units.
    held_out_ : dict or None
        Scores of other points, held out like the targets, and ``how``: "nearest", "transplant", "distance", "thinned"
        or "similar". With "distance" nothing like the targets is in the data, and the scores are not theirs.
        Of several responses ``each`` has the scores of each by name; the others are pooled.
        None where none were looked at: there were no targets, and intervals are Gaussian with a global variance.
    accepted_ : float or None
        Share of the targets whose surroundings were found elsewhere in the data; None with held_out_.
    margin_ : dict or None
        By how much scores at the targets may differ from held_out_, in nineteen of twenty sets of targets, as ``n`` regions
        of the data tell. None without targets.
    beside_ : float
        What errors of held_out_ and intervals are multiplied by, since those beside the targets are larger than elsewhere.
    trials_ : list of dict
        What ``auto=True`` tried: what, crps, error, seconds, kept.
    n_features_in_ : int
        How many features there are.
    feature_names_in_ : ndarray of str
        Their names, where X came with some.

    Examples
    --------
    >>> import numpy as np
    >>> from surekrig import SureKrigRegressor
    >>> X = np.random.default_rng(0).random((500, 2))
    >>> y = np.sin(6 * X[:, 0]) + np.cos(5 * X[:, 1])
    >>> model = SureKrigRegressor(neighbors=30).fit(X, y)
    >>> mean, sd = model.predict([[0.5, 0.25]], return_std=True)
    >>> print(np.round(mean, 2), sd < 0.01)
    [0.46] [ True]
    >>> lower, upper = model.predict_interval([[0.5, 0.25]], level=0.95)
    >>> bool(lower[0] < mean[0] < upper[0])
    True
    """

    def fit(self, X: Any, y: Any, noise: Any = None, targets: Any = None) -> "SureKrigRegressor":
        """Train on points X and responses y.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        noise : array-like of shape (n_samples,), optional
            Known noise variances, in units of y squared; for one response.
        targets : array-like of shape (n_targets, n_features), optional
            Points where predictions will be wanted, so that training can look at points like these.

        Returns
        -------
        SureKrigRegressor
            The estimator itself.
        """
        y_names = _column_names(y)
        X, dates = numbers(X)
        X, y = validate_data(self, X, lib.unmasked(y), dtype=np.float64, order="C", y_numeric=True, multi_output=True,
                             ensure_min_samples=2)
        y, settings = lib.doubles(y), self._settings(dates)
        x_names = list(getattr(self, "feature_names_in_", numbered(X.shape[1])))
        varying = _varying(X, x_names, dict(settings).get("time", ""))
        targets = None if targets is None else _kept(self._targets(targets), varying)
        data = data_of(_kept(X, varying), y, self._noise(noise, X), list(compress(x_names, varying)), y_names, targets)
        self._take(train(data, settings, self.verbose), y.ndim == 1, varying)
        notes.tell_of_fit(self.model_, targets)
        if dict(settings).get("time", "none") == "none" and self.model_.settings()["time"] != "none":
            notes.tell(f"column {self.model_.settings()['time']} is taken for time; time=\"none\" takes it for a feature like the "
                       "others")
        return self

    def predict(self, X: Any, return_std: bool = False, *, latent: bool = False, noise: Any = None) -> Any:
        """Means at X and, if asked, standard deviations.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
        return_std : bool
            Return the standard deviations too.
        latent : bool
            Standard deviations of the field; otherwise of a new observation, the nugget among it.
        noise : array-like of shape (n_points,), optional
            Noise variances of the new observations, added to the nugget.

        Returns
        -------
        mean : ndarray of shape (n_points,) or (n_points, n_outputs)
        sd : ndarray of the same shape
            Only with ``return_std``.
        """
        made = self._predict(X, ("mean", "sd") if return_std else ("mean",), latent=latent, noise=noise)
        return made if return_std else made[0]

    def predict_interval(self, X: Any, level: float = 0.95, *, latent: bool = False, noise: Any = None) -> Tuple[Any, Any]:
        """Ends of the intervals that hold a new observation with probability `level`.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
        level : float
            Between 0 and 1.
        latent, noise
            As for `predict`.

        Returns
        -------
        lower, upper : ndarray
            Shaped as the means.
        """
        lower, upper = self._predict(X, ("lower", "upper"), level=level, latent=latent, noise=noise)
        return lower, upper

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of y's variance that the means explain, R2.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
        y : array-like of shape (n_points,) or (n_points, n_outputs)
        sample_weight : array-like of shape (n_points,), optional

        Returns
        -------
        float
        """
        return float(super().score(X, lib.unmasked(y), lib.unmasked(sample_weight)))

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0, *, latent: bool = False) -> Any:
        """Joint draws of new observations at X, given the training data.

        Each is a surface that could be: neighbouring points vary together as the field does. Over many draws, mean and
        standard deviation are those of `predict`.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
        n_samples : int
            How many draws; the first are the same however many.
        random_state : int, RandomState instance or None
            The same integer gives the same draws.
        latent : bool
            Draws of the field, without the nugget.

        Returns
        -------
        ndarray of shape (n_points, n_samples) or (n_points, n_outputs, n_samples)
        """
        check_is_fitted(self)
        x = self._places(X)
        plain = isinstance(random_state, (int, np.integer))
        seed = random_state if plain else check_random_state(random_state).randint(2**31 - 1)
        seed, draws = lib.count(seed, "random_state", most=2**64 - 1), lib.count(n_samples, "n_samples", 1)
        y = self.model_.sample(x, draws=draws, seed=seed, latent=latent, threads=self._threads(), verbose=self.verbose)
        return y[:, 0, :] if self._one_response else y

    def save(self, path: Any) -> None:
        """Write the model file, which the command and `surekrig.load` read.

        Parameters
        ----------
        path : path-like
        """
        check_is_fitted(self)
        self.model_.save(path)

    def set_output(self, *, transform: Optional[str] = None) -> "SureKrigRegressor":
        """Choose what predictions come as.

        Parameters
        ----------
        transform : {"default", "pandas"} or None
            Arrays, or Series and DataFrames with the index of X; None changes nothing. The keyword is scikit-learn's.

        Returns
        -------
        SureKrigRegressor
            The estimator itself.
        """
        if transform not in (None, "default", "pandas"):
            raise ValueError(f"transform = {transform!r} is not possible: it takes default or pandas")
        if transform:
            self._sklearn_output_config = {"transform": transform}  # the name that clone() keeps
        return self

    # ---- settings

    @classmethod
    def from_preset(cls, preset: str, **settings: Any) -> "SureKrigRegressor":
        """A regressor with all that a preset says as parameters of its own, but for what is given, be it a default.

        Parameters
        ----------
        preset : str
            coverage, gaps or paper.
        **settings
            Parameters of the regressor.

        Examples
        --------
        >>> from surekrig import SureKrigRegressor
        >>> SureKrigRegressor.from_preset("gaps", mean="local", batch=1024).batch
        1024
        """
        said = {name: text for name, text in preset_settings(preset).items() if text != lib.table()[name].default}
        said.pop("preset", None)
        return cls(**{**said, **settings})

    def _settings(self, dates: List[Any]) -> List[Tuple[str, str]]:
        """What is given, as text; the preset first, for it sets the others. dates: columns that hold some; one is time."""
        given = {name: lib.setting_text(getattr(self, name)) for name in lib.table()}
        if given["time"] == "none" and len(dates) == 1 and isinstance(dates[0], str):
            given["time"] = dates[0]
        if given["time"] in dates:
            given["time_unit"] = "date"
        if isinstance(self.random_state, (int, np.integer)):
            given["seed"] = str(self.random_state)
        elif self.random_state is not None:
            given["seed"] = str(check_random_state(self.random_state).randint(2**31 - 1))
        if self._threads():
            given["threads"] = str(self._threads())
        said = [(name, text) for name, text in given.items()
                if text != lib.table()[name].default or lib.is_given(getattr(self, name))]
        return sorted(said, key=lambda pair: pair[0] != "preset")

    def _threads(self) -> int:
        """0: as many as the machine has. After a fit, too, they may be set to what cannot be."""
        text = lib.setting_text(self.threads) if self.n_jobs is None else str(effective_n_jobs(self.n_jobs))
        if text == "auto":
            return 0
        with settings_with([("threads", text)]):
            return int(float(text))

    # ---- arrays

    @staticmethod
    def _noise(noise: Any, x: Any) -> Any:
        if noise is None:
            return None
        noise = lib.doubles(noise)
        if noise.shape != (len(x),):
            raise ValueError(f"noise has the shape {noise.shape}: {len(x)} variances are needed, one for each row of X")
        missing = np.isnan(noise)
        if missing.any():
            raise ValueError(f"noise, row {missing.argmax() + 1}: nan is not a variance")
        return noise

    def _predict(self, X: Any, wanted: Tuple[str, ...], trained_for: bool = False, **how: Any) -> Tuple[Any, ...]:
        """What is wanted, each shaped as the responses; trained_for: X were the targets; how: level, latent, noise."""
        check_is_fitted(self)
        x = self._places(X)
        how["noise"] = self._noise(how["noise"], x)
        *made, jitter, beyond = self.model_.predict(x, wanted, threads=self._threads(), verbose=self.verbose, **how)
        notes.tell_of_jitter(jitter)
        if not trained_for:
            notes.tell_of_beyond(self.model_.info, beyond, len(x))
        return tuple(self._shaped(values, X) for values in made)

    def _targets(self, targets: Any) -> Any:
        """Checked against X, which came before."""
        try:
            return validate_data(self, numbers(targets)[0], dtype=np.float64, order="C", reset=False)
        except ValueError as error:  # it speaks of X
            raise ValueError(f"targets: {error}") from None

    def _places(self, X: Any) -> Any:
        """X as the model takes it, without what was constant in training."""
        x = X if self._is_plain(X) else self._checked(X)
        if x.shape[1] != len(self._varying):  # a later fit has failed, and left its mark on the estimator
            raise ValueError(f"X has {x.shape[1]} features, the model {len(self._varying)}: fit it again")
        return _kept(x, self._varying)

    def _checked(self, X: Any) -> Any:
        """Its dates are dates where the model's were."""
        x, dates = numbers(X)
        settings = self.model_.settings() if hasattr(X, "columns") else {"time": "none"}
        time = settings["time"]
        if time != "none" and time in X.columns and (time in dates) != (settings["time_unit"] == "date"):
            here, there = ("dates", "numbers") if time in dates else ("numbers", "dates")
            raise ValueError(f"column {time} holds {here}, and held {there} when the model was trained")
        return validate_data(self, x, dtype=np.float64, order="C", reset=False)

    def _is_plain(self, X: Any) -> bool:
        """Whether X is what validate_data would make of it: asking it takes longer than a small prediction."""
        if not (type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and len(X) > 0 and X.flags.c_contiguous
                and X.shape[1] == self.n_features_in_ and not hasattr(self, "feature_names_in_")):
            return False
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.isfinite(X.sum()) or np.isfinite(X).all())

    def _shaped(self, values: Any, X: Any) -> Any:
        """[n][l] as the responses came, and as set_output wishes."""
        values = values[:, 0] if self._one_response else values
        if getattr(self, "_sklearn_output_config", {}).get("transform") != "pandas":
            return values
        import pandas

        index, names = getattr(X, "index", None), self.model_.names("y")
        return (pandas.Series(values, index, name=names[0]) if self._one_response
                else pandas.DataFrame(values, index, names))

    # ---- what was learned

    def _take(self, model: Model, one_response: bool, varying: Any) -> None:
        info, estimates = model.info, [(lib.words(e.name), e.value) for e in model.estimates()]
        self.model_ = model
        self._one_response = one_response
        self._varying = varying
        self.estimates_ = dict(estimates)
        self.averaged_with_ = {lib.words(e.name): e.value for e in info.partner_estimate[: info.partner_estimates]} or None
        self.nu_, self.rho_, self.tau2_, self.gamma2_ = (_of(estimates, name) for name in ("nu", "rho", "tau2", "gamma2"))
        self.coverage_ = model.coverage()
        self.outcome_ = c.surekrig_outcome[info.outcome]
        self.history_ = model.rounds()
        self.scores_ = lib.fields(info.scores)
        self.held_out_ = model.held_out()
        self.accepted_ = info.accepted if self.held_out_ else None
        self.margin_ = lib.fields(info.margin) if info.margin.n else None
        self.beside_ = max(info.beside, 1.0)
        self.trials_ = model.trials()


# The settings' sentences stand where readers look for them.
SureKrigRegressor.__doc__ = cleandoc(SureKrigRegressor.__doc__ or "").replace(
    "Attributes\n---", cleandoc(Settings.__doc__ or "") + "\n\nAttributes\n---", 1)
