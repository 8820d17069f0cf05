import numpy as np

from runnel.core import threefry
from runnel.core.xla import jnp
from tests.golden.random_answers import recorded

SEED = np.array([3, -4], np.int32)


def test_numbers_are_those_of_functions_that_tensorflow_compiles():
    for case, answer in recorded("threefry"):
        dtype, shape = np.dtype(case["dtype"]), tuple(case["shape"])
        make = threefry.uniform if dtype.kind == "f" else threefry.full_int
        for xp in (np, jnp) if shape in ((7,), (3, 4)) else (np,):
            got = make(xp, *threefry.from_seed(xp, xp.asarray(SEED)), shape, dtype)
            assert got.dtype == dtype and got.shape == shape
            assert np.array_equal(got, answer), case
