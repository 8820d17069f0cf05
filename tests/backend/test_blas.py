import numpy as np
import pytest
import scipy.linalg  # noqa: F401 (whose threads count too)

import runnel as tf
from runnel.backend import blas


def threads() -> list[int]:
    return [library.get() for library in blas._libraries()]


def test_linear_algebra_has_one_thread_inside_and_as_many_as_before_afterwards() -> None:
    before = threads()
    with blas.one_thread():
        with blas.one_thread():
            assert set(threads()) <= {1}
        assert set(threads()) <= {1}
    assert threads() == before


def test_an_error_inside_gives_the_threads_back() -> None:
    before = threads()
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be invertible"):
        tf.linalg.inv(np.zeros([4, 90, 90], np.float32))
    assert threads() == before


def test_a_module_without_openblas_has_no_threads_to_set() -> None:
    assert blas._library("math") is None
