"""The benchmarks run on Runnel, and what they measure is written down."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow  # it starts processes and times them
def test_every_job_of_a_group_gets_a_figure(tmp_path: Path):
    options = ["--systems", "runnel", "--rounds", "1", "--output", str(tmp_path)]
    command = [sys.executable, ROOT / "benchmarks" / "run.py", "--only", "eager,gradients"]
    done = subprocess.run([*command, *options], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    results = json.loads((tmp_path / "results.json").read_text())
    assert set(results) == {"eager", "gradients"}
    for group in results.values():
        assert group["rows"]
        assert all(figures["runnel"]["min"] > 0 for figures in group["rows"].values())
    assert "add of 8 floats" in (tmp_path / "results.md").read_text()


def test_every_file_of_jobs_is_a_group(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT))
    run = importlib.import_module("benchmarks.run")
    files = [
        path for path in (ROOT / "benchmarks").glob("*.py") if "@benchmark(" in path.read_text()
    ]
    jobs = {path.stem for path in files} - {"jobs"}
    assert jobs == {*run.GROUPS, *run.SWEEPS} - {"startup"}
