"""Children that save in a loop are killed at random moments: the last complete version is there.

Each kind of file has a folder of its own, in which one child after another goes on where the last
one was killed. Everything that belongs to a version is filled with its number, so that a torn one
is seen. Half of the children are killed by the clock, half by themselves at one of their calls of
the file system.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

import runnel as tf
from runnel.core.protos import messages
from tests.robustness.children import Child, Tell
from tests.robustness.outcome import Outcome

NAME = "kill"
_SECONDS = 60.0  # for a child to begin, or to read what there is
_LONGEST = 0.25  # seconds until a child is killed by the clock
_CALLS = 60  # of the file system, before one at which a child kills itself
_EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.scandir"}


@dataclass(frozen=True)
class Kind:
    """Something that is written in a loop.

    `write(folder, first, tell)` writes the versions from `first` on and tells each that is
    complete; `read(folder)` gives the version that is there, and raises if there is none.
    """

    name: str
    write: Callable[[str, int, Tell], None]
    read: Callable[[str], int]


def trial(tries: int, minutes: float, seed: int) -> Outcome:
    began = time.monotonic()
    chance = random.Random(seed)
    outcome = Outcome(NAME, 0, 0.0)
    versions = 0
    with tempfile.TemporaryDirectory(prefix="runnel-kill-") as place:
        for kind in KINDS:
            _warm_up(kind, os.path.join(place, f"warm-{kind.name}"))
        folders = {kind: _Place(os.path.join(place, kind.name)) for kind in KINDS}
        for kind in itertools.islice(itertools.cycle(KINDS), tries):
            if time.monotonic() - began > 60 * minutes:
                break
            there = folders[kind]
            before = there.version
            finding = _kill_once(kind, there, chance)
            versions += max(there.version - before, 0)
            outcome.tries += 1
            if finding:
                outcome.findings.append(f"{kind.name}, kill {outcome.tries}: {finding}")
                folders[kind] = _Place(f"{there.folder}-{outcome.tries}")
    outcome.seconds = time.monotonic() - began
    outcome.notes = f"{len(KINDS)} kinds of files, {versions:,} versions"
    return outcome


@dataclass
class _Place:
    folder: str
    version: int = -1  # the last one that is known to be complete


def _kill_once(kind: Kind, there: _Place, chance: random.Random) -> str:
    """Start a writer, kill it, read what it left; what is wrong, if anything is."""
    by_clock = chance.random() < 0.5
    calls = chance.randrange(_CALLS)

    def write(tell: Tell) -> None:
        _be_quiet()
        os.makedirs(there.folder, exist_ok=True)
        tell("ready")
        if not by_clock:
            _die_at(calls)
        kind.write(there.folder, there.version + 1, tell)

    child = Child(write)
    if child.hear(_SECONDS) is None:
        return f"the writer did not begin: {child.end(0)}"
    told = child.listen(chance.uniform(0, _LONGEST) if by_clock else 2 * _LONGEST)
    child.kill()  # a writer of records opens one file, and then calls nothing that is counted
    told += child.listen(_SECONDS)
    ended = child.end(_SECONDS)
    if ended != "it died of SIGKILL":
        return f"the writer was not killed: {ended or 'it ended'}"
    complete = max([there.version, *told])
    return _read_back(kind, there, complete)


def _read_back(kind: Kind, there: _Place, complete: int) -> str:
    """Read in a process of its own: the version that was told last, or the next one."""

    def read(tell: Tell) -> None:
        _be_quiet()
        try:
            tell(kind.read(there.folder))
        except (tf.errors.OpError, OSError, ValueError) as error:
            tell(f"{type(error).__name__}: {error}")

    child = Child(read)
    found = child.hear(_SECONDS)
    ended = child.end(_SECONDS)
    if ended or found is None:
        return f"version {complete} was complete, and to read it failed: {ended}"
    if isinstance(found, str):
        return f"version {complete} was complete, and cannot be read: {found}" * (complete >= 0)
    there.version = found
    if found in (complete, complete + 1):
        return ""
    return f"version {complete} was complete, and {found} was found"


def _die_at(calls: int) -> None:
    """Kill this process at one of its calls of the file system."""
    left = itertools.count(calls, -1)

    def hook(event: str, _: Any) -> None:
        if event in _EVENTS and next(left) <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def _be_quiet() -> None:
    warnings.simplefilter("ignore")
    logging.getLogger("tensorflow").setLevel(logging.ERROR)


def _warm_up(kind: Kind, folder: str) -> None:
    """Have this process write and read once, so that its children need no time to begin."""

    class Enough(Exception):
        pass

    def tell(_: Any) -> None:
        raise Enough

    os.makedirs(folder)
    with warnings.catch_warnings():
        _be_quiet()
        with contextlib.suppress(Enough):
            kind.write(folder, 0, tell)
        kind.read(folder)


def _one_number(arrays: Iterable[Any]) -> int:
    """The number that fills all arrays."""
    values = {float(x) for array in arrays for x in np.unique(np.asarray(array))}
    if len(values) != 1:
        raise AssertionError(f"the version is torn: it has the numbers {sorted(values)}")
    return int(values.pop())


def _loop(save: Callable[[str, int], None]) -> Callable[[str, int, Tell], None]:
    """A writer that saves one version after another."""

    def write(folder: str, first: int, tell: Tell) -> None:
        for version in itertools.count(first):
            save(folder, version)
            tell(version)

    return write


# Variables, and checkpoints of them.


def _variables() -> list[tf.Variable]:
    return [tf.Variable(np.zeros([50, 20 * size], np.float32)) for size in range(1, 4)]


def _filled(variables: Iterable[tf.Variable], number: int) -> None:
    for variable in variables:
        variable.assign(tf.fill(variable.shape, tf.cast(number, variable.dtype)))


def _checkpoint(number: int = 0) -> tf.train.Checkpoint:
    variables = _variables()
    _filled(variables, number)
    return tf.train.Checkpoint(**{f"v{i}": v for i, v in enumerate(variables)})


def _numbers(checkpoint: tf.train.Checkpoint) -> int:
    return _one_number([checkpoint.v0, checkpoint.v1, checkpoint.v2])


def _write_checkpoint(folder: str, version: int) -> None:
    _checkpoint(version).write(f"{folder}/same")


def _read_checkpoint(folder: str) -> int:
    checkpoint = _checkpoint()
    checkpoint.read(f"{folder}/same").assert_consumed()
    return _numbers(checkpoint)


def _write_managed(folder: str, version: int) -> None:
    checkpoint = _checkpoint(version)
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    manager.save(checkpoint_number=version)


def _read_managed(folder: str) -> int:
    checkpoint = _checkpoint()
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    if manager.restore_or_initialize() is None:
        raise ValueError("there is no checkpoint")
    return _numbers(checkpoint)


# Models.


def _model(number: int = 0) -> Any:
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [layers.Input([16]), layers.Dense(48, name="first"), layers.Dense(3, name="second")]
    )
    model.compile("adam", "mse")
    model.optimizer.build(model.trainable_variables)
    _filled(_of(model), number)
    return model


def _of(model: Any) -> list[Any]:
    rate = model.optimizer.learning_rate
    return [*model.weights, *(v for v in model.optimizer.variables if v is not rate)]


def _model_kind(name: str, file: str, **options: Any) -> Kind:
    def save(folder: str, version: int) -> None:
        _model(version).save(f"{folder}/{file}", **options)

    def read(folder: str) -> int:
        return _one_number(_of(tf.keras.models.load_model(f"{folder}/{file}")))

    return Kind(name, _loop(save), read)


def _weights_kind(name: str, file: str) -> Kind:
    def save(folder: str, version: int) -> None:
        _model(version).save_weights(f"{folder}/{file}")

    def read(folder: str) -> int:
        model = _model(-7)
        model.load_weights(f"{folder}/{file}")
        return _one_number(model.weights)

    return Kind(name, _loop(save), read)


class _Module(tf.Module):
    def __init__(self, number: int) -> None:
        super().__init__()
        self.parts = _variables()
        _filled(self.parts, number)
        self.number = number

    @tf.function(input_signature=[])
    def total(self) -> tf.Tensor:
        return self.parts[0][0, 0] + float(self.number)


def _save_module(folder: str, version: int) -> None:
    tf.saved_model.save(_Module(version), f"{folder}/saved")


def _read_module(folder: str) -> int:
    module = tf.saved_model.load(f"{folder}/saved")
    return _one_number([*module.parts, module.total() / 2])


# Training that goes on where it was.

_STEPS = 3


class _Counting(tf.keras.Model):
    """A model whose weights are all the number of steps it was trained."""

    def train_step(self, data: Any) -> dict[str, Any]:
        for weight in self.trainable_variables:
            weight.assign_add(tf.ones_like(weight))
        return {"loss": tf.zeros([])}


def _counting() -> Any:
    entry = tf.keras.Input([16])
    model = _Counting(entry, tf.keras.layers.Dense(100, kernel_initializer="zeros")(entry))
    model.compile("sgd", "mse", run_eagerly=True)
    model.optimizer.build(model.trainable_variables)
    return model


def _fit(model: Any, callbacks: list[Any], **options: Any) -> None:
    x = np.zeros([_STEPS, 16], np.float32)
    model.fit(x, x, batch_size=1, verbose=0, epochs=10**6, callbacks=callbacks, **options)


def _telling(tell: Tell) -> Any:
    return tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: tell(epoch))


def _epoch_of(weights: Iterable[Any]) -> int:
    """The epoch that was complete when all weights were saved."""
    epochs, steps = divmod(_one_number(weights), _STEPS)
    if steps:
        raise AssertionError(f"saved after {steps} steps of epoch {epochs}")
    return epochs - 1


def _saving_kind(name: str, file: str, **options: Any) -> Kind:
    """`ModelCheckpoint`, and a new run that goes on at the epoch it has saved."""

    def write(folder: str, first: int, tell: Tell) -> None:
        model = _counting()
        _filled(model.weights, first * _STEPS)
        saving = tf.keras.callbacks.ModelCheckpoint(f"{folder}/{file}", **options)
        _fit(model, [saving, _telling(tell)], initial_epoch=first)

    def read(folder: str) -> int:
        if "save_weights_only" in options:
            model = _counting()
            model.load_weights(f"{folder}/{file}")
        else:
            names = {"_Counting": _Counting}
            model = tf.keras.models.load_model(f"{folder}/{file}", custom_objects=names)
        return _epoch_of(model.weights)

    return Kind(name, write, read)


def _write_backups(folder: str, first: int, tell: Tell) -> None:
    del first  # it goes on by itself
    _fit(_counting(), [tf.keras.callbacks.BackupAndRestore(folder), _telling(tell)])


def _read_backup(folder: str) -> int:
    """The epoch before the one at which training goes on."""
    model, begun = _counting(), []

    class Looking(tf.keras.callbacks.Callback):
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            begun.append(epoch)
            raise StopIteration

    with contextlib.suppress(StopIteration):
        _fit(model, [tf.keras.callbacks.BackupAndRestore(folder), Looking()])
    if _epoch_of(model.weights) != begun[0] - 1:
        raise AssertionError(f"epoch {begun[0]} begins with the weights of another")
    if not begun[0]:
        raise ValueError("there is no backup")
    return begun[0] - 1


# Records, and files of datasets.

_ELEMENTS = 40


def _write_records(folder: str, first: int, tell: Tell) -> None:
    """A file for each run, since a file of records is not written further."""
    with tf.io.TFRecordWriter(f"{folder}/from-{first:08}") as writer:
        for number in itertools.count(first):
            writer.write(b"%d " % number * 30)
            writer.flush()
            tell(number)


def _read_records(folder: str) -> int:
    number = -1
    for path in sorted(tf.io.gfile.glob(f"{folder}/from-*")):
        try:
            for record in tf.data.TFRecordDataset(path):
                number += 1
                if record.numpy() != b"%d " % number * 30:
                    raise AssertionError(f"record {number} is {record.numpy()!r}")
        except tf.errors.DataLossError:
            pass  # the record that was being written
    if number < 0:
        raise ValueError("there are no records")
    return number


def _write_events(folder: str, first: int, tell: Tell) -> None:
    writer = tf.summary.create_file_writer(folder, filename_suffix=f".{first:08}")
    with writer.as_default():
        for number in itertools.count(first):
            tf.summary.scalar("number", float(number), step=number)
            writer.flush()
            tell(number)


def _read_events(folder: str) -> int:
    number = -1
    for path in sorted(tf.io.gfile.glob(f"{folder}/events*"), key=lambda p: p.rpartition(".")[2]):
        with contextlib.suppress(tf.errors.DataLossError):  # the event that was being written
            for record in tf.data.TFRecordDataset(path):
                event = messages.Event.FromString(record.numpy())
                number = max(number, event.step) if event.summary.value else number
    if number < 0:
        raise ValueError("there are no events")
    return number


def _elements(number: int) -> tf.data.Dataset:
    return tf.data.Dataset.from_tensors(np.full([500], number)).repeat(_ELEMENTS)


def _number_of(dataset: tf.data.Dataset) -> int:
    elements = list(dataset.as_numpy_iterator())
    if len(elements) != _ELEMENTS:
        raise AssertionError(f"{len(elements)} elements instead of {_ELEMENTS}")
    return _one_number(elements)


def _save_dataset(folder: str, version: int) -> None:
    _elements(version).save(f"{folder}/saved")


def _read_dataset(folder: str) -> int:
    return _number_of(tf.data.Dataset.load(f"{folder}/saved"))


def _offered(folder: str, number: int) -> tf.data.Dataset:
    """Elements that are not in the dataset's description, by which a snapshot knows it."""
    path = f"{folder}/source"
    with open(path, "w") as file:
        file.write(f"{number:>2000}")
    return tf.data.TextLineDataset(path).repeat(_ELEMENTS)


