"""The programs in `examples/` do what they say, each in a folder of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(program: Path, folder: Path) -> str:
    command = [sys.executable, program]
    environment = os.environ | {"MPLCONFIGDIR": str(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_quickstart_learns_to_read_digits_and_a_new_process_goes_on_with_the_model(tmp_path: Path):
    output = run(EXAMPLES / "quickstart.py", tmp_path)
    (accuracy,) = re.findall(r"test accuracy ([\d.]+)%", output)
    assert float(accuracy) > 95
    for picture in ("quickstart_loss.png", "quickstart_model.png"):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")
    guesses, truth = re.findall(r"\[([\d ]+)\]", output.splitlines()[-1])
    pairs = list(zip(guesses.split(), truth.split(), strict=True))
    assert sum(a == b for a, b in pairs) >= 8
