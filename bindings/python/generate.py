#!/usr/bin/env python3
"""generate.py LIBRARY [FOLDER]: writes what the package takes from the library itself, so that nothing is repeated by hand.

_header.py    the structures, enumerations and functions of include/surekrig.h for ctypes
_settings.py  the library's table of settings as the keywords of an estimator

LIBRARY is libsurekrig.so of this tree. scripts/pages runs this; a test compares.
"""
import ctypes
import keyword
import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADER = HERE.parents[1] / "include" / "surekrig.h"
MADE = "# Made by scripts/pages from {}: do not edit.\n"

# ---- the header

SCALARS = {"int": ("c_int", "int"), "int64_t": ("c_int64", "int"), "uint64_t": ("c_uint64", "int"),
           "double": ("c_double", "float"), "char": ("c_char", "bytes")}


class Header:
    def __init__(self, text):
        text = re.sub(r"/\*.*?\*/|\\\n", " ", text, flags=re.S)
        text = re.sub(r'#ifdef __cplusplus.*?#endif', "", text, flags=re.S)
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        self.enums, self.structs, self.lines, self.functions = {}, set(), [], []
        item = re.compile(r"typedef enum \w+ \{(.*?)\} (\w+);|typedef struct \w+ \{(.*?)\} (\w+);|typedef struct \w+ \w+;"
                          r"|([^;{}]+?)(\w+)\(([^;]*)\);", re.S)
        left = item.sub("", text).strip()
        assert not left, f"not understood in the header: {left[:200]}"
        for words, enum, fields, struct, result, function, arguments in item.findall(text):
            if enum:
                self.add_enum(enum, words)
            elif struct:
                self.add_struct(struct, fields)
            elif function:
                self.add_function(result, function, arguments)

    def kind(self, base, stars):
        """The type of ctypes and the one of hints. Arrays travel as addresses; what the library keeps to itself, too."""
        base = base.replace("const", "").replace("struct ", "").strip()
        if stars == 0:
            return ("c_int", "int") if base in self.enums else SCALARS.get(base, (base, base))
        if base == "char":
            return ("c_char_p", "Optional[bytes]") if stars == 1 else ("POINTER(c_char_p)", "Any")
        if base in self.structs:
            return f"POINTER({base})", "Any"
        return ("c_void_p", "Any") if stars == 1 else ("POINTER(c_void_p)", "Any")

    def add_enum(self, name, words):
        """Its numbers, and the words of all of them without what they have in common with the enumeration's name."""
        number, self.enums[name], said = -1, [], {}
        for word, _, given in (part.partition("=") for part in words.split(",") if part.strip()):
            number = int(given) if given else number + 1
            self.enums[name].append((word.strip(), number))
            said[number] = re.sub(f"^({name}|surekrig)_", "", word.strip().lower())
        self.lines.append("\n")
        self.lines += [f"{word} = {number}" for word, number in self.enums[name]]
        self.lines.append(f"{name} = {said}")

    def declarations(self, text):
        """'const double *y, *mean;  double lower[2]' -> (name, type, hint) of each."""
        for statement in filter(None, (part.strip() for part in text.split(";"))):
            call = re.fullmatch(r"(\w+) \(\*(\w+)\)\((.*)\)", statement, re.S)
            if call:
                kinds = [self.kind(*self.base_and_stars(argument))[0] for argument in call[3].split(",")]
                yield call[2], f"CFUNCTYPE({', '.join([SCALARS[call[1]][0], *kinds])})", "Any"
                continue
            base = re.match(r"(?:const )?\w+(?: \w+)? ?(?=[\s*])", statement)[0]
            for part in statement[len(base):].split(","):
                stars, name, size = re.fullmatch(r"([\s*]*(?:const \*)?)(\w+)(?:\[(\d+)\])?", part.strip()).groups()
                kind, hint = self.kind(base, stars.count("*"))
                yield name, f"{kind} * {size}" if size else kind, hint if not size or base.strip() == "char" else "Any"

    @staticmethod
    def base_and_stars(argument):
        stars = argument.count("*")
        words = argument.replace("*", " ").replace("const", " ").split()
        return words[0], stars

    def add_struct(self, name, fields):
        made = list(self.declarations(fields))
        self.structs.add(name)
        self.lines += [f"\n\nclass {name}(Structure):"]
        self.lines += [f"    {field}: {hint}" for field, _, hint in made if not keyword.iskeyword(field)]
        self.lines += ["    _fields_ = ["] + [f'        ("{field}", {kind}),' for field, kind, _ in made] + ["    ]"]

    def add_function(self, result, name, arguments):
        result = self.kind(*self.base_and_stars(result + " "))[0] if result.strip() != "void" else "None"
        kinds = [] if arguments == "void" else [self.kind(*self.base_and_stars(part))[0] for part in arguments.split(",")]
        self.functions.append(f'    "{name}": ({result}, [{", ".join(kinds)}]),')

    def python(self):
        return "\n".join([
            MADE.format("include/surekrig.h") + "from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, "
            "c_int, c_int64,\n                    c_uint64, c_void_p)\nfrom typing import Any, Dict, List, Optional, Tuple",
            *self.lines, "\n\n# name: (result, arguments)\nFUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {",
            *self.functions, "}", ""])


