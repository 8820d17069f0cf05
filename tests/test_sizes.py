"""Sizes that cannot be: refused at once, before anything of them is made."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import runnel as tf

_BAD, _FULL = "InvalidArgumentError", "ResourceExhaustedError"

# What is called, and the class of TensorFlow's error: from 2**63 elements on they have no number.
_CALLS = [
    ("keras.layers.UpSampling2D(1610637938, 'channels_first', 'bilinear')(x4)", "ValueError"),
    ("keras.layers.UpSampling2D(10**6)(x4)", _FULL),
    ("keras.layers.UpSampling3D(10**8)(x5)", _BAD),
    ("keras.layers.UpSampling3D(10**4)(x5)", _FULL),
    ("keras.layers.ZeroPadding1D(2**62)(x3)", _BAD),
    ("keras.layers.RepeatVector(10**12)(x2)", _FULL),
    ("keras.metrics.MeanIoU(2**62)", _BAD),
    ("keras.metrics.OneHotMeanIoU(2**62)", _BAD),
    ("keras.metrics.MeanIoU(10**7)", _FULL),
    ("keras.metrics.AUC(2**62)", _BAD),
    ("keras.metrics.AUC(10**12)", _FULL),
    ("keras.metrics.PrecisionAtRecall(0.5, 10**12)", _FULL),
    ("keras.backend.tile(x3, [10**8] * 3)", _BAD),
    ("keras.backend.resize_volumes(x5, 10**7, 10**7, 10**7, 'channels_last')", _BAD),
    ("tile(x3, [10**4] * 3)", _FULL),
    ("tile(x2, [2**62] * 2)", _BAD),
    ("fill([2**62], 1.0)", _FULL),
    ("fill([10**12], 1.0)", _FULL),
    ("zeros([10**8] * 3)", _BAD),
    ("zeros(constant([10**8] * 3))", _BAD),
    ("ones([10**12])", _FULL),
    ("eye(2, batch_shape=[10**8] * 3)", _BAD),
    ("one_hot([1] * 100, 2**31 - 1)", _FULL),
    ("pad(x2[0], [[2**62, 1]])", _FULL),
    ("pad(x2[0], [[2**62, 2**62]])", _BAD),
    ("image.resize(x4, [10**8, 10**8])", _FULL),
    ("image.resize(x4, [10**8, 10**8], 'lanczos3')", _FULL),
    ("image.resize(x4, [10**8, 10**8], 'nearest')", _FULL),
    ("image.crop_and_resize(x4, [[0.0, 0.0, 1.0, 1.0]], [0], [10**8, 10**8])", _FULL),
    ("image.extract_glimpse(x4, [10**8, 10**8], [[0.0, 0.0]])", _FULL),
    ("range(2**62)", _FULL),
    ("range(0.0, 1e12)", _FULL),
    ("linspace([0.0] * 100, [1.0] * 100, 2**31 - 1)", _FULL),
    ("broadcast_to(1.0, [10**12])", _FULL),
    ("broadcast_to(1.0, [10**8] * 3)", _BAD),
    ("random.normal([10**12])", _FULL),
    ("random.normal([10**8] * 3)", _BAD),
    ("random.stateless_uniform([10**12], [1, 2])", _FULL),
    ("random.Generator.from_seed(1).normal([10**12])", _FULL),
    ("random.categorical(constant([[1.0, 2.0]] * 100), 2**31 - 1)", _FULL),
    ("random.uniform_candidate_sampler([[1]], 1, 2**40, True, 2**62)", _FULL),
    ("signal.frame(ones([100]), 2**31 - 1, 1, pad_end=True)", _FULL),
    ("TensorArray('float32', 10**9).stack()", _FULL),
    ("constant(1.0, shape=[10**12])", _FULL),
    ("next(iter(data.Dataset.from_tensors(x2).padded_batch(1, [1, 2**40])))", _FULL),
    ("keras.utils.to_categorical([1, 2], 10**12)", _FULL),
    ("keras.utils.to_categorical([1, 2], 2**62)", "ValueError"),
    ("keras.utils.to_ordinal([1, 2], 10**12)", _FULL),
    ("keras.utils.pad_sequences([[1, 2]], 10**12)", _FULL),
    ("keras.preprocessing.text.Tokenizer(10**12).sequences_to_matrix([[1]])", _FULL),
    ("keras.preprocessing.sequence.make_sampling_table(10**12)", _FULL),
    ("keras.preprocessing.image.Iterator(10**12, 2, True, 1).on_epoch_end()", _FULL),
    ("keras.backend.local_conv1d(x3, ones([1, 4, 1]), (10**9,), (1,))", "ValueError"),
    ("experimental.numpy.eye(10**9)", _FULL),
    ("experimental.numpy.tri(10**9)", _FULL),
    ("experimental.numpy.linspace(1, 2, 10**12)", _FULL),
    ("signal.dct(x2, n=10**12)", _FULL),
    ("ragged.constant([[1]]).to_tensor(shape=[10**12, 3])", _FULL),
    ("strings.as_string(1.5, width=2**31)", _BAD),
    ("strings.as_string(1.5, precision=2**31)", _BAD),
    ("random.uniform_candidate_sampler([[1]], 1, 1, True, 10**30)", _BAD),
    ("function(lambda: math.unsorted_segment_mean([1.0], [0], 2**62))()", _FULL),
    ("function(lambda x: image.ssim(x, x, 1.0, 2**31))(ones([1, 4, 4, 1]))", _FULL),
    ("ragged.constant([[1]]).to_tensor(shape=[10**12, 10**12])", _BAD),
    ("keras.initializers.Constant(1.0)(2**31)", _FULL),  # more than the process may have
    ("TensorArray('float32', 2, element_shape=[10**12]).stack()", _FULL),
]

_PROGRAM = """
import resource
import sys
import runnel as tf

resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))  # of which most is never touched
names = ("keras", "image", "random", "signal", "data", "experimental", "ragged", "strings")
places = {**vars(tf), **{name: getattr(tf, name) for name in names}}
places.update({f"x{rank}": tf.ones([1] + [2] * (rank - 1)) for rank in (2, 3, 4, 5)})
for call in sys.argv[1:]:
    try:
        print("made", eval(call, places).shape, flush=True)
    except Exception as error:
        print(type(error).__name__, flush=True)
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
used = int(status["VmHWM"].split()[0]) >> 10  # of this program alone, not of what started it
print("little" if used < 500 else f"{used} MB")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is limited")
def test_sizes_that_cannot_be_are_refused_at_once() -> None:
    calls = [call for call, _ in _CALLS]
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *calls],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    *found, used = done.stdout.splitlines() or [""]
    wrong = [(call, want, got) for (call, want), got in zip(_CALLS, found) if got != want]
    assert not wrong, wrong
    assert (len(found), used) == (len(_CALLS), "little"), done.stdout + done.stderr


@pytest.mark.parametrize("name", ["Normalization", "Discretization", "TextVectorization"])
def test_learning_from_a_dataset_without_end_needs_steps(name: str) -> None:
    element = [["a b"]] if name == "TextVectorization" else [[1.0, 2.0]]
    data = tf.data.Dataset.from_tensors(tf.constant(element)).repeat()
    layer = getattr(tf.keras.layers, name)(**({"num_bins": 2} if name == "Discretization" else {}))
    with pytest.raises(ValueError, match="`steps`, cut it off"):
        layer.adapt(data)
    layer.adapt(data, steps=2)
    assert layer.is_adapted


def test_large_counts_of_a_dataset_take_no_longer() -> None:
    data = tf.data.Dataset.range(3)
    found = data.interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 2**40)
    assert list(found.as_numpy_iterator()) == [0, 1, 2, 0, 1, 2]
    assert list(data.take(0).repeat(2**62)) == []
