"""Elements made by the workers of a data service."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import runnel as tf
from runnel.data.service.tasks import Source, Task

Dataset = tf.data.Dataset
service = tf.data.experimental.service
Policy = service.ShardingPolicy


@pytest.fixture(name="target")
def _target() -> Iterator[str]:
    dispatcher = service.DispatchServer()
    address = dispatcher.target.split("://")[1]
    workers = [service.WorkerServer(service.WorkerConfig(address)) for _ in range(2)]
    yield dispatcher.target
    for server in (*workers, dispatcher):
        server.stop()


def _sorted(dataset: Any) -> list[int]:
    return sorted(int(x) for x in dataset)


@pytest.mark.parametrize(
    ("mode", "times"),
    [
        ("parallel_epochs", 2),
        (Policy.OFF, 2),
        ("distributed_epoch", 1),
        (Policy.DYNAMIC, 1),
        (Policy.DATA, 1),
        (Policy.FILE_OR_DATA, 1),
    ],
)
def test_two_workers_make_each_element_as_often_as_the_mode_says(
    target: str, mode: Any, times: int
) -> None:
    dataset = Dataset.range(20).apply(service.distribute(mode, target))
    assert dataset.element_spec == tf.TensorSpec([], tf.int64)
    wanted = sorted([*range(20)] * times)
    assert _sorted(dataset) == wanted
    assert _sorted(dataset) == wanted


def test_files_are_divided_among_workers(target: str, tmp_path: Path) -> None:
    paths = []
    for i in range(4):
        (tmp_path / str(i)).write_text(f"{i}\n{i}\n")
        paths.append(str(tmp_path / str(i)))
    lines = tf.data.TextLineDataset(paths).apply(service.distribute(Policy.FILE, target))
    assert sorted(lines.as_numpy_iterator()) == [b"0", b"0", b"1", b"1", b"2", b"2", b"3", b"3"]
    names = Dataset.from_tensor_slices(paths)
    mixed = names.interleave(tf.data.TextLineDataset, cycle_length=2)
    found = mixed.apply(service.distribute(Policy.FILE, target)).as_numpy_iterator()
    assert sorted(found) == [b"0", b"0", b"1", b"1", b"2", b"2", b"3", b"3"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="reads no files"):
        list(Dataset.range(3).apply(service.distribute(Policy.FILE, target)))


def test_a_hint_says_where_to_divide(target: str) -> None:
    hint = tf.data.experimental.SHARD_HINT
    dataset = Dataset.range(6).shard(hint, hint).map(lambda x: x * 10)
    assert _sorted(dataset.apply(service.distribute(Policy.HINT, target))) == [*range(0, 60, 10)]


def test_clients_of_a_named_job_share_its_elements(target: str) -> None:
    def reader() -> Any:
        return iter(
            Dataset.range(10).apply(
                service.distribute("distributed_epoch", target, job_name="shared")
            )
        )

    first = service.register_dataset(target, Dataset.range(10), dataset_id="numbers")
    assert first.numpy() == b"numbers"
    a, b = (
        iter(service.from_dataset_id("distributed_epoch", target, first, job_name="shared"))
        for _ in range(2)
    )
    assert sorted([int(x) for x in a] + [int(x) for x in b]) == list(range(10))
    with pytest.raises(tf.errors.AlreadyExistsError):
        reader()


def test_consumers_read_in_rounds(target: str) -> None:
    def reader(index: int) -> Any:
        return iter(
            service.from_dataset_id(
                Policy.OFF, target, "endless", job_name="r", consumer_index=index, num_consumers=2
            )
        )

    service.register_dataset(target, Dataset.range(100).repeat(), dataset_id="endless")
    a, b = reader(0), reader(1)
    pairs = [(int(next(a)), int(next(b))) for _ in range(4)]
    assert pairs == [(0, 1), (0, 1), (2, 3), (2, 3)]  # two workers, each with the whole dataset


def test_trainers_share_a_cache() -> None:
    task = Task(Source(Dataset.range(1000)._node), 1, shared=True)
    fast = [int(task.next(None, 0, "fast")[0]) for _ in range(70)]  # type: ignore[index]
    slow = [int(task.next(None, 0, "slow")[0]) for _ in range(3)]  # type: ignore[index]
    assert fast == list(range(70))
    assert slow == [6, 7, 8]  # what is older has left the cache


READER = """
import sys
import runnel as tf
service = tf.data.experimental.service
dataset = service.from_dataset_id("distributed_epoch", sys.argv[1], "pairs")
print(sorted((int(x), t.numpy().decode()) for x, t in dataset))
try:
    tf.data.Dataset.range(3).apply(service.distribute("parallel_epochs", sys.argv[1]))
