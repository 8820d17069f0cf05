"""What a compiled program stores."""

import numpy as np

from runnel.backend import jax as xla
from runnel.backend.stored import stored
from tests import children


def divisions(fn, *args):
    return xla.compile(fn).lower(*args).as_text().count("stablehlo.divide")


def test_only_what_a_program_computes_is_stored_anew():
    x = np.ones(8, np.float32)
    assert divisions(lambda x: stored(x) + 1, x) == 0
    assert divisions(lambda x: stored(x + 1) + 1, x) == 1
    assert divisions(lambda x: stored(x + 1, beside=x) + 1, x) == 1


def test_what_is_stored_stays_the_same():
    x = np.array([0.0, -0.0, 1.5, np.inf, -np.inf, np.nan, 1e-40], np.float32)
    for beside in (None, np.zeros_like(x)):
        found = xla.compile(lambda x, b=beside: stored(-x, b))(x)
        np.testing.assert_array_equal(found, -x)


def test_loading_jax_draws_no_random_numbers_of_the_program():
    done = children.run(
        "import numpy as np\n"
        "from runnel.backend.jax import load\n"
        "np.random.seed(3)\n"
        "load('jax')\n"
        "print(np.random.randint(1000) == np.random.RandomState(3).randint(1000))"
    )
    assert done.stdout.strip() == "True", done.stderr
