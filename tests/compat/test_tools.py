"""Tools of TensorFlow's own source that packages use, found under their internal names."""

from __future__ import annotations

import collections
import inspect
import logging
from pathlib import Path
from typing import Any

import pytest

import runnel as tf
from runnel.compat.facades import facade, resolve
from runnel.compat.internal_names import TOOLS, table


def tool(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return resolve(TOOLS[module][name])


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    texts = [record.getMessage() for record in caplog.records]
    caplog.clear()
    return texts


# What packages use of `tensorflow.python` and is not there, module by module.
ABSENT = """
framework.convert_to_constants: _FunctionConverterData _FunctionConverterDataInEager
framework.convert_to_constants: _FunctionConverterDataInGraph _construct_concrete_function
framework.convert_to_constants: _replace_variables_by_constants
"""


def test_internal_names_that_packages_use_are_there() -> None:
    text = (Path(__file__).parent / "package_names.txt").read_text()
    used, absent = (
        {f"{line.partition(': ')[0]}.{name}" for line in lines.strip().splitlines()
         for name in line.partition(": ")[2].split()}
        for lines in (text, ABSENT)
    )  # fmt: skip
    missing = {name for name in used if not is_there(name)}
    assert len(used) == 274 and missing == absent, missing ^ absent


def is_there(name: str) -> bool:
    module, _, last = name.rpartition(".")
    found = facade(f"python.{module}", name)
    return found is not None and hasattr(found, last)


def test_every_tool_is_there() -> None:
    rows = [path for names in TOOLS.values() for path in names.values()]
    assert len(rows) > 100 and all(resolve(path) is not None for path in rows)


def test_deprecated_functions_and_arguments_warn(caplog: pytest.LogCaptureFixture) -> None:
    @tool("util.deprecation.deprecated")("2030-01-01", "Use g.")
    def f(x: int) -> int:
        """Twice."""
        return 2 * x

    assert (f(1), f(2)) == (2, 4)
    (text,) = said(caplog)  # once
    assert "f (from" in text and "after 2030-01-01" in text and "Use g." in text
    assert f.__name__ == "f" and f.__doc__.startswith("Twice. (deprecated)")

    @tool("util.deprecation.deprecated_args")(None, "No y.", "y", ("z", None), warn_once=False)
    def g(x: int, y: int = 0, z: Any = None) -> int:
        return x

    assert (g(1), g(1, z=None), said(caplog)) == (1, 1, [])
    assert g(1, 2) == g(1, z=3) == 1
    assert [text.split(" is ")[0][-6:] for text in said(caplog)] == ["with y", "with z"]

    @tool("util.deprecation.deprecated_arg_values")(None, "Not 3.", warn_once=False, y=3)
    def h(x: int, y: int = 0) -> int:
        return x

    assert h(1, y=2) == h(1, y=3) == 1
    assert ["y=3" in text for text in said(caplog)] == [True]
    old = tool("util.deprecation.deprecated_alias")("old.Name", "new.Name", dict)
    with tool("util.deprecation.silence")():
        assert old(a=1) == {"a": 1} and not said(caplog)
    assert isinstance(old(), dict) and "new.Name" in said(caplog)[0]


def test_decorators_say_what_they_wrap() -> None:
    def inner(x: int) -> int:
        """Inside."""
        return x

    outer = tool("util.tf_decorator.make_decorator")(inner, lambda *args: 7, "seven")
    found, function = tool("util.tf_decorator.unwrap")(outer)
    assert function is inner and [d.decorator_name for d in found] == ["seven"]
    assert outer(1) == 7 and outer.__doc__ == "Inside."
    name = tool("util.tf_export.get_canonical_name_for_symbol")
    exported = tool("util.tf_export.keras_export")("keras.thing", "keras.other")(inner)
    assert name(exported, api_name="keras") == "keras.thing" and name(tf.constant) == "constant"
    found = tool("util.tf_export.get_symbol_from_name")
    assert found("math.add") is tf.math.add and found("keras.thing") is exported
    assert found("keras.layers.Dense") is None  # who exports names of Keras has all of it


def test_a_branch_that_is_known_is_the_only_one() -> None:
    smart_cond = tool("framework.smart_cond.smart_cond")
    assert smart_cond(True, lambda: 1, lambda: 1 // 0) == 1
    assert smart_cond(tf.constant(False), lambda: 1 // 0, lambda: 2) == 2
    fn = tf.function(lambda p: smart_cond(p, lambda: 1.0, lambda: 2.0))
    assert [fn(tf.constant(p)).numpy() for p in (True, False)] == [1.0, 2.0]
    with pytest.raises(TypeError, match="pred"):
        smart_cond("yes", int, int)
    with pytest.raises(TypeError, match="true_fn"):
        smart_cond(True, 1, int)


def test_modes_gauges_and_logging(caplog: pytest.LogCaptureFixture) -> None:
    with tool("eager.context.graph_mode")():
        assert not tf.executing_eagerly() and isinstance(tf.constant(1).graph, tf.Graph)
        with tool("eager.context.eager_mode")():
            assert tf.executing_eagerly()
    gauge = tool("eager.monitoring.BoolGauge")("/a", "what", "label")
    gauge.get_cell("x").set(True)
    assert gauge.get_cell("x").value() is True and gauge.get_cell("y").value() is False
    with pytest.raises(ValueError, match="1 labels"):
        gauge.get_cell()
    for _ in range(3):
        tool("platform.tf_logging.log_first_n")(logging.WARNING, "%d times", 2, 5)
    assert said(caplog) == ["5 times", "5 times"]


def test_structures_beyond_nest() -> None:
    Pair = collections.namedtuple("Pair", "a b")
    assert tool("util.nest._is_namedtuple")(Pair(1, 2)) and not tool("util.nest._is_namedtuple")(
        (1,)
    )
    shallow = tool("util.nest.get_traverse_shallow_structure")
    assert shallow(lambda s: not isinstance(s, tuple), [1, (2, 3), {"a": 4}]) == [
        True,
        False,
        {"a": True},
    ]
    values = tool("util.variable_utils.convert_variables_to_tensors")([tf.Variable(1.0), 2])
    assert isinstance(values[0], tf.Tensor) and values[1] == 2
    convert = tool("framework.ops.convert_to_tensor_or_composite")
    ragged = tf.ragged.constant([[1], []])
    assert convert(ragged) is ragged and convert([1]).shape == [1]
    with pytest.raises(ValueError, match="dtype"):
        convert(ragged, tf.float32)


def test_more_of_structures() -> None:
    Pair = collections.namedtuple("Pair", "b a")
    tree = {"y": [1, 2], "x": Pair((3,), 4)}
    like, items = tool("util.nest._sequence_like"), tool("util.nest._yield_sorted_items")
    assert like(tree, [7, 8]) == {"x": 7, "y": 8} and like(Pair(1, 2), [3, 4]) == Pair(3, 4)
    assert list(items(tree)) == [("x", Pair((3,), 4)), ("y", [1, 2])]
    assert list(tool("util.nest._yield_value")(Pair((3,), 4))) == [(3,), 4]
    assert tool("util.nest.list_to_tuple")(tree) == {"y": (1, 2), "x": Pair((3,), 4)}
    up_to = tool("util.nest.map_structure_with_tuple_paths_up_to")
    assert up_to({"x": 0, "y": 0}, lambda path, part: (path, len(part)), tree) == {
        "x": (("x",), 2),
        "y": (("y",), 2),
    }
    flatten, mapped = tool("data.util.nest.flatten"), tool("data.util.nest.map_structure")
    assert flatten(({"a": [1, 2]}, 3)) == [[1, 2], 3]
    assert mapped(len, ({"a": [1, 2]}, "abc")) == ({"a": 2}, 3)


class Spectrum(tf.__internal__.CompositeTensor):
    """A composite value as a library defines it."""

    def __init__(self, values: Any) -> None:
        self.values = tf.convert_to_tensor(values)

    @property
    def _type_spec(self) -> Any:
        return SpectrumSpec(tf.type_spec_from_value(self.values))


class SpectrumSpec(tool("framework.type_spec.BatchableTypeSpec")):  # type: ignore[misc]
    value_type = Spectrum

    def __init__(self, inside: Any) -> None:
        self.inside = inside

    def _serialize(self) -> Any:
        return (self.inside,)

    _component_specs = property(lambda self: self.inside)

    def _to_components(self, value: Any) -> Any:
        return value.values

    def _from_components(self, components: Any) -> Any:
        return Spectrum(components) if tf.is_tensor(components) else self

    def _batch(self, batch_size: Any) -> Any:
        return SpectrumSpec(self.inside._batch(batch_size))

    def _unbatch(self) -> Any:
        return SpectrumSpec(self.inside._unbatch())


def test_composite_tensors_of_libraries() -> None:
    value = Spectrum([1.0, 2.0])
    assert tf.nest.flatten([value, 3], expand_composites=True)[0] is value.values
    assert tf.function(lambda s: s.values * 2)(value).numpy().tolist() == [2, 4]
    doubled = tf.map_fn(lambda s: Spectrum(s.values * 2), value)
    assert isinstance(doubled, Spectrum) and doubled.values.numpy().tolist() == [2, 4]
    composite = tf.__internal__.CompositeTensor
    for ours in (tf.ragged.constant([[1]]), tf.sparse.from_dense([1]), tf.Variable(1)):
        assert isinstance(ours, composite)
    assert not isinstance(tf.constant(1), composite)
    spec = tool("framework.type_spec.BatchableTypeSpec")
    assert isinstance(tf.TensorSpec([]), spec) and isinstance(tf.RaggedTensorSpec([1, None]), spec)


def test_decorators_of_tests_run_them_in_both_modes() -> None:
    modes = []

    class Case(tf.test.TestCase):
        @tool("framework.test_util.run_in_graph_and_eager_modes")
        def test_both(self) -> None:
            modes.append(tf.executing_eagerly())
            assert self.evaluate(tf.constant(2) + 1) == 3

        @tool("framework.test_util.run_deprecated_v1")
        def test_graph(self) -> None:
            modes.append(tf.executing_eagerly())

        @tool("framework.test_util.also_run_as_tf_function")
        def test_function(self) -> None:
            modes.append(tf.executing_eagerly())

        @tool("framework.test_util.run_v1_only")("not here")
        def test_skipped(self) -> None:
            raise AssertionError

        @tool("framework.test_util.assert_no_new_tensors")
        def test_leaves_tensors(self) -> None:
            self.left = tf.constant([1, 2])

    def ran(name: str) -> Any:
        result = Case(name).run()
        return [len(result.failures) + len(result.errors), len(result.skipped), modes[:]]

    assert ran("test_both") == [0, 0, [False, True]]
    modes.clear()
    assert ran("test_graph") == [0, 0, [False]]
    modes.clear()
    assert ran("test_function") == [0, 0, [True, False]]
    modes.clear()
    assert ran("test_skipped") == [0, 1, []] and ran("test_leaves_tensors")[0] == 1


def test_functions_that_only_internal_modules_have() -> None:
    pfor = tool("ops.parallel_for.control_flow_ops.pfor")
    assert pfor(lambda i: i * i, 4).numpy().tolist() == [0, 1, 4, 9]
    words = tool("ops.lookup_ops.index_table_from_tensor")(["a", "b"], num_oov_buckets=1)
    assert words.lookup(tf.constant(["b", "?"])).numpy().tolist() == [1, 2]
    conv = tool("ops.nn_ops.Convolution")([1, 4, 4, 1], [2, 2, 1, 1], "VALID", strides=[2, 2])
    assert conv(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1])).numpy().ravel().tolist() == [4] * 4
    as_shape = tool("framework.tensor_util.constant_value_as_shape")
    assert as_shape(tf.constant([2, -1])).as_list() == [2, None]
    case = tool("ops.control_flow_case._case_helper")
    pairs = [(tf.constant(False), lambda: 1 // 0), (tf.constant(True), lambda: 2)]
    assert case(tool("framework.smart_cond.smart_cond"), pairs, None, False, None) == 2
    v = tf.Variable(1.0)
    tool("training.moving_averages.assign_moving_average")(v, 2.0, 0.75, zero_debias=False)
    assert v.numpy() == 1.25
    ((gradient, variable),) = tool("eager.backprop.implicit_grad")(lambda: v * 3)()
    assert gradient.numpy() == 3 and variable is v
    weights = tool("ops.weights_broadcast_ops.broadcast_weights")
    assert weights([[2.0], [3.0]], tf.ones([2, 2])).numpy().tolist() == [[2, 2], [3, 3]]
    with pytest.raises(ValueError, match="weights"):
        weights([1.0, 2.0], tf.ones([3, 2]))
    inside = []
    in_xla = tool("ops.control_flow_util.GraphOrParentsInXlaContext")
    for compiled in (True, False):
        fn = tf.function(
            lambda: inside.append(in_xla(tf.compat.v1.get_default_graph())), jit_compile=compiled
        )
        fn()
    assert inside == [True, False]


def test_functions_of_libraries_are_dispatched() -> None:
    @tool("util.dispatch.add_dispatch_support")
    def twice(x: Any) -> Any:
        return tf.multiply(x, 2)

    tool("util.dispatch.dispatch_for_types")(twice, Spectrum)(lambda x: Spectrum(x.values * 2))
    assert twice(3).numpy() == 6 and twice(Spectrum([1.0])).values.numpy() == [2]
    with pytest.raises((TypeError, ValueError)):
        twice(object())
    assert twice(tf.keras.Input([2])).shape.as_list() == [None, 2]


def test_what_is_inspected_has_no_decorators_and_no_annotations() -> None:
    spec = tool("util.tf_inspect.getfullargspec")
    assert spec(tf.rank) == inspect.getfullargspec(lambda input, name=None: 0)
    outer = tool("util.tf_decorator.make_decorator")(tf.rank, lambda *args: 0)
    assert spec(outer).args == ["input", "name"]
    assert outer.__original_wrapped__ is tf.rank
    assert tool("util.tf_inspect.getargspec")(tf.rank).defaults == (None,)
    own = tf.custom_gradient(lambda x, y: (x, lambda dy: (dy, None)))
    assert spec(own).args == ["x", "y"] and own.__original_wrapped__(1, 2)[0] == 1


def test_what_nobody_can_use_says_so() -> None:
    parse = resolve(table()["autograph.pyct.parser"]["parse_entity"])
    with pytest.raises(NotImplementedError, match=r"autograph\.pyct\.parser\.parse_entity"):
        parse(len, ())
    base = resolve(table()["autograph.pyct.transformer"]["Base"])
    made = type("Transformer", base.__mro_entries__(()), {})
    with pytest.raises(NotImplementedError, match="transformer"):
        made()


class Own(tf.keras.layers.Layer):
    pass


def test_public_names_are_tensorflows_first_ones() -> None:
    name = tool("util.tf_export.get_canonical_name_for_symbol")
    functions = {
        "nn.softmax": tf.math.softmax,
        "math.add": tf.add,
        "io.decode_png": tf.image.decode_png,
    }
    assert {path: name(function) for path, function in functions.items()} == {
        p: p for p in functions
    }
    assert name(tf.keras.layers.Dense, api_name="keras") == "keras.layers.Dense"
    assert name(tf.nn.relu6, api_name="keras") is None and name(tf.keras.layers.Dense) is None
    exported = tool("util.tf_export.keras_export")("keras.layers.Own")(Own)
    assert name(exported, api_name="keras") == "keras.layers.Own"
    assert name(type("Inner", (Own,), {}), api_name="keras") is None  # it has another name, or none


def test_what_libraries_note_on_tensors_and_ask_of_variables() -> None:
    tensor, variable = tf.constant(1.0), tf.Variable([1.0, 2.0])
    tensor.noted = True
    assert tensor.noted and variable._type_spec == tf.type_spec_from_value(variable)
    assert not hasattr(tf.Variable, "_type_spec")
    done = []
    tf.function(lambda: done.append(variable.assign_sub([1.0, 1.0]).op.type))()
    assert done[-1] == "AssignSubVariableOp"
    spec = tf.RaggedTensorSpec([2, None, 3])._with_tensor_ranks_only()
    assert spec.shape.as_list() == [None, None, None]


def test_sizes_that_are_tensors_and_models_in_memory() -> None:
    rows = tf.function(lambda x: tf.experimental.numpy.broadcast_to(x, [tf.shape(x)[0], 3]))
    assert rows(tf.ones([2, 1])).shape == (2, 3)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.save("ram://models/dense")
    assert len(tf.keras.models.load_model("ram://models/dense").weights) == 2
    assert tf.keras.initializers.Constant("a")([2], tf.string).numpy().tolist() == [b"a", b"a"]


def test_a_change_of_rows_outside_graphs_has_no_operation() -> None:
    variable = tf.Variable([1.0, 2.0])
    changed = tf.compat.v1.scatter_update(variable, [1], [5.0])
    assert changed.op is None and changed.handle is variable.handle
    assert (changed + 1.0).numpy().tolist() == [2, 6] and variable.numpy().tolist() == [1, 5]
