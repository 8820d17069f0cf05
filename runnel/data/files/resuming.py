"""`Dataset.save` that goes on after it was killed: its iterator and its files in checkpoints."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from runnel.core.files import files
from runnel.core.values.errors import NotFoundError, OpError
from runnel.data.files.saved_format import Writer
from runnel.data.run.iterator import OwnedIterator
from runnel.train.checkpoint import Checkpoint
from runnel.train.manager import CheckpointManager

_PROGRESS = "progress.json"


class Progress:
    """Saves how far the iterator and the writer of a dataset are, and puts them there again.

    What a checkpoint counts of the files of an earlier run is written anew by this one.
    """

    def __init__(self, iterator: OwnedIterator, writer: Writer, arguments: Mapping[str, Any]):
        self._writer = writer
        self._counter = arguments.get("step_counter")
        self._manager = CheckpointManager(Checkpoint(iterator=iterator), **arguments)
        self.saved = False
        if self._manager.latest_checkpoint is not None:
            self._go_on(self._manager.latest_checkpoint)

    def _go_on(self, checkpoint: str) -> None:
        marks = self._marks()
        if checkpoint not in marks:  # killed between the two files: begin anew
            return
        run, shards = marks[checkpoint]
        try:
            for shard, count in shards.items():
                self._writer.copy(run, int(shard), count)
        except OpError:
            self._writer.clear()
            return
        self._manager.checkpoint.restore(checkpoint)
        self.saved = True

    def _marks(self) -> dict[str, Any]:
        """For each checkpoint the run that wrote, and how many elements it had in each shard."""
        try:
            found = json.loads(files.read_whole(os.path.join(self._writer.path, _PROGRESS)))
        except (NotFoundError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def step(self) -> None:
        """Count an element, and save if it is time."""
        if self._counter is not None:
            self._counter.assign_add(1)
        path = self._manager.save(check_interval=True)
        if path is not None:
            self._writer.flush()
            kept = {k: v for k, v in self._marks().items() if k in self._manager.checkpoints}
            kept[path] = self._writer.run, self._writer.counts
            files.write_whole(os.path.join(self._writer.path, _PROGRESS), json.dumps(kept).encode())
            self.saved = True
