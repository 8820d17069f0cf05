"""Tools of TensorFlow's own source that packages use, found under their internal names."""

from __future__ import annotations

import collections
import logging
from typing import Any

import pytest

import runnel as tf
from runnel.compat.facades import resolve
from runnel.compat.internal_names import TOOLS


def tool(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return resolve(TOOLS[module][name])


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    texts = [record.getMessage() for record in caplog.records]
    caplog.clear()
    return texts


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
    assert tool("util.tf_export.get_symbol_from_name")("math.add") is tf.math.add


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
