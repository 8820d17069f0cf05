"""`tf.distribute.cluster_resolver`, and what is wrong with a cluster."""

from __future__ import annotations

import json
import types
from typing import Any

import pytest

import runnel as tf
from tests import children

R = tf.distribute.cluster_resolver
TWO = {"worker": ["a:1", "b:1"]}


def _config(monkeypatch: pytest.MonkeyPatch, value: Any) -> None:
    text = value if isinstance(value, str) else json.dumps(value)
    monkeypatch.setenv("TF_CONFIG", text)


def test_tf_config_tells_the_cluster_and_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    _config(monkeypatch, {"cluster": TWO, "task": {"type": "worker", "index": "1"}})
    resolver = R.TFConfigClusterResolver()
    assert resolver.cluster_spec().as_dict() == TWO
    assert (resolver.task_type, resolver.task_id, resolver.rpc_layer) == ("worker", 1, None)
    assert resolver.master() == "b:1"
    assert resolver.master("worker", 0, "grpc") == "grpc://a:1"
    resolver.task_type, resolver.task_id, resolver.rpc_layer = "chief", 0, "grpc"
    assert (resolver.task_type, resolver.task_id, resolver.rpc_layer) == ("chief", 0, "grpc")
    _config(monkeypatch, {"session_master": "m", "rpc_layer": "grpc"})
    assert R.TFConfigClusterResolver().master() == "m"
    assert R.TFConfigClusterResolver().rpc_layer == "grpc"
    assert R.TFConfigClusterResolver(task_type="ps", task_id=3).task_id == 3


