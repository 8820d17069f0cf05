"""Bad calls: those that once ended in foreign errors, and a small part of the trial."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.robustness.bad_calls import trial
from tests.robustness.calls import Choice

keras, K = tf.keras, tf.keras.backend
X = np.ones([2, 3], np.float32)
IMAGES = np.ones([1, 4, 4, 1], np.float32)
OPERATORS = [X, X]
SPARSE = tf.sparse.from_dense(X)
FINE = (TypeError, ValueError, tf.errors.OpError)

CALLS: dict[str, Callable[[], Any]] = {
    "get_single_element": lambda: tf.data.experimental.get_single_element(X),
    "NumpyIterator": lambda: tf.data.NumpyIterator(X),
    "CsvDataset": lambda: list(tf.data.experimental.CsvDataset("a", [1.0], field_delim=X)),
    "SqlDataset": lambda: tf.data.experimental.SqlDataset(["sqlite"], "a", "b", tf.int32),
    "make_csv_dataset": lambda: tf.data.experimental.make_csv_dataset("*.none", 1),
    "make_batched_features_dataset": lambda: tf.data.experimental.make_batched_features_dataset(
        "*.none", 1, {"a": tf.io.FixedLenFeature([], tf.float32)}
    ),
    "parse_example": lambda: tf.io.parse_example(["a"], features=1.5),
    "K.conv2d": lambda: K.conv2d(IMAGES, kernel=3),
    "K.conv3d": lambda: K.conv3d(IMAGES[None], kernel=3),
    "K.moving_average_update": lambda: K.moving_average_update(X, X, 0.5),
    "metrics.serialize, older": lambda: keras.metrics.serialize(math, use_legacy_format=True),
    "EinsumDense": lambda: keras.layers.EinsumDense(3, 4)(X),
    "Dense of a module": lambda: keras.layers.Dense(2)(math),
    "Conv2D of a module": lambda: keras.layers.Conv2D(2, 2)(math),
    "LSTM of a module": lambda: keras.layers.LSTM(2)(math),
    "Dropout of a module": lambda: keras.layers.Dropout(0.5)(math, training=True),
    "Normalization of a module": lambda: keras.layers.Normalization(mean=0.0, variance=1.0)(math),
    "StringLookup of a module": lambda: keras.layers.StringLookup(vocabulary=["a"])(math),
    "GroupNormalization of a module": lambda: keras.layers.GroupNormalization(1)(math),
    "Composition": lambda: tf.linalg.LinearOperatorComposition(OPERATORS),
    "Kronecker": lambda: tf.linalg.LinearOperatorKronecker(OPERATORS),
    "BlockDiag": lambda: tf.linalg.LinearOperatorBlockDiag(OPERATORS),
    "BlockLowerTriangular": lambda: tf.linalg.LinearOperatorBlockLowerTriangular([[X]]),
    "StaticHashTable": lambda: tf.lookup.StaticHashTable(X, 1.0),
    "StaticVocabularyTable": lambda: tf.lookup.StaticVocabularyTable(X, 1),
    "nn.conv2d": lambda: tf.nn.conv2d(IMAGES, IMAGES, 1, "SAME", data_format=2**62),
    "nn.conv3d": lambda: tf.nn.conv3d(
        IMAGES[None], IMAGES[None], [1] * 5, "SAME", data_format=2**62
    ),
    "nn.max_pool2d": lambda: tf.nn.max_pool2d(IMAGES, 2, 2, "SAME", data_format=2**62),
    "safe_embedding_lookup_sparse": lambda: tf.nn.safe_embedding_lookup_sparse(X, X),
    "GRU of rank 10": lambda: keras.layers.GRU(2)(np.ones([1] * 10).tolist()),
    "a cell of a scalar": lambda: keras.layers.GRUCell(2)(tf.constant(1.0), [X]),
    "K.placeholder": lambda: K.placeholder(ndim=2**31),
    "Nadam.build": lambda: keras.optimizers.Nadam().build({"a": tf.Variable(1.0)}),
    "norm of a huge order": lambda: tf.linalg.norm(tf.constant([1, 2]), 10**30),
    "flow": lambda: keras.preprocessing.image.ImageDataGenerator().flow([]),
    "sample_from_datasets": lambda: tf.data.Dataset.sample_from_datasets(
        {"a": tf.data.Dataset.range(2)}
    ),
    "filters": lambda: keras.layers.Conv2D(math.inf, 2)(IMAGES),
    "units": lambda: keras.layers.Dense(math.inf)(X),
    "seed": lambda: tf.random.uniform([2], seed=math.inf),
    "range_max": lambda: tf.random.uniform_candidate_sampler([[1]], 1, 1, True, math.inf),
    "range": lambda: tf.range(math.inf),
    "arange": lambda: K.arange(2**50),
    "record_bytes": lambda: tf.data.FixedLengthRecordDataset("a", math.inf),
    "num_parallel_reads": lambda: tf.data.TFRecordDataset("a", num_parallel_reads=math.inf),
    "expand_dims": lambda: tf.sparse.expand_dims(SPARSE, math.inf),
    "deserialize_many_sparse": lambda: tf.io.deserialize_many_sparse(
        tf.io.serialize_many_sparse(SPARSE), tf.float32, rank=10**30
    ),
    "num_true": lambda: tf.nn.sampled_softmax_loss(X, X, [[1]], X, 1, 3, math.inf, (X, X, X)),
    "crelu": lambda: tf.nn.crelu(X, axis=math.inf),
    "crelu of 32 bits": lambda: tf.nn.crelu(X, axis=2**31),
    "roll": lambda: tf.experimental.numpy.roll(X, math.inf),
    "linspace": lambda: tf.experimental.numpy.linspace(1, 2, -(2**63)),
    "tri": lambda: tf.experimental.numpy.tri(math.inf),
    "frame": lambda: tf.function(
        lambda x: tf.signal.frame(x, 2, 1, axis=2**31), input_signature=[tf.TensorSpec(None)]
    )(X),
    "dct": lambda: tf.signal.dct(X, n=10**30),
    "index": lambda: tf.constant(X)[10**30],
    "end of a slice": lambda: tf.constant(X)[: 10**30],
    "index that is a spec": lambda: tf.constant(X)[tf.TensorSpec([2])],
    "number that is a spec": lambda: tf.linspace(1.0, 2.0, tf.TensorSpec([])),
    "switch": lambda: tf.linalg.banded_triangular_solve(X, X, lower=tf.variant),
    "switch that is a number": lambda: tf.cumsum(X, exclusive=2),
    "isotonic_regression": lambda: tf.nn.isotonic_regression(2.0, axis=0),
    "Gather": lambda: tf.raw_ops.Gather(params=(), indices=[1]),
    "ragged tile": lambda: tf.tile(tf.ragged.constant([[1]]), object()),
    "with_options": lambda: tf.data.Dataset.range(3).with_options([1]),
    "create_op": lambda: tf.Graph().create_op(-1, [X], name="a"),
    "compute_output_shape": lambda: keras.layers.Layer().compute_output_shape(["a", "b"]),
    "dot of one array": lambda: keras.layers.dot(X, 1),
    "BatchNormalization.call": lambda: keras.layers.BatchNormalization().call({}),
    "ConvLSTM1D.call": lambda: keras.layers.ConvLSTM1D(2, 2).call(X[:, :0]),
    "convolution_op": lambda: keras.layers.Conv3DTranspose(2, 2).convolution_op("", X),
    "num_true of 64 bits": lambda: tf.nn.sampled_softmax_loss(
        X, X, [[1]], X, 1, 3, 2**62, (X, X, X)
    ),
    "norm": lambda: tf.norm(X, axis=10**30),
    "Identity": lambda: keras.initializers.Identity()({"a": 1, "b": 2}),
    "repeat": lambda: tf.function(
        lambda x: tf.repeat(x, 2, axis=2**31), input_signature=[tf.TensorSpec(None)]
    )(X),
    "split": lambda: tf.split(tf.ragged.constant([[1], [2, 3]]), 2**62),
    "reverse": lambda: tf.reverse(tf.ragged.constant([[1], [2, 3]]), [math.inf]),
    "key_index": lambda: tf.lookup.TextFileInitializer("a", "int64", math.inf, "int64", -1),
    "vocab_size": lambda: tf.lookup.TextFileInitializer(
        "a", "int64", -1, "int64", -1, vocab_size=math.inf
    ),
    "K.local_conv1d": lambda: K.local_conv1d(IMAGES[0], IMAGES[0], [math.inf], [1]),
    "split at infinity": lambda: tf.split(tf.ragged.constant([[1], [2, 3]]), 2, axis=math.inf),
    "with_space_to_batch": lambda: tf.nn.with_space_to_batch(
        IMAGES, [2, 2], "SAME", lambda x, *_: x, filter_shape=np.array(3)
    ),
    "compress": lambda: tf.experimental.numpy.compress([True], 7, axis=1),
    "RaggedTensor": lambda: tf.RaggedTensor(X, "a", internal=1),
    "RowPartition": lambda: tf.experimental.RowPartition(X, internal="a"),
    "K.rnn": lambda: K.rnn(lambda x, s: (x, s), np.array(7), []),
    "K.conv1d": lambda: K.conv1d(IMAGES[0], np.array(7), padding="causal"),
    "Input": lambda: keras.Input(type_spec=[2]),
    "RNN.build": lambda: keras.layers.GRU(2).build("a"),
    "ConvLSTM1D.build": lambda: keras.layers.ConvLSTM1D(2, 2).build(()),
    "Orthogonal": lambda: keras.initializers.Orthogonal()({"a": 1, "b": 2}),
    "random_shift": lambda: keras.preprocessing.image.random_shift(IMAGES[0], math.inf, 0.5),
    "lu_solve": lambda: tf.function(
        lambda x: tf.linalg.lu_solve(x, 2**62, x), input_signature=[tf.TensorSpec(None)]
    )(X),
    "clone_model": lambda: keras.models.clone_model(keras.Sequential([]), input_tensors=[]),
    "counter": lambda: tf.data.Dataset.counter(10**30),
    "TensorArray": lambda: tf.TensorArray(tf.float32, flow=X).write(0, 1.0),
    "Dense.compute_output_shape": lambda: keras.layers.Dense(2).compute_output_shape(()),
    "GroupNormalization.build": lambda: keras.layers.GroupNormalization(1).build(()),
    "batch_to_space": lambda: tf.batch_to_space(IMAGES, 2**62, [[0, 0], [0, 0]]),
    "tensordot": lambda: tf.function(
        lambda x: tf.tensordot(x, x, 2**31), input_signature=[tf.TensorSpec(None)]
    )(X),
    "dataset's name": lambda: tf.data.Dataset.range(3, name=[1, 2]),
    "sequences_to_matrix": lambda: keras.preprocessing.text.Tokenizer(3).sequences_to_matrix(X),
    "Add.compute_mask": lambda: keras.layers.Add().compute_mask([X, X], "ab"),
    "Concatenate.compute_mask": lambda: keras.layers.Concatenate().compute_mask([X, X], [X]),
    "model_to_dot": lambda: keras.utils.model_to_dot(
        keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)]), dpi=math.inf
    ),
    "Iterator": lambda: keras.preprocessing.image.Iterator({}, 2, True, 0).on_epoch_end(),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("traced", [False, True])
def test_calls_that_once_ended_in_foreign_errors(name: str, traced: bool) -> None:
    def call() -> None:
        CALLS[name]()

    with pytest.raises(FINE) as caught:
        tf.function(call, autograph=False)() if traced else call()
    assert type(caught.value).__module__.startswith(("builtins", "runnel"))


def test_a_tensorboard_without_a_model_lets_a_batch_pass() -> None:
    keras.callbacks.TensorBoard().on_test_batch_end(1)


def test_what_layers_do_not_look_at_may_be_anything() -> None:
    assert keras.layers.Flatten().call(IMAGES).shape == [1, 16]
    assert keras.layers.Permute(()).compute_output_shape(()) == []
    assert keras.layers.experimental.SyncBatchNormalization(axis=[]).axis == []
    no_shifts = keras.preprocessing.image.ImageDataGenerator()
    assert no_shifts.get_random_transform(np.array(7))["tx"] == 0
    assert np.isnan(tf.image.ssim(IMAGES, IMAGES, 1.0, filter_size=3, filter_sigma=0))


def test_a_seed_of_a_generator_is_cast_as_tensors_are() -> None:
    least = -(2**63)
    for seed, state in ((1.5, [0, 0, 1]), ([1.5, 2.5], [0, 1, 2]), (-math.inf, [0, 0, least])):
        assert tf.random.create_rng_state(seed, "philox").numpy().tolist() == state


def test_no_call_has_a_foreign_error() -> None:
    outcome = trial(400, 2.0, 0)
    assert not outcome.findings
    assert outcome.tries == 400


def test_a_number_is_always_the_same_call_and_every_name_has_its_turn() -> None:
    choice = Choice(tf, 3)
    assert [str(Choice(tf, 3).call(i)) for i in range(5)] == [str(choice.call(i)) for i in range(5)]
    names = {choice.call(number).symbol for number in range(0, 4 * len(choice._public), 2)}
    assert len(names) >= len(choice._public)


def test_a_strategy_gathers_what_numpy_holds() -> None:
    gathered = tf.distribute.experimental.CentralStorageStrategy().gather(X, 1)
    assert np.array_equal(gathered, X)
