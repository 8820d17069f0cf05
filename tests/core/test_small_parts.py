"""DLPack, critical sections, libraries, versions, loggers."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import runnel as tf


def test_a_capsule_is_read_once() -> None:
    capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1.0, 2.0]))
    assert tf.experimental.dlpack.from_dlpack(capsule).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="once"):
        tf.experimental.dlpack.from_dlpack(capsule)


def test_arrays_of_other_libraries_are_read_directly() -> None:
    assert tf.experimental.dlpack.from_dlpack(np.arange(3)).dtype is tf.int64


def test_dlpack_carries_bfloat16_and_bool_but_not_strings():
    for dtype in (tf.bfloat16, tf.bool, tf.float16, tf.complex64):
        x = tf.cast(tf.constant([1, 0]), dtype)
        got = tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(x))
        assert got.dtype is dtype and (got.numpy() == x.numpy()).all()
    with pytest.raises(tf.errors.InvalidArgumentError, match="of dtype string"):
        tf.experimental.dlpack.to_dlpack(tf.constant(["a"]))


def test_a_critical_section_loses_no_update() -> None:
    section, v = tf.CriticalSection(), tf.Variable(0)

    def work() -> None:
        for _ in range(200):
            section.execute(lambda: v.assign(v + 1))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert v.numpy() == 800


def test_the_version_is_that_of_the_tensorflow_that_is_followed() -> None:
    assert tf.__version__ == tf.version.VERSION
    with pytest.raises(NotImplementedError, match="get_compile_flags"):
        tf.sysconfig.get_compile_flags()


def test_compiled_libraries_are_refused(tmp_path: object) -> None:
    with pytest.raises(NotImplementedError, match="load_op_library"):
        tf.load_op_library(__file__)
    with pytest.raises(NotImplementedError, match="load_library"):
        tf.load_library(__file__)


def test_the_logger_is_the_one_programs_silence() -> None:
    assert tf.get_logger().name == "tensorflow"


def test_the_type_of_none_has_a_spec() -> None:
    spec = tf.NoneTensorSpec()
    assert tf.type_spec_from_value(None) == spec
    assert spec.is_compatible_with(None) and not spec.is_compatible_with(3)
    assert spec.value_type is type(None)


def test_a_dtype_is_made_of_its_number() -> None:
    assert tf.DType(1) is tf.float32
    with pytest.raises(TypeError, match="must number a dtype"):
        tf.DType(9999)


def test_a_slice_of_a_saved_variable_is_described() -> None:
    info = tf.Variable.SaveSliceInfo("w", [4, 4], [0, 2], [4, 2])
    assert info.spec == "4 4 0,4:2,2"
    again = tf.Variable.SaveSliceInfo(save_slice_info_def=info.to_proto())
    assert vars(again) == vars(info)
    assert info.to_proto("other") is None


def test_variables_outside_graphs_are_no_messages() -> None:
    with pytest.raises(RuntimeError, match="cannot be a VariableDef"):
        tf.Variable(1.0).to_proto()
    with pytest.raises(NotImplementedError, match="VariableDef"):
        tf.Variable.from_proto(None)


def test_load_assigns() -> None:
    v = tf.Variable([1.0, 2.0])
    assert v.load([3.0, 4.0]) is None
    assert v.numpy().tolist() == [3.0, 4.0]


def test_the_product_with_a_bool_says_whether_both_are_true() -> None:
    mask, x = tf.constant([True, False, True]), tf.constant([1.0, 2.0, 0.0])
    for product in (mask * x, x * mask, tf.function(lambda: mask * x)()):
        assert product.dtype is tf.bool
        assert product.numpy().tolist() == [True, False, False]
    assert (mask * 1).numpy().tolist() == [True, False, True]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.multiply(mask, mask)
