"""Programs on three replicas in one process: TensorFlow's answers for the same programs."""

from __future__ import annotations

import json

from tests import children
from tests.golden import distribute_mistakes
from tests.golden.cases import HERE, assert_same
from tests.tables import table

WANTED = json.loads((HERE / "distribute.json").read_text())

PROGRAM = """
import json, sys
import runnel as tf
from tests.golden import distribute_cases as cases
from tests.golden.cases import answer

strategy = cases.split(tf)
names = json.loads(sys.argv[1])
programs = cases.programs()
found = {n: answer(lambda tf, n=n: programs[n](tf, strategy), tf) for n in names}
print(json.dumps(found))
"""
_found: dict[str, dict[str, object]] = {}


def found(name: str) -> dict[str, object]:
    if not _found:
        done = children.run(PROGRAM, json.dumps(list(WANTED)), check=True)
        _found.update(json.loads(done.stdout.splitlines()[-1]))
    return _found[name]


@table("name", list(WANTED))
def test_answers_are_those_of_tensorflow(name: str) -> None:
    got, want = found(name), WANTED[name]
    assert "error" not in got, got
    result, ours = want["result"], distribute_mistakes.OURS.get(name.partition(".")[2], {})
    assert all(result[row] != error for row, error in ours.items())
    assert_same(got["result"], {**result, **ours} if ours else result, name)