def _kept_kind(name: str, keep: Callable[[tf.data.Dataset, str], tf.data.Dataset]) -> Kind:
    """A snapshot or cache, of which each version has a place of its own.

    What was complete is read again although other elements are offered; the place at which the
    writer was killed gives what is offered.
    """

    def write(folder: str, first: int, tell: Tell) -> None:
        for version in itertools.count(first):
            place = f"{folder}/{version:08}"
            os.makedirs(place, exist_ok=True)
            _number_of(keep(_offered(folder, version), f"{place}/kept"))
            tell(version)

    def read(folder: str) -> int:
        places = sorted(tf.io.gfile.glob(f"{folder}/0*"))
        found = [_kept_number(place) for place in places]
        whole = [number for number in found if number is not None]
        if not whole:
            raise ValueError("nothing was kept")
        for old in places[: len(whole) - 1]:
            shutil.rmtree(old)
        return max(whole)

    def _kept_number(place: str) -> int | None:
        """The number, if that was kept; looked for in a copy, since looking would keep another."""
        with tempfile.TemporaryDirectory() as copied:
            shutil.copytree(place, f"{copied}/place")
            number = _number_of(keep(_offered(os.path.dirname(place), -1), f"{copied}/place/kept"))
        if number not in (int(os.path.basename(place)), -1):
            raise AssertionError(f"{place} has the elements of {number}")
        return None if number < 0 else number

    return Kind(name, write, read)


KINDS = [
    Kind("checkpoint", _loop(_write_checkpoint), _read_checkpoint),
    Kind("manager", _loop(_write_managed), _read_managed),
    Kind("saved_model", _loop(_save_module), _read_module),
    _model_kind("model_folder", "model", save_format="tf"),
    _model_kind("keras", "model.keras"),
    _model_kind("h5", "model.h5"),
    _weights_kind("weights_h5", "model.weights.h5"),
    _weights_kind("weights", "weights"),
    _saving_kind("ModelCheckpoint", "model.keras"),
    _saving_kind("ModelCheckpoint_weights", "weights", save_weights_only=True),
    Kind("BackupAndRestore", _write_backups, _read_backup),
    Kind("records", _write_records, _read_records),
    Kind("events", _write_events, _read_events),
    Kind("Dataset.save", _loop(_save_dataset), _read_dataset),
    _kept_kind("snapshot", lambda dataset, path: dataset.snapshot(path)),
    _kept_kind("cache", lambda dataset, path: dataset.cache(path)),
]
