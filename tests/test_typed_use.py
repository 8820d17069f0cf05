"""What editors and checkers of types see; `make lint` has mypy and pyright check `typed_use.py`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import typed_use

# The names in `tf.` that most public projects use, the most used ones first.
MOST_USED = """
keras.layers.Dense keras.Model keras.optimizers.Adam float32 keras.Sequential cast
data.Dataset.from_tensor_slices constant GradientTape keras.layers.Input function reduce_mean
keras.layers.Dropout shape reshape keras.layers.Conv2D expand_dims keras.layers.Flatten
keras.layers.Layer concat keras.Input reduce_sum random.set_seed data.AUTOTUNE int32 zeros squeeze
keras.utils.get_file Variable random.uniform range keras.layers.Embedding __version__
keras.losses.SparseCategoricalCrossentropy convert_to_tensor ones argmax
keras.datasets.mnist.load_data int64 matmul keras.models.load_model image.resize newaxis string
stack transpose config.list_physical_devices keras.layers.BatchNormalization
keras.callbacks.ModelCheckpoint random.normal where keras.callbacks.EarlyStopping
keras.optimizers.SGD gather nn.relu one_hot math.log nn.softmax keras.layers.LayerNormalization
keras.models.Sequential keras.layers.Reshape Tensor reduce_max clip_by_value square
keras.losses.BinaryCrossentropy saved_model.load keras.metrics.Mean exp keras.layers.MaxPooling2D
keras.layers.Activation sqrt keras.layers.LSTM TensorSpec keras.callbacks.Callback zeros_like tile
ones_like abs keras.metrics.SparseCategoricalAccuracy get_logger equal keras.layers.Add io.read_file
saved_model.save keras.regularizers.l2 float64 keras.models.Model
keras.losses.CategoricalCrossentropy keras.backend.clear_session keras.layers.InputLayer split
keras.layers.Rescaling config.experimental.set_memory_growth io.gfile.GFile maximum
train.Checkpoint Module keras.layers.Concatenate fill
""".split()


def test_most_used_names_are_in_the_typed_program():
    text = Path(typed_use.__file__).read_text("utf-8").replace(" layers.", " tf.keras.layers.")
    text = re.sub(r"(?<=[\[(])layers\.", "tf.keras.layers.", text)
    assert len(MOST_USED) == 100
    assert not [name for name in MOST_USED if not re.search(rf"\btf\.{re.escape(name)}\b", text)]


@pytest.mark.filterwarnings("ignore:In loss categorical_crossentropy")
def test_typed_program_runs():
    typed_use.main()


def test_names_that_are_loaded_late_are_shown_before():
    program = (
        "import sys, runnel as tf; late = 'keras losses metrics optimizers initializers'.split();"
        "print([n for n in dir(tf) if n in late], 'runnel.keras' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    shown = "['initializers', 'keras', 'losses', 'metrics', 'optimizers'] False"
    assert run.stdout.strip() == shown
