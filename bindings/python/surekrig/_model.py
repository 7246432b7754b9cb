"""A model of the library as a Python object: trained, loaded, saved, asked."""
from __future__ import annotations

import ctypes
import tempfile
import weakref
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from . import _header as c
from . import _library as lib
from ._library import library


class Model:
    """Owns a surekrig_model. Pickled as the bytes of its model file."""

    def __init__(self, pointer: ctypes.c_void_p) -> None:
        self.pointer = pointer
        weakref.finalize(self, library.surekrig_model_free, pointer)

    @classmethod
    def load(cls, path: Any) -> "Model":
        pointer = ctypes.c_void_p()
        lib.call(library.surekrig_model_load, lib.path(path), pointer)
        return cls(pointer)

    def save(self, path: Any) -> None:
        lib.call(library.surekrig_model_save, self.pointer, lib.path(path))

    @classmethod
    def from_bytes(cls, content: bytes) -> "Model":
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model")
            path.write_bytes(content)
            return cls.load(path)

    def __reduce__(self) -> Tuple[Any, Tuple[bytes]]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model")
            self.save(path)
            return Model.from_bytes, (path.read_bytes(),)

    @property
    def info(self) -> c.surekrig_info:
        """Valid as long as the model."""
        info: c.surekrig_info = library.surekrig_model_info(self.pointer).contents
        return info

    def names(self, of: str) -> List[str]:
        """of: "x" or "y"."""
        info = self.info
        count = info.d if of == "x" else info.l
        return [lib.words(name) for name in getattr(info, of + "_names")[:count]]

    def settings(self) -> Dict[str, str]:
        return {name: library.surekrig_settings_get(self.info.settings, name.encode()).decode() for name in lib.table()}

    def estimates(self) -> List[c.surekrig_estimate]:
        return list(self.info.estimate[: self.info.estimates])

    def rounds(self) -> List[Dict[str, Any]]:
        """Each round of the multipliers, theta by name."""
        levels, names = self.info.levels, [lib.words(e.name) for e in self.estimates()]
        lengths = {"lambda": levels, "coverage": levels, "theta": len(names)}
        made = []
        for at in self.info.round[: self.info.rounds]:
            row = lib.fields(at)
            row.update({name: lib.copied(row[name], length) for name, length in lengths.items()})
            row["theta"] = dict(zip(names, row["theta"].tolist()))
            made.append(row)
        return made

    def coverage(self) -> Dict[float, float]:
        """Reached, by level."""
        levels, reached = (lib.copied(place, self.info.levels).tolist() for place in (self.info.level, self.info.coverage))
        return dict(zip(levels, reached))

    def held_out(self) -> Optional[Dict[str, Any]]:
        """How points were held out and their scores, if any were."""
        info, l = self.info, self.info.l
        if not info.held_out.n:
            return None
        made = {"how": c.surekrig_holdout[info.holdout], **lib.fields(info.held_out)}
        if info.held_out_each:
            made["each"] = dict(zip(self.names("y"), (lib.fields(one) for one in info.held_out_each[:l])))
        return made

    def trials(self) -> List[Dict[str, Any]]:
        """What auto tried."""
        made = [lib.fields(trial) for trial in self.info.trial[: self.info.trials]]
        return [{**row, "what": lib.words(row["what"]), "kept": bool(row["kept"])} for row in made]

    def predict(self, x: Any, wanted: Sequence[str], *, level: float = 0, latent: bool, noise: Any, threads: int,
                verbose: bool) -> Any:
        """An array [n][l] for each of what is wanted: mean, sd, and lower and upper at the level; how many
        neighbourhoods needed how much jitter; and how many points have less to go by than those whose errors fit told."""
        made = [np.empty((len(x), self.info.l)) for _ in wanted]
        query = c.surekrig_query(n=len(x), x=lib.address(x), latent=latent, threads=threads, noise=lib.address(noise))
        if "lower" in wanted:
            lib.set_level(query, level)
        out = c.surekrig_prediction(**{name: lib.address(values) for name, values in zip(wanted, made)})
        short = len(x) <= 1000 and not verbose  # over before anyone could stop it
        with nullcontext() if short else lib.Watch(verbose) as progress:
            lib.call(library.surekrig_predict, self.pointer, query, progress, out)
        return (*made, (out.jittered, out.max_jitter), out.beyond)

    def sample(self, x: Any, *, draws: int, seed: int, latent: bool, threads: int, verbose: bool) -> Any:
        """Joint draws, [n][l][draws]."""
        y = np.empty((len(x), self.info.l, draws))
        how = c.surekrig_draws(n=len(x), x=lib.address(x), draws=draws, seed=seed, latent=latent, threads=threads)
        with lib.Watch(verbose) as progress:
            lib.call(library.surekrig_simulate_given, self.pointer, how, progress, lib.address(y))
        return y

    def validate(self, blocks: int, rows: int, level: float, *, threads: int, verbose: bool) -> Any:
        """By name: rows of the data, their responses, means, sds and bounds, [rows][l], and distances; and the jitter."""
        info, data = self.info, library.surekrig_model_data(self.pointer).contents
        blocks, rows = lib.count(blocks, "blocks"), lib.count(rows, "rows")
        count = rows or info.n
        made = {"row": np.empty(count, dtype=np.int64), "distance": np.empty(count)}
        made.update({name: np.empty((count, info.l)) for name in ("mean", "sd", "lower", "upper")})
        how = c.surekrig_validation(blocks=blocks, rows=rows, seed=int(self.settings()["seed"]), threads=threads)
        lib.set_level(how, level)
        out = c.surekrig_validated(**{name: lib.address(values) for name, values in made.items()})
        with lib.Watch(verbose) as progress:
            lib.call(library.surekrig_validate, self.pointer, how, progress, out)
        made["y"] = lib.copied(data.y, info.n * info.l).reshape(info.n, info.l)[made["row"]]
        return made, (out.jittered, out.max_jitter)


