"""What libraries on top of TensorFlow tell it and ask of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import runnel as tf
from runnel.__internal__ import late
from runnel.compat.libraries import datasets, freezing, graphs, objects, optimizing, replicas
from tests import children

internal = tf.__internal__


def test_every_late_name_is_there() -> None:
    for space, names in late.NAMES.items():
        for name in names:
            assert late.find(space, name) is not None
    with pytest.raises(AttributeError, match="import_graph_def"):
        _ = internal.lift_to_graph


def test_views_list_objects_and_what_is_attached() -> None:
    root = tf.Module()
    root.v, extra = tf.Variable(1.0), tf.Variable(2.0)
    attached = [internal.tracking.TrackableReference("more", extra)]
    view = internal.tracking.ObjectGraphView(root, attached)
    assert list(view.children(root)) == ["v", "more"]
    found, ways = view.breadth_first_traversal()
    assert found == [root, root.v, extra] and [r.name for r in ways[extra]] == ["more"]
    assert sorted(view.serialize_object_graph()[0]) == [
        "more/.ATTRIBUTES/VARIABLE_VALUE",
        "v/.ATTRIBUTES/VARIABLE_VALUE",
    ]
    assert objects.list_objects(root) == [root, root.v]
    assert list(internal.tracking.saveable_objects_from_trackable(root.v)) == ["VARIABLE_VALUE"]


def test_one_object_is_tracked_as_another(tmp_path: Path) -> None:
    class Around(internal.tracking.DelegatingTrackableMixin, tf.train.Checkpoint):  # type: ignore[misc,name-defined]
        def __init__(self, inner: Any) -> None:
            internal.tracking.DelegatingTrackableMixin.__init__(self, inner)

    inner = tf.Module()
    inner.v = tf.Variable(3.0)
    path = tf.train.Checkpoint(model=Around(inner)).write(str(tmp_path / "c"))
    assert "model/v/.ATTRIBUTES/VARIABLE_VALUE" in dict(tf.train.list_variables(path))
    inner.v.assign(0.0)
    tf.train.Checkpoint(model=inner).read(path).assert_consumed()
    assert inner.v.numpy() == 3.0


class Counter(tf.Module):
    """An object of a kind that is registered."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []


def _seen(owner: Counter, name: str, child: Any) -> None:
    owner.seen.append(name)
    setattr(owner, name, child)


def test_parts_of_a_saved_model_are_loaded_into_objects(tmp_path: Path) -> None:
    loading = internal.saved_model.load
    made = loading.VersionedTypeRegistration(
        lambda proto: Counter(),
        version=2,
        min_producer_version=1,
        min_consumer_version=1,
        setter=_seen,
    )
    loading.register_revived_type("counter", lambda item: isinstance(item, Counter), [made])
    assert "counter" in loading.registered_identifiers()
    model = tf.Module()
    model.part, model.other = Counter(), tf.Variable(7.0)
    model.part.v = tf.Variable(5.0)
    tf.saved_model.save(model, str(tmp_path))
    assert "v" in tf.saved_model.load(str(tmp_path)).part.seen
    mine = tf.Variable(0.0)
    found = internal.saved_model.load_partial(
        str(tmp_path), {"root.part": None, "root.part.v": mine}
    )
    assert found["root.part"].v is mine and mine.numpy() == 5.0
    with pytest.raises(ValueError, match="nothing"):
        internal.saved_model.load_partial(str(tmp_path), ["root.nothing"])
    assert internal.saved_model.parse_saved_model(str(tmp_path)).meta_graphs
    with pytest.raises(AssertionError):
        loading.register_revived_type("counter", bool, [])


def test_a_variable_in_parts() -> None:
    parts = [tf.Variable([[1.0], [2.0]]), tf.Variable([[3.0]])]
    whole = internal.distribute.ShardedVariable(parts)
    assert whole.shape == (3, 1) and whole.numpy().ravel().tolist() == [1, 2, 3]
    whole.assign_add([[1.0], [1.0], [1.0]])
    changes = tf.IndexedSlices(tf.constant([[10.0], [20.0]]), tf.constant([2, 0]))
    whole.scatter_add(changes)
    assert tf.convert_to_tensor(whole).numpy().ravel().tolist() == [22, 3, 14]
    assert whole.sparse_read([2]).numpy().tolist() == [[14.0]]
    with pytest.raises(ValueError, match="dtype"):
        replicas.ShardedVariable([tf.Variable(1.0), tf.Variable(1)])


def test_merge_calls_pass_the_strategy() -> None:
    merge = internal.distribute.interim.maybe_merge_call
    assert internal.distribute.strategy_supports_no_merge_call()
    assert merge(lambda strategy, x: x + 1, tf.distribute.get_strategy(), 3) == 4
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with strategy.scope():
        assert not internal.distribute.strategy_supports_no_merge_call()
    told = strategy.run(lambda: merge(lambda s: tf.constant(s is strategy), strategy))
    assert told.numpy()