# ---- the settings


def table(library):
    class Row(ctypes.Structure):
        _fields_ = [(name, ctypes.c_char_p) for name in ("name", "fallback", "takes", "sentence")]
    row = ctypes.CDLL(library).surekrig_settings_row
    row.restype = ctypes.POINTER(Row)
    number = 0
    while row(number):
        yield tuple(getattr(row(number).contents, name).decode() for name, _ in Row._fields_)
        number += 1


def value(text):
    """A default as Python writes it: 1024, 1.5, None, False, (0.9, 0.95), 'auto'."""
    words = {"none": None, "no": False, "yes": True}
    if text in words:
        return words[text]
    for kind in (int, float, lambda text: tuple(float(part) for part in text.split(","))):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def hint(takes):
    """Literal words where only words are taken, otherwise anything that a setting may be."""
    words = re.split(r", | or ", takes)
    if not all(re.fullmatch(r"[a-z][a-z0-9_]*", word) for word in words):
        return "Setting"
    literal = "Literal[" + ", ".join(f'"{word}"' for word in words) + "]"
    return f"Union[bool, {literal}]" if {"no", "yes"} <= set(words) else literal


def literal(value):
    return f'"{value}"' if isinstance(value, str) else repr(value)


def settings(rows):
    rows = list(rows)
    for name, *_ in rows:
        assert name.isidentifier() and not keyword.iskeyword(name), f"{name} cannot be a keyword argument"
    keywords = [f"        {name}: {hint(takes)} = {literal(value(fallback))}," for name, fallback, takes, _ in rows]
    described = [f"    {name} : {takes}; default {literal(value(fallback))}\n"
                 + textwrap.fill(sentence, 118, initial_indent=8 * " ", subsequent_indent=8 * " ", break_on_hyphens=False)
                 for name, fallback, takes, sentence in rows]
    kept = [f"        self.{name} = {name}" for name, *_ in rows]
    return "\n".join([
        MADE.format("the library's table of settings"),
        "from __future__ import annotations\n",
        "from typing import Any, Literal, Optional, Sequence, Union\n",
        "from sklearn.base import BaseEstimator\n",
        "Setting = Union[str, float, Sequence[float], None]\n\n",
        "class Settings(BaseEstimator):  # type: ignore[misc]",
        '    """Parameters',
        "    ----------",
        *described,
        "    random_state : int, RandomState instance or None; default None",
        "        scikit-learn's name for the seed; None: `seed` says.",
        "    n_jobs : int or None; default None",
        "        scikit-learn's name for the threads, -1 for all; None: `threads` says.",
        "    verbose : bool; default False",
        "        Show a progress bar on standard error.",
        '    """\n',
        "    def __init__(",
        "        self,",
        "        *,",
        *keywords,
        "        random_state: Any = None,",
        "        n_jobs: Optional[int] = None,",
        "        verbose: bool = False,",
        "    ) -> None:",
        *kept,
        "        self.random_state = random_state",
        "        self.n_jobs = n_jobs",
        "        self.verbose = verbose",
        ""])


def pages(library):
    return {"_header.py": Header(HEADER.read_text()).python(), "_settings.py": settings(table(library))}


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: generate.py LIBRARY [FOLDER]")
    for name, text in pages(sys.argv[1]).items():
        (Path(sys.argv[2] if len(sys.argv) == 3 else HERE / "surekrig") / name).write_text(text)