@contextmanager
def settings_with(said: Iterable[Tuple[str, str]]) -> Iterator[ctypes.c_void_p]:
    """The library's settings after what is said, which it refuses where it cannot be."""
    made = ctypes.c_void_p()
    lib.call(library.surekrig_settings_new, made)
    try:
        for name, value in said:
            lib.call(library.surekrig_settings_set, made, name.encode(), lib.text(value))
        yield made
    finally:
        library.surekrig_settings_free(made)


def preset_settings(preset: str) -> Dict[str, str]:
    """Every setting as text, as a preset has it."""
    with settings_with([("preset", preset)]) as made:
        return {name: lib.words(library.surekrig_settings_get(made, name.encode())) for name in lib.table()}


def train(data: c.surekrig_data, settings: List[Tuple[str, str]], verbose: bool) -> Model:
    pointer = ctypes.c_void_p()
    with settings_with(settings) as chosen, lib.Watch(verbose) as progress:
        lib.call(library.surekrig_fit, data, chosen, progress, pointer)
        return Model(pointer)


def numbered(count: int) -> List[str]:
    """What the library calls features that have no names."""
    return [f"x{number}" for number in range(1, count + 1)]


def data_of(x: Any, y: Any, noise: Any, x_names: Sequence[str] = (), y_names: Sequence[str] = (),
            targets: Any = None) -> c.surekrig_data:
    """x: [n][d], y: [n] or [n][l], targets: [m][d] or None; names that are not as many as what they name are not used."""
    n, d = x.shape
    l = y.shape[1] if y.ndim == 2 else 1
    made = c.surekrig_data(n=n, d=d, l=l, x=lib.address(x), y=lib.address(y), noise=lib.address(noise),
                           x_names=lib.texts(x_names, d), y_names=lib.texts(y_names, l),
                           targets=0 if targets is None else len(targets), target=lib.address(targets))
    made.arrays = (x, y, noise, targets)  # it has their addresses only, and they must live as long
    return made
