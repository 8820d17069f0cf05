"""What some replicas write, others can read."""

from __future__ import annotations

import json
from pathlib import Path

from tests import children

PROGRAM = "import sys; from tests.distribute.saving_programs import main; main(sys.argv[1])"


def test_files_of_any_number_of_replicas_are_read_by_any_other(tmp_path: Path) -> None:
    done = children.run(PROGRAM, str(tmp_path), check=True, timeout=300.0)
    assert json.loads(done.stdout.splitlines()[-1]) == []
