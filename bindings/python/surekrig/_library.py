"""The shared library: found, declared, and called so that its failures are Python's."""
from __future__ import annotations

import ctypes
import difflib
import functools
import inspect
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, NamedTuple, Optional, Sequence, Type

import numpy as np

from . import _header as c

# SUREKRIG_LIBRARY names another build of it.
_PATH = os.environ.get("SUREKRIG_LIBRARY") or str(Path(__file__).with_name("libsurekrig.so"))
library = ctypes.CDLL(_PATH)  # its calls release the interpreter's lock
for _name, (_result, _arguments) in c.FUNCTIONS.items():
    _function = getattr(library, _name)
    _function.restype = _result
    _function.argtypes = _arguments

_KINDS: Dict[int, Type[BaseException]] = {
    c.SUREKRIG_INVALID: ValueError,
    c.SUREKRIG_DATA: ValueError,
    c.SUREKRIG_MEMORY: MemoryError,
    c.SUREKRIG_FILE: OSError,
    c.SUREKRIG_NUMERIC: np.linalg.LinAlgError,
    c.SUREKRIG_STOPPED: KeyboardInterrupt,
}


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function whose last argument is the error; a failure is raised with the library's sentence."""
    error = c.surekrig_error()
    status = function(*arguments, error)
    if status:
        raise _KINDS[status](words(error.sentence))


def unmasked(values: Any) -> Any:
    """What is masked is missing: NaN, or NaT. NumPy's conversions would take what lies under the mask for data."""
    if isinstance(values, (list, tuple)) and any(isinstance(part, np.ma.MaskedArray) for part in values):
        values = np.ma.array(values)
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if values.dtype.kind in "biu":  # there is no NaN among them
        values = values.astype(np.float64)
    return values.filled(np.array("NaT", values.dtype) if values.dtype.kind in "mM" else np.nan)


def doubles(values: Any) -> "np.ndarray[Any, Any]":
    """C-ordered doubles: the array itself where it is that already."""
    return np.ascontiguousarray(unmasked(values), dtype=np.float64)


def integers(values: Any, name: str) -> "np.ndarray[Any, Any]":
    """Of groups and neighbours: one that is missing is like no other, and none is cut to fit."""
    made = np.asarray(unmasked(values))
    if made.dtype.kind == "O":
        made = np.asarray(made.tolist())  # Python's numbers may be NumPy's
    if made.dtype.kind == "f":
        if np.isnan(made).any():
            raise ValueError(f"{name}: a whole number is missing: it is NaN or masked")
        wide = made.astype(np.float64)  # the ends of int64 are beyond some kinds
        fit = (wide == np.trunc(wide)) & (-(2.0**63) <= wide) & (wide < 2.0**63)
    elif made.dtype.kind == "u":
        fit = made <= np.uint64(2**63 - 1)
    else:
        fit = np.full(made.shape, made.dtype.kind in "bi")
    if not fit.all():
        raise ValueError(f"{name} holds {made[~fit].tolist()[0]!r}: whole numbers from -2**63 to 2**63 - 1 are needed")
    return np.ascontiguousarray(made, dtype=np.int64)


MOST_THREADS = 4096  # as the setting


