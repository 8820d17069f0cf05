"""A sample of the conformance table, on a device that plays an accelerator."""

from __future__ import annotations

import json

from tests import children

PROGRAM = "from tests import accelerator; accelerator.conformance(7, 400)"


def test_an_accelerator_gives_the_answers_of_tensorflow() -> None:
    done = children.run(PROGRAM, check=True, timeout=300.0)
    assert json.loads(done.stdout.splitlines()[-1]) == {}