WORKER = {"type": "worker", "index": 0}
WRONG = [
    ("{", ValueError, "TF_CONFIG is no JSON"),
    ("[1]", ValueError, "TF_CONFIG must be an object"),
    ({"cluster": TWO}, ValueError, "which of its tasks this process is"),
    ({"cluster": TWO, "task": 3}, ValueError, '"task" must have a "type" and an "index"'),
    ({"cluster": TWO, "task": {"type": "worker", "index": 2}}, ValueError, "`task_id` 2 exceeds"),
    ({"cluster": TWO, "task": {"type": "chief", "index": 0}}, ValueError, "'chief' is not found"),
    ({"cluster": TWO, "task": {"type": "boss", "index": 0}}, ValueError, "task_type: 'boss'"),
    ({"cluster": {"boss": ["a:1"]}, "task": WORKER}, ValueError, r"got \['boss'\]"),
    (
        {"cluster": {"chief": ["a:1", "b:1"]}, "task": {"type": "chief", "index": 0}},
        ValueError,
        ".",
    ),
    ({"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 0}}, ValueError, "No `worker`"),
    ({"cluster": {"worker": "a:1"}, "task": WORKER}, TypeError, "must be a list or dictionary"),
]


@pytest.mark.parametrize(("config", "error", "words"), WRONG)
def test_a_wrong_cluster_is_explained(
    config: Any, error: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _config(monkeypatch, config)
    with pytest.raises(error, match=words):
        tf.distribute.MultiWorkerMirroredStrategy()


@pytest.mark.parametrize("job", ["worker", "evaluator"])
def test_a_worker_alone_and_an_evaluator_need_nobody(
    job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = {"worker": ["a:1"] if job == "worker" else ["a:1", "b:1"]}
    _config(monkeypatch, {"cluster": cluster, "task": {"type": job, "index": 0}})
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    assert strategy.num_replicas_in_sync == 1
    assert strategy.extended.should_checkpoint
    with strategy.scope():
        v = tf.Variable(2.0)
    total = strategy.reduce("SUM", strategy.run(lambda: v * 3.0), axis=None)
    assert float(total) == 6.0


def test_simple_and_united_clusters() -> None:
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:1"]})
    simple = R.SimpleClusterResolver(spec, "m", "worker", 1, "here", {"GPU": 2}, "grpc")
    assert simple.master() == "grpc://m"
    assert simple.master("worker", 1, "x") == "x://b:1"
    assert (simple.environment, simple.num_accelerators()) == ("here", {"GPU": 2})
    other = R.SimpleClusterResolver(tf.train.ClusterSpec({"worker": ["b:1", "c:1"]}))
    union = R.UnionResolver(simple, other)
    assert union.cluster_spec().as_dict() == {"worker": ["a:1", "b:1", "c:1"]}
    assert (union.task_type, union.task_id, union.rpc_layer) == ("worker", 1, "grpc")
    assert union.master("worker", 2) == "c:1"
    numbered = R.SimpleClusterResolver(tf.train.ClusterSpec({"worker": {0: "z:1"}}))
    with pytest.raises(KeyError, match="task 0 of 'worker'"):
        R.UnionResolver(
            R.SimpleClusterResolver(tf.train.ClusterSpec({"worker": {0: "y:1", 2: "x:1"}})),
            numbered,
        ).cluster_spec()
    for call, error in (
        (lambda: R.UnionResolver(), ValueError),
        (lambda: R.UnionResolver(simple, wrong=1), ValueError),
        (lambda: R.UnionResolver(3), TypeError),
        (lambda: R.SimpleClusterResolver({}), TypeError),
        (lambda: R.SimpleClusterResolver(spec, 3), TypeError),
        (lambda: R.ClusterResolver(), TypeError),
    ):
        with pytest.raises(error):
            call()


def test_slurm_tells_hosts_and_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {
        "SLURM_PROCID": "2",
        "SLURM_STEP_NUM_TASKS": "4",
        "SLURM_STEP_NODELIST": "n[08-09],m",
        "SLURM_STEP_TASKS_PER_NODE": "1(x2),2",
    }
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    resolver = R.SlurmClusterResolver(gpus_per_node=0)
    assert resolver.get_task_info() == (None, None)
    addresses = ["m:8888", "m:8889", "n08:8888", "n09:8888"]
    assert resolver.cluster_spec().as_dict() == {"worker": addresses}
    assert resolver.get_task_info() == ("worker", 2)
    assert resolver.master() == "grpc://n08:8888"
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1,2,3")
    split = R.SlurmClusterResolver({"worker": 3, "ps": 1}, 1000)
    assert split.cluster_spec().as_dict() == {
        "ps": ["m:1000"],
        "worker": ["m:1001", "n08:1000", "n09:1000"],
    }
    assert split.get_task_info() == ("worker", 1)
    assert split.num_accelerators() == {"GPU": 2}
    with pytest.raises(RuntimeError, match="Requested 9 tasks but only 4"):
        R.SlurmClusterResolver({"worker": 9}, gpus_per_node=0)
    with pytest.raises(RuntimeError, match="more GPUs per node"):
        R.SlurmClusterResolver(gpus_per_node=1, gpus_per_task=1)
    for name, value in (("NODELIST", "n[1-"), ("TASKS_PER_NODE", "x")):
        monkeypatch.setenv(f"SLURM_STEP_{name}", value)
        with pytest.raises(ValueError, match="Invalid"):
            R.SlurmClusterResolver(gpus_per_node=0)
    monkeypatch.delenv("SLURM_PROCID")
    with pytest.raises(RuntimeError, match="SLURM_PROCID not found"):
        R.SlurmClusterResolver()


class _Answer:
    """What a client of a cloud answers to whatever it is asked."""

    def __init__(self, answer: Any = None, **answers: Any) -> None:
        self._answer, self._answers = answer, answers

    def execute(self) -> Any:
        return self._answer

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: self._answers[name]


def test_clouds_are_asked_by_their_clients() -> None:
    listed = _Answer({"items": [{"instance": "zone/one"}]})
    machine = _Answer({"networkInterfaces": [{"networkIP": "10.0.0.1"}]})
    groups = _Answer(listInstances=listed, listInstances_next=None)
    service = _Answer(instanceGroups=groups, instances=_Answer(get=machine))
    gce = R.GCEClusterResolver("p", "z", "g", 8470, service=service)
    assert gce.cluster_spec().as_dict() == {"worker": ["10.0.0.1:8470"]}
    assert gce.master() == "grpc://10.0.0.1:8470"
    with pytest.raises(RuntimeError, match="cannot be changed"):
        gce.task_type = "ps"
    new = types.SimpleNamespace
    pods = [
        new(metadata=new(name=name), status=new(phase="Running", host_ip=f"10.0.0.{name}"))
        for name in ("2", "1")
    ]
    client = _Answer(list_pod_for_all_namespaces=new(items=pods))
    pod = R.KubernetesClusterResolver({"worker": ["x"]}, override_client=client)
    assert pod.cluster_spec().as_dict() == {"worker": ["10.0.0.1:8470", "10.0.0.2:8470"]}
    assert pod.master() == ""
    pods[0].status.phase = "Pending"
    with pytest.raises(RuntimeError, match='"2" is not running'):
        pod.cluster_spec()
    with pytest.raises(ImportError, match="pip install kubernetes"):
        R.KubernetesClusterResolver()
    with pytest.raises(NotImplementedError, match="tpu='grpc"):
        R.TPUClusterResolver("grpc://x")


_ALONE = """
import json, os, socket
import runnel as tf
taken = socket.create_server(("127.0.0.1", 0))
other = socket.create_server(("127.0.0.1", 0))
free = other.getsockname()[1]
other.close()

def wrong(port, index):
    cluster = {"worker": [f"127.0.0.1:{port}", "127.0.0.1:1"]}
    task = {"type": "worker", "index": index}
    os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": task})
    os.environ["RUNNEL_START_SECONDS"] = "1"
    try:
        tf.distribute.MultiWorkerMirroredStrategy()
    except tf.errors.OpError as error:
        print(type(error).__name__, error)

wrong(taken.getsockname()[1], 0)
wrong(free, 1)
wrong(free, 0)
"""


def test_who_does_not_come_is_named() -> None:
    done = children.run(_ALONE, timeout=60.0)
    lines = done.stdout.splitlines()
    assert len(lines) == 3, done.stdout + done.stderr
    assert "UnknownError worker 0 cannot listen at its address 127.0.0.1:" in lines[0]
    assert "UnavailableError worker 0 does not answer at 127.0.0.1:" in lines[1]
    assert "UnavailableError worker 1: did not come within 1 seconds" in lines[2]