def test_operations_by_their_messages() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant([1.0, 2.0])
        node = tf.negative(x).op.node_def
        node.name = "again"
        operation = internal.create_c_op(graph, node, [x], [])
        assert operation.name == "again" and operation.outputs[0].shape == (2,)
        operation.note = operation.outputs[0].note = "mine"  # as libraries do
        assert graph.get_operation_by_name("again").note == "mine"
        definition = graph.as_graph_def()
    same = internal.graph_util.graph_defs_equal
    other = type(definition)()
    other.CopyFrom(definition)
    other.node.sort(key=lambda node: node.name)
    assert same(definition, other)
    other.node[0].attr["T"].type = 3
    assert not same(definition, other)
    branches = {"cpu": lambda: "CPU", "gpu": lambda: "GPU"}
    assert internal.execute_fn_for_device(branches, lambda: "other") in ("CPU", "GPU")


def test_conversion_follows_where_a_function_comes_from() -> None:
    autograph = internal.autograph

    def f(x: Any) -> Any:
        return x + 1 if x > 0 else x

    def status() -> str:
        return str(autograph.control_status_ctx().status.name)

    seen = [status()]
    tf.function(lambda: seen.append(status()))()
    tf.autograph.experimental.do_not_convert(lambda: seen.append(status()))()
    assert seen == ["UNSPECIFIED", "ENABLED", "DISABLED"]
    ctx = autograph.control_status_ctx()
    assert autograph.tf_convert(f, ctx) is not f
    assert autograph.tf_convert(f, ctx, convert_by_default=False) is f


def test_datasets_by_what_they_were_made_of() -> None:
    kinds = [k for k in vars(datasets).values() if isinstance(k, datasets._Kind)]
    dataset = tf.data.Dataset
    made = [dataset.range(2), dataset.from_tensors(1), dataset.from_tensor_slices([1])]
    made.append(dataset.from_generator(lambda: [1], output_signature=tf.TensorSpec([])))
    found = [[kind.__name__ for kind in kinds if isinstance(each, kind)] for each in made]
    assert found == [["_RangeDataset"], ["_TensorDataset"], ["_TensorSliceDataset"], [
        "_GeneratorDataset"
    ]]  # fmt: skip


SYMBOLS = """
import runnel as tf

class Symbol:
    def __init__(self, told):
        self.told = told

for name in tf.Tensor.OVERLOADABLE_OPERATORS:
    setattr(Symbol, name, getattr(tf.Tensor, name))

def text(value):
    return value.told if isinstance(value, Symbol) else str(value)

class Dispatcher(tf.__internal__.dispatch.GlobalOpDispatcher):
    def handle(self, op, args, kwargs):
        if not any(isinstance(arg, Symbol) for arg in args):
            return self.NOT_SUPPORTED
        told = [text(arg) for arg in args if arg is not None]
        return Symbol(f"{op.__name__}({', '.join(told)})")

Dispatcher().register()
x, y = Symbol("x"), Symbol("y")
for made in (x + 1, 1 - x, x * y, -x, x[0], x == y, x @ y, tf.constant(2) / x):
    print(made.told)
print((tf.constant(1) + 1).numpy(), (tf.constant([1, 2]) == 2).numpy())
"""
TOLD = """add(x, 1)
subtract(1, x)
multiply(x, y)
negative(x)
getitem(x, 0)
eq(x, y)
"""


class _Steps(tf.Module):
    def __init__(self) -> None:
        self.v = tf.Variable([1.0, 2.0])
        self.rows = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        self.offset = tf.constant([5.0, 6.0])

    @tf.function(input_signature=[tf.TensorSpec([2], name="x"), tf.TensorSpec([], tf.int32, "n")])
    def __call__(self, x: Any, n: Any) -> Any:
        for i in tf.range(n):
            if tf.reduce_sum(x) > 5.0:
                x = x * self.v
            else:
                x = x + self.v + tf.gather(self.rows, i % 2)
        last = tf.switch_case(n % 2, [lambda: self.v + 1.0, lambda: x * self.rows[0]])
        return {"y": x * self.v + self.offset, "z": last}


