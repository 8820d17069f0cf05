"""`tf.compat.v1`: its names, and that nothing of it is loaded before."""

from collections import Counter

import runnel as tf
from runnel.compat.v1.table import listing, table
from tests.children import run

v1 = tf.compat.v1


def test_names_that_are_the_same_are_the_same_objects():
    assert v1.nn.relu is tf.nn.relu
    assert v1.float32 is tf.float32
    assert v1.strings.lower is tf.strings.lower
    assert v1.strings is v1.strings  # found again once it is there
    assert v1.mod is tf.math.floormod
    assert "relu" in dir(v1.nn) and "lower" in listing("strings")


def test_the_table_names_what_there_is():
    absent = []
    for space, names in table().items():
        for name, path in names.items():
            found = tf
            try:
                for part in path.split("."):
                    found = getattr(found, part)
            except (AttributeError, ImportError):
                absent.append(f"{space}.{name}")
    counts = Counter(name.split(".")[0] for name in absent)
    assert not counts - Counter(ABSENT), absent


# What TensorFlow 2 has too and Runnel has not, by namespace; the numbers may only shrink.
ABSENT = {
    "__internal__": 2,
    "distribute": 21,
    "lite": 11,
    "mlir": 7,
    "quantization": 6,
    "test": 1,
    "tpu": 25,
    "train": 1,
    "xla": 2,
}


def test_the_library_does_not_load_it():
    run("import runnel, sys; assert 'runnel.v1' not in sys.modules", check=True)
