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
from tests import children

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
"""


def test_another_process_reads_a_registered_dataset(target: str) -> None:
    pairs = Dataset.range(3).map(lambda x: (x, tf.strings.as_string(x)))
    service.register_dataset(target, pairs, dataset_id="pairs")
    ended = children.run(READER, target, check=True)
    assert ended.stdout.splitlines() == ["[(0, '0'), (1, '1'), (2, '2')]"]


def test_an_error_of_an_element_reaches_the_client(target: str) -> None:
    failing = Dataset.range(3).map(lambda x: 6 // (x - 1))
    dataset = failing.apply(service.distribute("parallel_epochs", target))
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


def test_saved_by_workers_at_an_address_without_a_protocol(target: str, tmp_path: Path) -> None:
    address = target.split("://")[1]
    tf.data.experimental.distributed_save(Dataset.range(9), str(tmp_path / "s"), address)
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


def test_nobody_at_an_address_is_unavailable() -> None:
    with pytest.raises(tf.errors.UnavailableError, match="Nobody answers"):
        service.from_dataset_id("parallel_epochs", "grpc://localhost:1", "x")
    with pytest.raises(tf.errors.UnavailableError, match="Nobody answers"):
        service.WorkerServer(service.WorkerConfig("localhost:1"))


def test_what_is_no_message_ends_the_connection(target: str) -> None:
    host, port = target.split("://")[1].split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"\xff" * 64)
        assert connection.recv(100) == b""
    service.register_dataset(target, Dataset.range(2), dataset_id="still")
    assert _sorted(service.from_dataset_id("distributed_epoch", target, "still")) == [0, 1]


def test_errors_of_requests_are_tensorflows(target: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="work_dir"):
        service.DispatchServer(service.DispatcherConfig(fault_tolerant_mode=True))
    with pytest.raises(ValueError, match="not registered"):
        service.from_dataset_id("parallel_epochs", target, "nothing")
    service.register_dataset(target, Dataset.range(4), dataset_id="four")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Another dataset"):
        service.register_dataset(target, Dataset.range(5), dataset_id="four")
    with pytest.raises(tf.errors.InvalidArgumentError, match="max_outstanding"):
        service.distribute("parallel_epochs", target, max_outstanding_requests=0)
    with pytest.raises(tf.errors.NotFoundError, match="'pigeon'"):
        list(_read(target, "four", data_transfer_protocol="pigeon"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="named jobs"):
        list(_read(target, "four", cross_trainer_cache=service.CrossTrainerCache("a")))


def _read(target: str, name: str, mode: Any = Policy.OFF, **options: Any) -> Any:
    return service.from_dataset_id(mode, target, name, **options)


def test_the_cardinality_of_a_distributed_dataset_is_that_of_an_endless_one_or_unknown(
    target: str,
) -> None:
    over = service.distribute("parallel_epochs", target)
    assert int(Dataset.range(3).apply(over).cardinality()) == tf.data.UNKNOWN_CARDINALITY
    endless = Dataset.range(3).repeat().apply(over)
    assert int(endless.cardinality()) == tf.data.INFINITE_CARDINALITY
    assert repr(endless).startswith("<_DataServiceDatasetV2 element_spec=")


def test_a_source_is_divided_anew_in_every_repetition(target: str) -> None:
    numbers = Dataset.range(3).repeat(2).apply(service.distribute(Policy.DYNAMIC, target))
    assert _sorted(numbers) == [0, 0, 1, 1, 2, 2]
    made: list[int] = []

    def generator() -> Iterator[int]:
        made.append(1)
        yield from (5, 6, 7)

    spec = tf.TensorSpec([], tf.int32)
    whole = Dataset.from_generator(generator, output_signature=spec)
    assert _sorted(whole.apply(service.distribute(Policy.DYNAMIC, target))) == [5, 6, 7]
    assert made == [1]  # a generator cannot be divided: one worker has it all


def test_a_worker_that_starts_later_joins_in(target: str) -> None:
    endless = Dataset.range(2).repeat().apply(service.distribute(Policy.OFF, target))
    iterator = iter(endless)
    next(iterator)
    address = target.split("://")[1]
    worker = service.WorkerServer(service.WorkerConfig(address))
    wait = threading.Event()
    for _ in range(300):
        next(iterator)
        if worker._num_tasks():
            break
        wait.wait(0.01)
    assert worker._num_tasks() == 1
    worker.stop()
    assert [int(next(iterator)) in (0, 1) for _ in range(50)] == [True] * 50  # it goes on without


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])


DISPATCHER = """
import sys
import runnel as tf
service = tf.data.experimental.service
config = service.DispatcherConfig(
    port=int(sys.argv[1]), fault_tolerant_mode=True, work_dir=sys.argv[2]
)
dispatcher = service.DispatchServer(config)
print("ready", flush=True)
dispatcher.join()
"""
WORKER = """
import sys
import runnel as tf
service = tf.data.experimental.service
config = service.WorkerConfig("localhost:" + sys.argv[1], heartbeat_interval_ms=100)
worker = service.WorkerServer(config)
print("ready", flush=True)
worker.join()
"""


class _Process:
    """A server in a process of its own."""

    def __init__(self, program: str, *arguments: Any) -> None:
        command = [sys.executable, "-c", program, *map(str, arguments)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def ready(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def test_dispatcher_and_worker_in_other_processes_and_a_dispatcher_that_is_killed(
    tmp_path: Path,
) -> None:
    port = _free_port()
    target = f"grpc://localhost:{port}"
    dispatcher = _Process(DISPATCHER, port, tmp_path)
    dispatcher.ready()
    worker = _Process(WORKER, port)
    worker.ready()
    try:
        _check_functions_are_sent(target)
        numbers = Dataset.range(200).map(lambda x: x + 1)
        service.register_dataset(target, numbers, dataset_id="numbers")
        iterator = iter(_read(target, "numbers", Policy.DYNAMIC, job_name="shared"))
        first = [int(next(iterator)) for _ in range(10)]
        dispatcher.kill()
        dispatcher = _Process(DISPATCHER, port, tmp_path)  # while the worker asks for parts
        rest = [int(x) for x in iterator]
        assert first + rest == list(range(1, 201))
        assert _sorted(_read(target, "numbers")) == list(range(1, 201))  # from the journal
    finally:
        worker.kill()
        dispatcher.kill()


def _check_functions_are_sent(target: str) -> None:
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["0", "1"], tf.constant([10, 11], tf.int64)), -1
    )
    offset = tf.range(100, dtype=tf.int64)  # too large to be a constant of the graph

    def function(x: Any) -> Any:
        y = table.lookup(tf.strings.as_string(x))
        return {"y": y if x < 2 else offset[x], "ragged": tf.RaggedTensor.from_tensor([[x]])}

    dataset = Dataset.range(4).map(function).flat_map(lambda e: Dataset.from_tensors(e).repeat(2))
    far = dataset.apply(service.distribute("parallel_epochs", target))
    assert far.element_spec == dataset.element_spec
    assert [int(e["y"]) for e in far] == [10, 10, 11, 11, 2, 2, 3, 3]
    failing = Dataset.range(3).map(lambda x: 6 // (x - 1), name="divided")
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"in element 1 of MapDataset.*test_se"
    ):
        list(failing.apply(service.distribute("parallel_epochs", target)))
    python = Dataset.range(3).map(lambda x: tf.py_function(lambda y: y, [x], tf.int64))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"calls Python.*py_function"):
        python.apply(service.distribute("parallel_epochs", target))
    variable = tf.Variable(1, dtype=tf.int64)
    with pytest.raises(tf.errors.InvalidArgumentError, match="belongs to this process"):
        Dataset.range(3).map(lambda x: x + variable).apply(
            service.distribute("parallel_epochs", target)
        )