except NotImplementedError as error:
    print("not here" if "functions are not sent" in str(error) else error)
"""


def test_another_process_reads_a_registered_dataset(target: str) -> None:
    pairs = Dataset.range(3).map(lambda x: (x, tf.strings.as_string(x)))
    service.register_dataset(target, pairs, dataset_id="pairs")
    command = [sys.executable, "-c", READER, target]
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    assert ended.stdout.splitlines() == ["[(0, '0'), (1, '1'), (2, '2')]", "not here"]


def test_an_error_of_an_element_reaches_the_client(target: str) -> None:
    failing = Dataset.range(3).map(lambda x: 6 // (x - 1))
    dataset = failing.apply(service.distribute("distributed_epoch", target))
    with pytest.raises(tf.errors.InvalidArgumentError, match="in element 1 of MapDataset"):
        list(dataset)


def test_dropping_an_iterator_ends_its_task_and_threads(target: str) -> None:
    dataset = Dataset.range(10**9).apply(service.distribute("parallel_epochs", target))
    before = Counter(thread.name for thread in threading.enumerate())["prefetch"]
    iterator = iter(dataset)
    next(iterator)
    del iterator
    for _ in range(200):
        if Counter(thread.name for thread in threading.enumerate())["prefetch"] <= before:
            break
        threading.Event().wait(0.02)
    assert Counter(thread.name for thread in threading.enumerate())["prefetch"] <= before


def test_saved_by_workers(target: str, tmp_path: Path) -> None:
    tf.data.experimental.distributed_save(Dataset.range(9), str(tmp_path / "s"), target)
    assert _sorted(Dataset.load(str(tmp_path / "s"))) == list(range(9))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"processing_mode": "other"}, "processing_mode"),
        ({"service": "nowhere"}, "service"),
        ({"job_name": ""}, "job_name"),
        ({"consumer_index": 0}, "go together"),
        ({"consumer_index": 0, "num_consumers": 2}, "job_name"),
        ({"consumer_index": 2, "num_consumers": 2, "job_name": "a"}, "consumer_index"),
        ({"target_workers": "FAR"}, "target_workers"),
    ],
)
def test_arguments_that_cannot_be(options: dict[str, Any], message: str) -> None:
    arguments = {"processing_mode": "parallel_epochs", "service": "grpc://localhost:1"} | options
    with pytest.raises(ValueError, match=message):
        service.distribute(**arguments)


def test_rounds_need_a_dataset_without_end(target: str) -> None:
    rounds = service.distribute(
        "parallel_epochs", target, job_name="r", consumer_index=0, num_consumers=2
    )
    with pytest.raises(ValueError, match="infinite"):
        Dataset.range(3).apply(rounds)
    with pytest.raises(ValueError, match="trainer_id"):
        service.CrossTrainerCache("")
    with pytest.raises(NotImplementedError, match="fault_tolerant_mode"):
        service.DispatcherConfig(fault_tolerant_mode=True)
    with pytest.raises(NotImplementedError, match="no dispatcher of this process"):
        service.WorkerServer(service.WorkerConfig("localhost:1"))


def test_nobody_at_an_address_is_unavailable() -> None:
    with pytest.raises(tf.errors.UnavailableError, match="Nobody answers"):
        service.from_dataset_id("parallel_epochs", "grpc://localhost:1", "x")


def test_what_is_no_message_ends_the_connection(target: str) -> None:
    host, port = target.split("://")[1].split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"\xff" * 64)
        assert connection.recv(100) == b""
    service.register_dataset(target, Dataset.range(2), dataset_id="still")
    assert _sorted(service.from_dataset_id("distributed_epoch", target, "still")) == [0, 1]
