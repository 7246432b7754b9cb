"""The root's build backend, working there."""
import os
from pathlib import Path

os.chdir(Path(__file__).resolve().parents[3])
from scikit_build_core.build import *  # noqa: E402, F401, F403
