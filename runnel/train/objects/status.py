"""What came of restoring a checkpoint: the object that `Checkpoint.restore` returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runnel.core.state.trackable import Trackable
from runnel.train.objects.object_graph import ObjectGraph
from runnel.train.objects.restoring import Restoration
from runnel.train.objects.saveables import saveables_of

_SHOWN = 20  # lines of a list in a report


@dataclass(frozen=True)
class RestoreReport:
    """What matched, and what did not, by paths from the root.

    `matched` took their values; `missing_objects` are in the checkpoint but not (yet) in the
    program; `missing_values` are in the program but not in the checkpoint; `unused` are values of
    matched objects that these do not take.
    """

    prefix: str
    matched: Sequence[str]
    missing_objects: Sequence[str]
    missing_values: Sequence[str]
    unused: Sequence[str]

    @property
    def complete(self) -> bool:
        return not (self.missing_objects or self.missing_values or self.unused)

    def __str__(self) -> str:
        parts = [
            (f"restored from {self.prefix}", self.matched),
            ("in the checkpoint, but not in the program", self.missing_objects),
            ("in the program, but not in the checkpoint", self.missing_values),
            ("in the checkpoint, but not taken by their objects", self.unused),
        ]
        lines = []
        for title, names in parts:
            if names or title.startswith("restored"):
                lines.append(f"{len(names)} {title}:")
                lines += [f"  {name}" for name in names[:_SHOWN]]
                if len(names) > _SHOWN:
                    lines.append(f"  … and {len(names) - _SHOWN} more")
        return "\n".join(lines)

    __repr__ = __str__


class CheckpointLoadStatus:
    """Asserts how well a checkpoint and the objects of the program matched."""

    def __init__(self, restoration: Restoration, root: Trackable) -> None:
        self._restoration = restoration
        self._root = root

    def _unmatched(self) -> list[tuple[str, Any]]:
        """The objects in the program now that have values, but took none."""
        bound = {id(item) for item in self._restoration.objects.values()}
        graph = ObjectGraph(self._root)
        return [
            (path, item)
            for path, item in zip(graph.paths, graph.objects)
            if id(item) not in bound and saveables_of(item)
        ]

    def report(self) -> RestoreReport:
        """What matched, what is missing on either side.

        >>> import os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "model")
        >>> path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(path)
        >>> report = tf.train.Checkpoint(a=tf.Variable(0.0), c=tf.Variable(0.0)).read(path).report()
        >>> report.matched, report.missing_objects, report.missing_values
        (['a'], ['b'], ['c'])
        """
        job = self._restoration
        unused = [f"{job.paths[n]} ({name})" for n, names in job.unwanted.items() for name in names]
        return RestoreReport(
            job.reader.prefix,
            sorted(job.paths[n] for n in job.restored),
            sorted(job.paths[n] for n in job.unmatched()),
            sorted(path or "(root)" for path, _ in self._unmatched()),
            sorted(unused),
        )

    def _complain(self, what: str) -> AssertionError:
        self._restoration.may_be_partial = True  # no need to tell it twice
        return AssertionError(f"{what}\n{self.report()}")

    def assert_consumed(self) -> CheckpointLoadStatus:
        """AssertionError unless every value of the checkpoint, and every object, was matched."""
        job = self._restoration
        for number in job.unmatched():
            raise self._complain(f"Unresolved object in checkpoint: {job.paths[number]}.")
        if job.unwanted:
            number = next(iter(job.unwanted))
            text = f"Unused attributes in {job.paths[number]}: {job.unwanted[number]}."
            raise self._complain(text)
        if job.waiting_slots:
            number = next(iter(job.waiting_slots))
            raise self._complain(f"Unresolved slot restorations for {job.paths[number]}.")
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """AssertionError unless every object of the program found its values."""
        unmatched = self._unmatched()
        if unmatched:
            raise self._complain(
                f"Found {len(unmatched)} Python objects that were not bound to checkpointed "
                f"values: {', '.join(path or '(root)' for path, _ in unmatched[:_SHOWN])}."
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """AssertionError if nothing but the root matched."""
        if all(number == 0 for number in self._restoration.objects):
            raise self._complain("Nothing except the root object matched a checkpointed value.")
        return self

    def expect_partial(self) -> CheckpointLoadStatus:
        """The same object; no warning comes for values that are never used."""
        self._restoration.may_be_partial = True
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Nothing is left to do: values are restored when their objects are found."""

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing is left to do: variables have values from the start."""


class InitializationOnlyStatus:
    """The status of `restore(None)`."""

    def _nothing(self) -> AssertionError:
        return AssertionError(
            "No checkpoint specified (save_path=None); nothing is being restored."
        )

    def assert_consumed(self) -> InitializationOnlyStatus:
        raise self._nothing()

    def assert_existing_objects_matched(self) -> InitializationOnlyStatus:
        raise self._nothing()

    def assert_nontrivial_match(self) -> InitializationOnlyStatus:
        raise self._nothing()

    def expect_partial(self) -> InitializationOnlyStatus:
        return self

    def report(self) -> RestoreReport:
        return RestoreReport("nothing", [], [], [], [])

    def run_restore_ops(self, session: Any = None) -> None:
        raise self._nothing()

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing is left to do: variables have values from the start."""
