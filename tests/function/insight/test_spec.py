"""What a function says of its parameters; the texts are TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest

import runnel as tf


def test_a_function_without_a_signature_takes_anything() -> None:
    @tf.function
    def fn(x: Any, y: Any = 2, *args: Any, k: Any = 1, **more: Any) -> Any:
        return x

    spec = fn.function_spec
    assert spec.arg_names == ["x", "y"]
    assert spec.default_values == {"y": 2, "k": 1}
    assert spec.input_signature is None
    assert spec.flat_input_signature == (None,)
    assert spec.jit_compile is None
    assert not spec.is_pure
    assert str(fn.function_type) == (
        "(x, y=<captured_default_value>, *args, k=<captured_default_value>, **more)"
    )
    assert spec.signature_summary(default_values=True).splitlines() == [
        "Input Parameters:",
        "  x (POSITIONAL_OR_KEYWORD): None",
        "  y (POSITIONAL_OR_KEYWORD): None",
        "  args (VAR_POSITIONAL): None",
        "  k (KEYWORD_ONLY): None",
        "  more (VAR_KEYWORD): None",
        "Output Type:",
        "  None",
        "Captures:",
        "  None",
        "Defaults:",
        "  y: 2",
        "  k: 1",
    ]


def test_a_signature_fixes_the_types() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], name="a")], jit_compile=True)
    def fn(x: Any) -> Any:
        return x

    spec = fn.function_spec
    assert fn.input_signature == spec.input_signature == (tf.TensorSpec([None], name="a"),)
    assert spec.jit_compile
    assert "x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None,)" in spec.signature_summary()
    assert spec.fullargspec.args == ["x"]


def test_a_method_has_no_self() -> None:
    class Layer:
        @tf.function
        def run(self, x: Any, *, k: Any = 3) -> Any:
            return x

    spec = Layer().run.function_spec
    assert spec.arg_names == ["x"]
    assert spec.fullargspec.kwonlydefaults == {"k": 3}
    assert str(spec.function_type) == "(x, *, k=<captured_default_value>)"


def _ir(**target: Any) -> Any:
    fn = tf.function(lambda x: x + 1.0, jit_compile=True)
    return fn.experimental_get_compiler_ir(tf.ones([2]))(**target)


@pytest.mark.parametrize("name", ["/device:CPU:0", "CPU:0", "/cpu:0", ""])
def test_the_program_for_a_device(name: str) -> None:
    assert _ir(stage="hlo", device_name=name).startswith("HloModule")


def test_the_program_for_a_platform() -> None:
    assert _ir(stage="optimized_hlo", platform_name="CPU").startswith("HloModule")
    assert _ir(stage="hlo", platform_name="GPU").startswith("HloModule")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ({"device_name": "/device:CPU:7"}, "No matching device found"),
        ({"platform_name": "Host"}, "No JIT device registered"),
        ({"stage": "optimized_hlo", "platform_name": "TPU"}, "No JIT device registered"),
        ({"device_name": "CPU:0", "platform_name": "CPU"}, "at the same time"),
    ],
)
def test_programs_for_what_is_not_there(target: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _ir(**target)


def test_attributes_are_part_of_the_function_def() -> None:
    fn = tf.function(
        lambda x: x, experimental_implements="my.op", experimental_attributes={"time_major": True}
    )
    attributes = fn.get_concrete_function(tf.TensorSpec([])).function_def.attr
    assert attributes["_implements"].s == b"my.op"
    assert attributes["time_major"].b
    with pytest.raises(ValueError, match="not supported as an attribute"):
        tf.function(lambda x: x, experimental_attributes={"implements": "my.op"})


def test_inputs_inside_an_argument_are_named_after_it_and_known_by_their_path() -> None:
    fn = tf.function(lambda d: d["x"][0] + d["x"][1])
    concrete = fn.get_concrete_function({"x": [tf.TensorSpec([]), tf.TensorSpec([])]})
    assert [t.name for t in concrete.inputs] == ["d:0", "d_1:0"]
    ((known,), _) = concrete.structured_input_signature
    assert [spec.name for spec in known["x"]] == ["d_x_0", "d_x_1"]
    assert concrete(d_x_0=tf.constant(1.0), d_x_1=tf.constant(2.0)).numpy() == 3.0
    written = concrete.function_def
    names = [written.arg_attr[i].attr["_user_specified_name"].s for i in range(2)]
    assert names == [b"d_x_0", b"d_x_1"]
