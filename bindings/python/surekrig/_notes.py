"""What the command says of a model and of predictions, as warnings. They change nothing."""
from __future__ import annotations

import sys
import warnings
from itertools import compress
from typing import Any, Iterator, Tuple, Type

from sklearn.exceptions import ConvergenceWarning

from . import _header as c
from . import _library as lib
from ._library import library
from ._model import Model

# From when on the command speaks of it: cli/print.c, cli/predict/predict.c, cli/look.c.
_UNLIKE, _BESIDE_TOLD, _FEW_ROWS, _BEYOND_SHARE, _ASIDE = 0.25, 1.1, 30, 1 / 20, 0.02
_READINGS, _FEW_PLACES, _NOISY = 4, 16, 9
_LONGITUDE = ("lon", "longitude", "long", "lng")


class SureKrigWarning(UserWarning):
    """What data, targets or places are like, and what that means for predictions and their intervals."""


def tell(sentence: str, category: Type[Warning] = SureKrigWarning) -> None:
    """A warning that points to who called the package."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals["__name__"].startswith(__package__ + "."):
        frame, level = frame.f_back, level + 1
    warnings.warn(sentence, category, level)


def tell_of_fit(model: Model, targets: Any) -> None:
    """targets: [m][d] or None."""
    for sentence in (*_of_reach(model, targets), *_of_targets(model.info), *_of_rows(model.info), *_of_noise(model)):
        tell(sentence)
    said = "; ".join(_of_training(model))
    if said:
        tell(said, ConvergenceWarning)


def tell_of_jitter(jitter: Tuple[int, float]) -> None:
    """jitter: at how many points, and the most."""
    if jitter[0]:
        tell(f"jitter of at most {jitter[1]:.1g} gamma2 was needed at {jitter[0]} points", RuntimeWarning)


def tell_of_beyond(info: c.surekrig_info, beyond: int, n: int) -> None:
    """The scores that fit told are those of points among the data. Some always lie a little farther off: one in twenty is worth a word."""
    if beyond > _BEYOND_SHARE * n:
        plain = info.holdout <= c.SUREKRIG_HOLDOUT_NEAREST  # no targets set the intervals
        tell(f"{beyond} of {n} points have less to go by than those whose errors fit told: errors are larger there, and "
             "intervals less sure" + ("; fit(X, y, targets=places) sets intervals for the places asked" if plain else ""))


def _of_reach(model: Model, targets: Any) -> Iterator[str]:
    """Targets beyond the rows by more than a grid around them is. Times may be forecasts, longitudes cross the date line."""
    if targets is None:
        return
    low, high = lib.copied(model.info.box, 2 * model.info.d).reshape(2, -1)
    aside, names, time = _ASIDE * (high - low), model.names("x"), model.settings()["time"]
    beyond = (targets < low - aside) | (targets > high + aside)
    beyond[:, [name == time or name.lower() in _LONGITUDE for name in names]] = False
    count, where = int(beyond.any(axis=1).sum()), list(compress(names, beyond.any(axis=0)))
    if count and count >= _BEYOND_SHARE * len(targets):
        others = f" and {len(where) - 1} other feature{'s' if len(where) > 2 else ''}" if len(where) > 1 else ""
        yield (f"{count} of {len(targets)} targets lie beyond the rows in {where[0]}{others}: no row left out can tell how "
               "large errors are there, and intervals may hold less than they say")


def _of_targets(info: c.surekrig_info) -> Iterator[str]:
    if info.holdout == c.SUREKRIG_HOLDOUT_DISTANCE and info.accepted < _UNLIKE:
        yield ("nothing like the targets is in the data: no left-out point has neighbours placed as theirs, even roughly. "
               "Intervals rest on points that are as far from data, but with data on other sides, and on the model; what "
               "errors to expect is not known")
    if info.beside >= _BESIDE_TOLD:
        yield (f"errors are larger beside the targets than elsewhere in the data, by a factor of {info.beside:.2f}: the targets "
               "do not lie at random. Intervals and held_out_ allow for it; among the targets it may be more")


def _of_rows(info: c.surekrig_info) -> Iterator[str]:
    if info.shared_rows and info.l == 1 and not lib.copied(info.within_sd, 1)[0] > 0:
        yield (f"{info.shared_rows - info.shared_places} rows have the place and the response of another: if these are copies, "
               "leave them out, for they say that there is no noise")
    readings = info.shared_rows // info.shared_places if info.shared_places else 0
    if readings >= _READINGS and _FEW_PLACES * readings > info.neighbors and 2 * info.shared_rows > info.n:
        yield (f"with {readings} readings a place the {info.neighbors} neighbours are of few places: the field between "
               "places is told better by the mean of each")
    if info.n < _FEW_ROWS and info.batch:
        yield f"{info.n} rows are few to learn from: " + (
            f"intervals are wide, those of Student's t with {info.freedom} degrees of freedom" if info.freedom
            else "intervals are often too narrow")


def _is_harmless(estimate: Any) -> bool:
    """There is hardly any noise, or the field is smooth, and nothing is to be done about it."""
    return (estimate.name, estimate.at_bound) in ((b"tau2", c.SUREKRIG_BOUND_LOWER), (b"nu", c.SUREKRIG_BOUND_UPPER))


def _of_noise(model: Model) -> Iterator[str]:
    for e in model.estimates():
        if e.name == b"tau2" and e.value >= _NOISY and e.at_bound <= 0:
            yield f"tau2 = {e.value:.6g}: next to these features {100 * e.value / (1 + e.value):.0f} % of the variance is noise"


def _of_training(model: Model) -> Iterator[str]:
    """Of the outcome, of bounds and of jitter."""
    info = model.info
    if info.outcome not in (c.SUREKRIG_CONVERGED, c.SUREKRIG_NOT_TRAINED):
        reached = ", ".join(f"{level:g}: {share:.4f}" for level, share in model.coverage().items())
        yield library.surekrig_outcome_sentence(info.outcome).decode() + (f" ({reached})" if reached else "")
    for e in model.estimates():
        if e.at_bound and not _is_harmless(e):
            yield (f"{lib.words(e.name)} = {e.value:.6g} is at its {'lower' if e.at_bound < 0 else 'upper'} bound"
                   + (": next to these features the response is almost all noise" if e.name == b"tau2" else ""))
    if info.jittered:
        yield f"jitter of at most {info.max_jitter:.1g} gamma2 was needed in {info.jittered} of the batch's neighbourhoods"
