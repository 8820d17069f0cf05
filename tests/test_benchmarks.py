"""The benchmarks run on Runnel, and what they measure is written down."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_every_benchmark_has_a_figure(tmp_path: Path):
    options = ["--systems", "runnel", "--rounds", "1", "--output", str(tmp_path)]
    command = [sys.executable, ROOT / "benchmarks" / "run.py", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    results = json.loads((tmp_path / "results.json").read_text())
    assert set(results) == {"eager", "gradients", "graphs", "sparse", "startup"}
    for group in results.values():
        assert group["rows"]
        assert all(figures["runnel"]["min"] > 0 for figures in group["rows"].values())
    assert "add of 8 floats" in (tmp_path / "results.md").read_text()