def count(value: Any, name: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """One whole number: ctypes would cut a large one to fit."""
    number = value.item() if isinstance(value, np.generic) else value
    if not (isinstance(number, (int, float)) and least <= number <= most and number == int(number)):
        raise ValueError(f"{name} = {value} is not possible: it takes a whole number from {least} to {most}")
    return int(number)


def address(array: "Optional[np.ndarray[Any, Any]]") -> Optional[int]:
    return None if array is None else array.ctypes.data


def set_level(query: Any, level: float) -> None:
    """One level for the intervals of a query or a validation."""
    query.levels, query.kept = 1, ctypes.c_double(level)  # it has the address only
    query.level = ctypes.addressof(query.kept)


def copied(place: Optional[int], count: int) -> "np.ndarray[Any, Any]":
    """A copy of count doubles that belong to the library."""
    return np.array((ctypes.c_double * count).from_address(place) if count and place else [], dtype=np.float64)


def fields(structure: ctypes.Structure) -> Dict[str, Any]:
    return {field[0]: getattr(structure, field[0]) for field in structure._fields_}


def words(text: bytes) -> str:
    return text.decode(errors="replace")  # the library cuts long names where they end to fit


def whole(coded: bytes) -> bytes:
    """To the library a text ends at its first NUL: "a\\0b" would be the file "a"."""
    if b"\0" in coded:
        raise ValueError(f"{words(coded)!r} has a NUL character in it")
    return coded


def text(value: str) -> bytes:
    return whole(value.encode())


def path(value: Any) -> bytes:
    return whole(os.fsencode(value))


def texts(names: Sequence[str], count: int) -> Any:
    return (ctypes.c_char_p * count)(*map(text, names)) if len(names) == count else None


# ---- settings


class Row(NamedTuple):
    """A setting: its default and what it takes as text, and what it is."""

    default: str
    takes: str
    sentence: str


@functools.lru_cache(maxsize=None)
def table() -> Dict[str, Row]:
    rows: Dict[str, Row] = {}
    while library.surekrig_settings_row(len(rows)):
        row = library.surekrig_settings_row(len(rows)).contents
        rows[row.name.decode()] = Row(row.fallback.decode(), row.takes.decode(), row.sentence.decode())
    return rows


def settings() -> Dict[str, Row]:
    """The library's table of settings, by name.

    Examples
    --------
    >>> import surekrig
    >>> surekrig.settings()["batch"].default
    '1024'
    """
    return dict(table())


def setting_text(value: Any) -> str:
    """A Python value as the command line would have it: 0.5, 'auto', None -> none, True -> yes, (0.9, 0.95) -> 0.9,0.95."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if value is None:
        return "none"
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if np.ndim(value) == 0:
        return repr(float(value))
    return ",".join(setting_text(part) for part in value)


# A default that nobody gave, to be told from the same value given: under a preset only the latter counts.


class _LeftWord(str):
    pass


class _LeftCount(int):
    pass


class _LeftReal(float):
    pass


_LEFT: Dict[type, type] = {str: _LeftWord, int: _LeftCount, float: _LeftReal}


def is_given(value: Any) -> bool:
    """None, True and False cannot be told; no preset has settings whose defaults they are."""
    return type(value) in _LEFT


def check_known(given: Iterable[str], known: Sequence[str]) -> None:
    """A keyword that nobody knows is one mistyped."""
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise TypeError(f"there is no keyword {name!r}" + (f"; did you mean {near[0]}?" if near else
                                                                ": surekrig.settings() tells the settings"))


def marking(init: Callable[..., None]) -> Callable[..., None]:
    """A constructor that marks what it was not given. Copies keep the marks, scikit-learn's clone among them."""
    known = list(inspect.signature(init).parameters)[1:]

    @functools.wraps(init)
    def marked(self: Any, **given: Any) -> None:
        check_known(given, known)
        init(self, **given)
        for name in table().keys() - given.keys():
            value = getattr(self, name)
            setattr(self, name, _LEFT[type(value)](value) if type(value) in _LEFT else value)
    return marked


# ---- progress and Ctrl-C

_Report: Any = c.surekrig_progress._fields_[0][1]


class Watch:
    """Watches over a long call, as a context whose value the call takes: Ctrl-C stops it, and a bar is drawn if asked.

    The interrupt is noted by a handler of our own and raised after the call by the one that was there before: raised in
    the middle of a callback it could be lost.
    """

    def __init__(self, verbose: bool) -> None:
        self.verbose = verbose
        self.interrupted = False
        self.before: Any = None
        self.progress = c.surekrig_progress(report=_Report(self._report))

    def __enter__(self) -> c.surekrig_progress:
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self.before = signal.signal(signal.SIGINT, self._note)
        return self.progress

    def __exit__(self, *_: Any) -> None:
        if self.verbose:
            sys.stderr.write("\r\033[K")
        if self.before:
            signal.signal(signal.SIGINT, self.before)
        self.progress.report = _Report()  # it refers to us, and we to it
        if self.interrupted:
            self.before(signal.SIGINT, sys._getframe())

    def _note(self, *_: Any) -> None:
        self.interrupted = True

    def _report(self, _: Any, report: Any) -> int:
        if self.verbose:
            self._draw(report.contents)
        return int(self.interrupted)

    @staticmethod
    def _draw(report: c.surekrig_progress_report) -> None:
        bar = "#" * int(30 * report.done)
        line = f"\r{(report.phase or b'').decode()} [{bar:<30}] {100 * report.done:3.0f} %"
        if report.evaluations:
            line += f"  {report.evaluations} evaluations, objective {report.objective:.6g}"
        if report.coverage == report.coverage:
            line += f", coverage {report.coverage:.4f}"
        sys.stderr.write(line + "\033[K")
        sys.stderr.flush()
