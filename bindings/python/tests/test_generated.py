"""What is made from the library is what the library says."""
import ctypes
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import surekrig
from surekrig import _header

PACKAGE = Path(__file__).resolve().parents[1]
SPEC = importlib.util.spec_from_file_location("generate", PACKAGE / "generate.py")
generate = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(generate)


@pytest.mark.parametrize("name", ["_header.py", "_settings.py"])
def test_files_are_in_step(name):
    made = generate.pages(surekrig._library.library._name)[name]
    assert (PACKAGE / "surekrig" / name).read_text() == made, "renew it: scripts/pages"
    assert Path(surekrig.__file__).with_name(name).read_text() == made, "the package tested is not of this tree"


def test_the_compiler_lays_structures_out_the_same(tmp_path):
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("there is no C compiler to ask")
    structures = [kind for kind in vars(_header).values() if isinstance(kind, type) and issubclass(kind, ctypes.Structure)
                  and kind is not ctypes.Structure]
    ours = [f"{kind.__name__} {ctypes.sizeof(kind)}" for kind in structures]
    lines = [f'printf("{kind.__name__} %zu\\n", sizeof({kind.__name__}));' for kind in structures]
    for kind in structures:
        for name, _ in kind._fields_:
            place = getattr(kind, name)
            ours.append(f"{kind.__name__}.{name} {place.offset} {place.size}")
            lines.append(f'printf("{kind.__name__}.{name} %zu %zu\\n", offsetof({kind.__name__}, {name}), '
                         f"sizeof((({kind.__name__} *)0)->{name}));")
    program = tmp_path / "layout.c"
    program.write_text("#include <stdio.h>\n#include <surekrig.h>\nint main(void) {\n" + "\n".join(lines) + "\n}\n")
    subprocess.run([compiler, f"-I{generate.HEADER.parent}", program, "-o", tmp_path / "layout"], check=True)
    theirs = subprocess.run([tmp_path / "layout"], check=True, capture_output=True, text=True).stdout.split("\n")[:-1]
    assert len(structures) > 15 and ours == theirs


def test_every_function_of_the_header_is_declared():
    words = set(generate.re.findall(r"\b(surekrig_\w+)\(", generate.HEADER.read_text()))
    assert words == set(_header.FUNCTIONS)


def test_a_header_that_is_not_understood_is_refused():
    with pytest.raises(AssertionError, match="not understood in the header: union"):
        generate.Header("union pair { int a; };")


def test_new_settings_become_keywords():
    rows = [("sectors", "8", "1 to 8", "How many."), ("interval", "normal", "normal or conformal", "Which."),
            ("blocks", "none", "a path, or none", "Where."), ("levels", "0.5,0.9", "levels", "What."),
            ("fast", "yes", "no or yes", "If.")]
    space = {}
    exec(generate.settings(rows), space)
    made = space["Settings"](sectors=4).get_params()
    assert made == dict(sectors=4, interval="normal", blocks=None, levels=(0.5, 0.9), fast=True, random_state=None,
                        n_jobs=None, verbose=False)
    assert 'Literal["normal", "conformal"]' in generate.settings(rows) and "Union[bool, Literal" in generate.settings(rows)


def test_hints_are_in_order():
    """mypy, on the package's source."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    root = PACKAGE.parents[1]
    options = ["--config-file", root / "pyproject.toml", "--cache-dir", root / "build" / "mypy"]
    said = subprocess.run([sys.executable, "-m", "mypy", *options], cwd=root, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.parametrize("name, line, lines", [("calibration", "CRPS", 3), ("fill_gaps", "coverage at 0.95", 2)])
def test_the_examples_draw(tmp_path, name, line, lines):
    picture, example = tmp_path / "picture.png", PACKAGE.parents[1] / "examples" / "python" / f"{name}.py"
    said = subprocess.run([sys.executable, "-W", "ignore", example, picture], check=True, capture_output=True, text=True).stdout
    assert picture.read_bytes()[1:4] == b"PNG" and said.count(line) == lines
