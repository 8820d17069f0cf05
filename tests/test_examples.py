"""The programs in `examples/` do what they say, each in a folder of its own."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"

# What each program must have said at the end of a quick run: a pattern and a check of its numbers.
RESULTS = {
    "image_augmentation": (
        r"straight .* crooked images ([\d.]+)%\n(?:.*\n)*.* crooked images ([\d.]+)%",
        lambda straight, augmented: augmented > straight + 10,
    ),
    "text_classification": (r"test accuracy ([\d.]+)%", lambda right: right > 80),
    "date_translation": (r"signs right ([\d.]+)%", lambda right: right > 45),
    "transformer": (r"digits right ([\d.]+)%", lambda right: right > 20),
    "variational_autoencoder": (r"from ([\d.]+) to ([\d.]+)", lambda first, last: last < first),
    "gan": (r"from ([\d.]+) to ([\d.]+)", lambda before, after: after < before / 2),
    "wide_and_deep": (
        r"off by ([\d.]+) minutes, ([\d.]+) by .* tips ([\d.]+)",
        lambda off, mean, area: off < mean / 2 and area > 0.65,
    ),
    "transfer_learning": (r"frozen: accuracy ([\d.]+)%", lambda right: right > 50),
    "forecasting": (r"off by ([\d.]+) °C, ([\d.]+) °C", lambda off, naive: off < naive),
    "structured_data": (r"curve ([\d.]+)", lambda area: area > 0.8),
}


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


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_a_quick_run_ends_with_a_result_better_than_chance(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--quick"])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")  # here: no import to wait for
    output = capsys.readouterr().out
    pattern, is_good = RESULTS[name]
    numbers = [float(n) for n in re.search(pattern, output).groups()]
    assert is_good(*numbers), output
    for file in {f"{name}.png", *re.findall(r"\w+\.(?:png|keras)\b", output)}:
        assert (tmp_path / file).stat().st_size > 1000


def test_every_program_is_short_tested_and_listed():
    programs = {path.stem: path.read_text() for path in EXAMPLES.glob("*.py")}
    listed = (EXAMPLES / "README.md").read_text()
    assert set(programs) == {*RESULTS, "quickstart"}
    for name, text in programs.items():
        assert text.count("\n") < 100, name
        assert f"`{name}.py`" in listed