@pytest.mark.parametrize("lowered", [True, False])
def test_variables_of_a_function_become_constants(lowered: bool) -> None:
    steps = _Steps()
    whole = steps.__call__.get_concrete_function()
    frozen, graph_def = freezing.convert_variables_to_constants_v2_as_graph(whole, lowered)
    calls = [(tf.constant([0.5, 0.25]), tf.constant(n)) for n in range(4)]
    want = [[whole(*call)[key].numpy().tolist() for key in "yz"] for call in calls]
    for variable in (steps.v, steps.rows):
        variable.assign(variable + 1.0)  # which the frozen one does not see
    assert [[r.numpy().tolist() for r in frozen(*call)] for call in calls] == want

    # TensorFlow's names, so that who runs the graph finds what to feed and to fetch
    assert [t.name for t in frozen.inputs] == ["x:0", "n:0"] and not frozen.captured_inputs
    assert [t.name for t in frozen.outputs] == ["Identity:0", "Identity_1:0"]
    inner = [node for function in graph_def.library.function for node in function.node_def]
    assert not any("Variable" in n.op or "Resource" in n.op for n in [*graph_def.node, *inner])
    (loop,) = (node for node in graph_def.node if node.op == "While")
    assert loop.attr["_lower_using_switch_merge"].b is lowered

    again = tf.compat.v1.GraphDef.FromString(frozen.graph.as_graph_def().SerializeToString())
    imported = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(again, name=""), [])
    run = imported.prune(["x:0", "n:0"], ["Identity:0", "Identity_1:0"])
    assert [[r.numpy().tolist() for r in run(*call)] for call in calls] == want


def test_what_changes_a_variable_cannot_be_frozen() -> None:
    v = tf.Variable([1.0, 2.0])
    change = tf.function(lambda x: v.assign(x)).get_concrete_function(tf.TensorSpec([2]))
    with pytest.raises(ValueError, match="AssignVariableOp"):
        freezing.convert_variables_to_constants_v2(change)


@pytest.mark.parametrize("inlined", [True, False])
def test_calls_are_inlined_if_asked_for(inlined: bool) -> None:
    each = tf.function(lambda x: tf.vectorized_map(lambda row: tf.reduce_sum(row), x))
    concrete = each.get_concrete_function(tf.TensorSpec([None, 2], name="x"))
    frozen, graph_def = freezing.convert_variables_to_constants_v2_as_graph(
        concrete, aggressive_inlining=inlined
    )
    assert ("PartitionedCall" in {node.op for node in graph_def.node}) is not inlined
    assert frozen(tf.constant([[1.0, 2.0], [3.0, 4.0]]))[0].numpy().tolist() == [3.0, 7.0]


def test_constants_of_a_message_are_folded() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2, None], name="x")
        size = tf.add(tf.shape(x)[0], 3, name="size")
        tf.fill([tf.shape(x)[1]], tf.cast(size, tf.float32), name="y")
        tf.add(size, 1, name="fetched")
    meta = tf.compat.v1.train.export_meta_graph(graph=graph)
    meta.collection_def["train_op"].node_list.value.append("fetched:0")
    config = tf.compat.v1.ConfigProto()
    made = optimizing.OptimizeGraph(config, meta)
    found = {node.name: node.op for node in made.node}
    assert found["size"] == "Const" and found["y"] == "Fill" and found["fetched"] == "AddV2"
    assert list(found) == [node.name for node in graph.as_graph_def().node]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        y = tf.import_graph_def(made, return_elements=["y:0"], name="")[0]
        assert session.run(y, {"x:0": [[1.0], [1.0]]}).tolist() == [5.0]
    config.graph_options.rewrite_options.optimizers.append("function")
    assert optimizing.OptimizeGraph(config, meta) == meta.graph_def


def test_the_graph_of_a_function_is_made_of_its_message() -> None:
    inner = tf.function(lambda x: tf.cond(x[0] > 0.0, lambda: x * 2.0, lambda: x - 1.0))
    concrete = inner.get_concrete_function(tf.TensorSpec([None], name="x"))
    library = concrete.graph.as_graph_def().library.function
    (branch,) = (f for f in library if any(n.op == "Mul" for n in f.node_def))
    before = branch.SerializeToString(deterministic=True)
    made = graphs.function_def_to_graph(branch, input_shapes=[tf.TensorShape([4])])
    assert made.get_operations()[0].type == "Placeholder"
    assert made.inputs[0].shape == [4] and made.outputs[0].shape == [4]
    assert branch.SerializeToString(deterministic=True) == before
    assert set(concrete.graph._functions) == {f.signature.name for f in library}


def test_operators_of_tensors_serve_the_symbols_of_a_library() -> None:
    done = children.run(SYMBOLS, check=True)
    assert done.stdout.startswith(TOLD), done.stdout
    assert "matmul(x, y" in done.stdout and "truediv(" in done.stdout
    assert done.stdout.endswith("2 [False  True]\n")


def test_layouts_say_what_there_is() -> None:
    dtensor = tf.experimental.dtensor
    assert not dtensor.is_dtensor(tf.constant(1)) and dtensor.num_clients() == 1
    assert not isinstance(tf.Variable(1), dtensor.DVariable)
    for make in (dtensor.Mesh, dtensor.Layout, dtensor.copy_to_mesh, dtensor.create_mesh):
        with pytest.raises(NotImplementedError, match="MirroredStrategy"):
            make()
    with pytest.raises(AttributeError):
        _ = dtensor.nothing
