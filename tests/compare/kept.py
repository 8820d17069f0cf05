"""Programs that differed once, with TensorFlow's answers: `tests/golden/compared.json`.

`python -m tests.compare.kept FILE…` adds those of the programs that a search wrote with `--found`
on which both agree by now, one for each place and way of differing.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.compare import agreeing
from tests.compare.workers import kind_of

KEPT = Path(__file__).parents[1] / "golden" / "compared.json"
_LONGEST = 6000  # characters of an entry

Entry = dict[str, Any]


def entries() -> list[Entry]:
    """What is kept."""
    return [json.loads(line) for line in KEPT.read_text().splitlines()] if KEPT.exists() else []


def difference(tf: Any, entry: Entry) -> str:
    """In which way the module answers otherwise than TensorFlow did."""
    module = kind_of(entry["kind"])
    told = getattr(module, "told", lambda answer, way: answer)
    with tempfile.TemporaryDirectory() as folder:
        program = entry["program"]
        if "folder" in program:
            program = {**program, "folder": folder}
        ours = json.loads(json.dumps(module.answer(tf, program)))
    judge = getattr(module, "difference", agreeing.difference)
    return str(judge(entry["theirs"], told(ours, entry["way"])))


def main(files: Iterable[str]) -> None:
    """Add what agrees by now."""
    import runnel as tf

    kept = entries()
    known = {(entry["label"], entry["way"]) for entry in kept}
    for entry in _found(files):
        key = entry["label"], entry["way"]
        if key not in known and len(json.dumps(entry)) < _LONGEST and not difference(tf, entry):
            known.add(key)
            kept.append(_without_places(entry))
    KEPT.write_text("".join(json.dumps(entry) + "\n" for entry in kept))
    print(f"{len(kept)} programs in {KEPT.name}")


def _without_places(entry: Entry) -> Entry:
    """An entry without the files of this machine that TensorFlow's message tells of."""
    theirs = entry["theirs"]
    if isinstance(theirs, dict) and "message" in theirs:
        message = theirs["message"].partition("\n\nDetected at node")[0]
        entry = {**entry, "theirs": {**theirs, "message": message}}
    return entry


def _found(files: Iterable[str]) -> Iterator[Entry]:
    for file in files:
        for line in Path(file).read_text().splitlines():
            entry = json.loads(line)
            module = kind_of(entry["kind"])
            told = getattr(module, "told", lambda answer, way: answer)
            theirs = told(entry["theirs"], entry["way"])
            if theirs is not None:
                entry["program"].pop("folder", None)
                if entry["program"].get("file"):
                    entry["program"]["folder"] = ""
                yield {**entry, "theirs": theirs}


if __name__ == "__main__":
    main(sys.argv[1:])
