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
