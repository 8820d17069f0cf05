"""Docstrings of what people use most name every parameter."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Iterator
from typing import Any

import runnel as tf

# The most used names in programs, and the methods of the classes among them.
MOST_USED = {
    "tf": """
        DType GradientTape RaggedTensor SparseTensor TensorArray TensorShape TensorSpec abs add
        add_n argmax argmin argsort boolean_mask broadcast_to cast clip_by_value concat cond
        constant control_dependencies convert_to_tensor cos cumsum device einsum equal exp
        expand_dims eye fill function gather gather_nd identity is_tensor less less_equal linspace
        logical_and map_fn matmul maximum minimum multiply norm not_equal one_hot ones ones_like pad
        pow range rank reduce_all reduce_max reduce_mean reduce_min reduce_prod reduce_sum repeat
        reshape round scatter_nd shape sin size slice split sqrt square squeeze stack stop_gradient
        tensor_scatter_nd_update tensordot tile transpose unique unstack where while_loop zeros
        zeros_like""",
    "tf.GradientTape": "batch_jacobian explain gradient jacobian watch",
    "tf.Variable": "assign assign_add assign_sub",
    "tf.config": "experimental_connect_to_cluster list_logical_devices list_physical_devices",
    "tf.config.experimental": "set_memory_growth",
    "tf.data": "Dataset TFRecordDataset",
    "tf.data.Dataset": """
        apply batch bucket_by_sequence_length cache choose_from_datasets concatenate enumerate
        filter flat_map from_generator from_tensor_slices from_tensors group_by_window interleave
        list_files load map padded_batch prefetch profile ragged_batch random reduce
        rejection_resample repeat sample_from_datasets save scan shard shuffle skip snapshot take
        take_while window with_options zip""",
    "tf.errors": "InvalidArgumentError",
    "tf.image": """
        convert_image_dtype crop_to_bounding_box decode_jpeg random_crop random_flip_left_right
        resize""",
    "tf.io": "FixedLenFeature TFRecordWriter parse_single_example read_file",
    "tf.io.gfile": "GFile exists glob makedirs",
    "tf.keras": "Sequential",
    "tf.keras.Model": """
        build call compile evaluate export fit get_layer load_weights predict predict_on_batch save
        save_weights summary test_on_batch train_on_batch train_step""",
    "tf.keras.activations": "get relu",
    "tf.keras.callbacks": "EarlyStopping ModelCheckpoint ReduceLROnPlateau TensorBoard",
    "tf.keras.datasets.cifar10": "load_data",
    "tf.keras.datasets.fashion_mnist": "load_data",
    "tf.keras.datasets.mnist": "load_data",
    "tf.keras.initializers": "Constant get",
    "tf.keras.layers": """
        Activation BatchNormalization Bidirectional Concatenate Conv1D Conv2D Conv2DTranspose Dense
        Dropout Embedding Flatten GRU GlobalAveragePooling1D GlobalAveragePooling2D Input InputLayer
        LSTM Lambda LayerNormalization LeakyReLU MaxPooling2D MultiHeadAttention Normalization
        RandomFlip RandomRotation ReLU Rescaling Reshape Resizing SimpleRNN Softmax StringLookup
        TextVectorization UpSampling2D ZeroPadding2D add concatenate""",
    "tf.keras.layers.Layer": "add_loss add_weight build call from_config",
    "tf.keras.losses": """
        BinaryCrossentropy CategoricalCrossentropy Loss MeanSquaredError
        SparseCategoricalCrossentropy binary_crossentropy categorical_crossentropy
        sparse_categorical_crossentropy""",
    "tf.keras.metrics": "BinaryAccuracy Mean Metric SparseCategoricalAccuracy",
    "tf.keras.metrics.Metric": "add_weight",
    "tf.keras.mixed_precision": "set_global_policy",
    "tf.keras.models": "clone_model load_model",
    "tf.keras.optimizers": "Adagrad Adam RMSprop SGD",
    "tf.keras.optimizers.Optimizer": "apply_gradients minimize",
    "tf.keras.optimizers.schedules": "ExponentialDecay",
    "tf.keras.regularizers": "get l2",
    "tf.keras.utils": """
        get_file img_to_array load_img plot_model set_random_seed to_categorical""",
    "tf.math": """
        count_nonzero divide_no_nan l2_normalize log reduce_std reduce_variance softplus top_k""",
    "tf.nest": "flatten map_structure",
    "tf.nn": "gelu moments relu sigmoid softmax sparse_softmax_cross_entropy_with_logits",
    "tf.ragged": "constant",
    "tf.random": "categorical normal set_seed shuffle uniform",
    "tf.saved_model": "load save",
    "tf.sparse": "to_dense",
    "tf.strings": "lower regex_replace",
    "tf.summary": "create_file_writer scalar",
    "tf.test": "TestCase main",
    "tf.train": "Checkpoint CheckpointManager latest_checkpoint",
    "tf.train.Checkpoint": "read restore save write",
    "tf.train.CheckpointManager": "save",
}
TOLD_ONCE = {"self", "name"}  # `name` is the same everywhere: of the operations in a graph


def symbols() -> Iterator[tuple[str, Any]]:
    for path, names in MOST_USED.items():
        home = functools.reduce(getattr, path.split(".")[1:], tf)
        for name in names.split():
            yield f"{path}.{name}", getattr(home, name)


def unnamed(value: Any) -> list[str]:
    """The parameters that a docstring neither lists nor names in its sentences."""
    text = inspect.getdoc(value) or ""
    found = [p for p in inspect.signature(value).parameters.values() if p.name not in TOLD_ONCE]
    plain = [p.name for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    listed = re.findall(r"(?m)^ +([\w, ]+):", text)
    known = {name for line in listed for name in line.split(", ")}
    return [p for p in plain if p not in known and not re.search(rf"`\*{{0,2}}{p}\b", text)]


def test_docstrings_name_every_parameter() -> None:
    wrong = {name: lacking for name, value in symbols() if (lacking := unnamed(value))}
    assert not wrong, wrong


def test_lists_of_arguments_name_no_others() -> None:
    wrong = {}
    for name, value in symbols():
        text = (inspect.getdoc(value) or "").partition("Args:\n")[2].partition("\n\n")[0]
        listed = {p for line in re.findall(r"(?m)^    ([\w, ]+): ", text) for p in line.split(", ")}
        unknown = listed - set(inspect.signature(value).parameters)
        if unknown:
            wrong[name] = unknown
    assert not wrong, wrong
