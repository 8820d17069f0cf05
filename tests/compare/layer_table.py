"""Layers and the values their arguments may have, as plain data.

A value `{"class": "regularizers.L2", "args": {…}}` stands for an object of `tf.keras`, and
`{"fn": name}` for a function of `model_answers.py`. `LAYERS` says for each layer which inputs it
takes, by rank (with the batch) and kind (`f` floats, `i` integers, `s` strings), the rank of what
it gives, and its arguments: those it must have, and those it may have.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

Values = list[Any]


def obj(path: str, **arguments: Any) -> dict[str, Any]:
    """An object of `tf.keras`, as data."""
    return {"class": path, "args": arguments}


ACTIVATIONS: Values = [
    *("relu", "tanh", "softmax", "selu", "gelu", "elu", "swish", "exponential", "hard_sigmoid"),
    *("linear", "mish", "softplus", "softsign", "sigmoid", "relu6", "leaky_relu"),
    {"fn": "double"},
]
INITIALIZERS: Values = [
    *("zeros", "ones", "glorot_uniform", "he_normal", "Orthogonal", "lecun_uniform"),
    obj("initializers.HeNormal", seed=1),
    obj("initializers.Orthogonal", gain=0.5, seed=2),
    obj("initializers.TruncatedNormal", mean=0.5, stddev=0.2, seed=3),
    obj("initializers.VarianceScaling", scale=2.0, mode="fan_avg", distribution="uniform", seed=4),
    obj("initializers.VarianceScaling", mode="fan_out", distribution="untruncated_normal", seed=4),
    obj("initializers.RandomUniform", minval=-1.0, maxval=1.0, seed=5),
    obj("initializers.LecunNormal", seed=6),
    obj("initializers.Constant", value=0.3),
    obj("initializers.Identity", gain=2.0),
]
REGULARIZERS: Values = [
    *("l1", "l2", "l1_l2"),
    obj("regularizers.L1", l1=0.1),
    obj("regularizers.L2", l2=0.2),
    obj("regularizers.L1L2", l1=0.1, l2=0.2),
    obj("regularizers.OrthogonalRegularizer", factor=0.1, mode="columns"),
]
ACTIVITY: Values = [None, "l1", "l2", obj("regularizers.L2", l2=0.3), {"fn": "mean_square"}]
CONSTRAINTS: Values = [
    *("non_neg", "max_norm", "unit_norm", "NonNeg"),
    obj("constraints.MaxNorm", max_value=0.5, axis=0),
    obj("constraints.MinMaxNorm", min_value=0.2, max_value=0.4, rate=0.5),
    obj("constraints.UnitNorm", axis=0),
]
BOOL: Values = [True, False]
NAMES: Values = ["one", "a_b", "Two"]
DTYPES: Values = ["float16", "float32", "float64", "bfloat16", "mixed_float16"]
BAD: Values = [None, -1, 0, 1.5, "bad", [], [1, 2, 3], {"fn": "double"}, {"a": 1}, True, 10**6]


class Row(NamedTuple):
    """What a layer takes, gives, must and may have."""

    ranks: tuple[int, ...]
    kind: str
    out: int | None  # the rank of the output; None is the input's
    needs: dict[str, Values]
    may: dict[str, Values]


def _weights(*names: str) -> dict[str, Values]:
    may: dict[str, Values] = {}
    for name in names:
        may |= {
            f"{name}_initializer": INITIALIZERS,
            f"{name}_regularizer": REGULARIZERS,
            f"{name}_constraint": CONSTRAINTS,
        }
    return may


_KERNEL: dict[str, Values] = {
    "activation": ACTIVATIONS,
    "use_bias": BOOL,
    "activity_regularizer": ACTIVITY,
    **_weights("kernel", "bias"),
}
_PADDINGS: Values = ["valid", "same", "SAME"]
_FORMATS: Values = ["channels_last", "channels_last", "channels_first"]


def _sizes(rank: int, *values: int) -> Values:
    return [*values, [values[0]] * rank, [values[-1]] * rank]


def _convolution(rank: int, **more: Values) -> dict[str, Values]:
    return {
        "strides": _sizes(rank, 1, 2),
        "padding": _PADDINGS,
        "data_format": _FORMATS,
        "dilation_rate": _sizes(rank, 1, 2),
        **_KERNEL,
        **more,
    }


def _depthwise(rank: int) -> dict[str, Values]:
    may = _convolution(rank, depth_multiplier=[1, 2], **_weights("depthwise"))
    return {name: values for name, values in may.items() if not name.startswith("kernel")}


def _pool(rank: int) -> dict[str, Values]:
    return {
        "pool_size": _sizes(rank, 1, 2, 3),
        "strides": [None, *_sizes(rank, 1, 2)],
        "padding": _PADDINGS,
        "data_format": _FORMATS,
    }


_GLOBAL: dict[str, Values] = {"data_format": _FORMATS, "keepdims": BOOL}
_RECURRENT: dict[str, Values] = {
    "activation": ACTIVATIONS,
    "use_bias": BOOL,
    **_weights("kernel", "recurrent", "bias"),
    "dropout": [0.0, 0.3],
    "recurrent_dropout": [0.0, 0.3],
}
_RNN: dict[str, Values] = {
    "return_sequences": BOOL,
    "return_state": [False, False, True],
    "go_backwards": BOOL,
    "unroll": BOOL,
    "time_major": [False, False, True],
}
_LSTM: dict[str, Values] = {"recurrent_activation": ACTIVATIONS, "unit_forget_bias": BOOL}
_GRU: dict[str, Values] = {"recurrent_activation": ACTIVATIONS, "reset_after": BOOL}
_UNITS: dict[str, Values] = {"units": [1, 2, 3]}
_RATE: dict[str, Values] = {"rate": [0.0, 0.3, 0.5]}
_SEED: dict[str, Values] = {"seed": [1, 7]}
_AXES: Values = [-1, 1, 2, [1, 2], [-1], [1]]


def cell(rng: random.Random) -> dict[str, Any]:
    """A cell of a recurrent layer."""
    name, more = rng.choice([("SimpleRNNCell", {}), ("LSTMCell", _LSTM), ("GRUCell", _GRU)])
    may = {**_RECURRENT, **more}
    chosen = {key: rng.choice(may[key]) for key in rng.sample(list(may), rng.randint(0, 2))}
    made = obj(f"layers.{name}", units=rng.choice([1, 2, 3]), **chosen)
    if rng.random() < 0.2:
        return obj("layers.StackedRNNCells", cells=[made, cell(rng)])
    return made


LAYERS: dict[str, Row] = {
    "Dense": Row((2, 3, 4), "f", None, {"units": [1, 3, 4]}, _KERNEL),
    "EinsumDense": Row(
        (3,),
        "f",
        3,
        {"equation": ["abc,cd->abd", "...x,xy->...y"], "output_shape": [[None, 3], 3]},
        {"bias_axes": ["d", "y", "bd"], **_KERNEL},
    ),
    "Activation": Row((2, 3, 4), "f", None, {"activation": ACTIVATIONS}, {}),
    "Embedding": Row(
        (2, 3),
        "i",
        3,
        {"input_dim": [6, 9], "output_dim": [1, 4]},
        {
            **_weights("embeddings"),
            "mask_zero": BOOL,
            "input_length": [4, None],
            "activity_regularizer": ACTIVITY,
        },
    ),
    "Masking": Row((3,), "f", None, {}, {"mask_value": [0.0, 1.0]}),
    "Lambda": Row(
        (2, 3, 4),
        "f",
        None,
        {"function": [{"fn": "double"}, {"fn": "mean_square"}]},
        {"output_shape": [[3]]},
    ),
    "Permute": Row((3,), "fi", None, {"dims": [[2, 1], [1, 2]]}, {}),
    "RepeatVector": Row((2,), "fi", 3, {"n": [1, 3]}, {}),
    "Reshape": Row((2, 3, 4), "fis", 3, {"target_shape": [[-1, 1], [1, -1], [2, -1], [-1, 2]]}, {}),
    "Flatten": Row((2, 3, 4), "fis", 2, {}, {"data_format": _FORMATS}),
    "Cropping1D": Row((3,), "fi", None, {}, {"cropping": [1, 0, [1, 0], [1, 1]]}),
    "Cropping2D": Row(
        (4,), "fi", None, {}, {"cropping": [1, [1, 0], [[1, 0], [0, 1]]], "data_format": _FORMATS}
    ),
    "Cropping3D": Row((5,), "f", None, {}, {"cropping": [0, [1, 0, 0]], "data_format": _FORMATS}),
    "ZeroPadding1D": Row((3,), "fi", None, {}, {"padding": [1, 2, [1, 0]]}),
    "ZeroPadding2D": Row(
        (4,), "fi", None, {}, {"padding": [1, [2, 1], [[1, 0], [0, 1]]], "data_format": _FORMATS}
    ),
    "ZeroPadding3D": Row((5,), "f", None, {}, {"padding": [1, [1, 0, 2]], "data_format": _FORMATS}),
    "UpSampling1D": Row((3,), "fi", None, {}, {"size": [1, 2, 3]}),
    "UpSampling2D": Row(
        (4,),
        "f",
        None,
        {},
        {
            "size": [2, [1, 2], [3, 2]],
            "interpolation": ["nearest", "bilinear", "bicubic", "area", "lanczos5", "gaussian"],
            "data_format": _FORMATS,
        },
    ),
    "UpSampling3D": Row((5,), "f", None, {}, {"size": [2, [1, 2, 1]], "data_format": _FORMATS}),
    "Conv1D": Row(
        (3,),
        "f",
        None,
        {"filters": [2, 4], "kernel_size": [1, 2, 3]},
        {**_convolution(1, groups=[1, 2]), "padding": [*_PADDINGS, "causal"]},
    ),
    "Conv2D": Row(
        (4,),
        "f",
        None,
        {"filters": [2, 4], "kernel_size": [1, 2, [2, 3]]},
        _convolution(2, groups=[1, 2]),
    ),
    "Conv3D": Row(
        (5,), "f", None, {"filters": [2], "kernel_size": [1, 2]}, _convolution(3, groups=[1, 2])
    ),
    "Conv1DTranspose": Row(
        (3,),
        "f",
        None,
        {"filters": [2], "kernel_size": [1, 2, 3]},
        _convolution(1, output_padding=[0, 1]),
    ),
    "Conv2DTranspose": Row(
        (4,),
        "f",
        None,
        {"filters": [2], "kernel_size": [1, 2, 3]},
        _convolution(2, output_padding=[0, 1]),
    ),
    "Conv3DTranspose": Row(
        (5,),
        "f",
        None,
        {"filters": [2], "kernel_size": [1, 2]},
        _convolution(3, output_padding=[0, 1]),
    ),
    "DepthwiseConv1D": Row((3,), "f", None, {"kernel_size": [1, 2, 3]}, _depthwise(1)),
    "DepthwiseConv2D": Row((4,), "f", None, {"kernel_size": [1, 2, 3]}, _depthwise(2)),
    "SeparableConv1D": Row(
        (3,),
        "f",
        None,
        {"filters": [2], "kernel_size": [1, 3]},
        {**_depthwise(1), **_weights("pointwise")},
    ),
    "SeparableConv2D": Row(
        (4,),
        "f",
        None,
        {"filters": [2], "kernel_size": [1, 3]},
        {**_depthwise(2), **_weights("pointwise")},
    ),
    "LocallyConnected1D": Row(
        (3,),
        "f",
        None,
        {"filters": [2], "kernel_size": [1, 2]},
        {
            "strides": [1, 2],
            "padding": ["valid", "same"],
            "data_format": _FORMATS,
            "implementation": [1, 2, 3],
            **_KERNEL,
        },
    ),
    "LocallyConnected2D": Row(
        (4,),
        "f",
        None,
        {"filters": [2], "kernel_size": [1, 2]},
        {
            "strides": [1, 2],
            "padding": ["valid", "same"],
            "data_format": _FORMATS,
            "implementation": [1, 2, 3],
            **_KERNEL,
        },
    ),
    "MaxPooling1D": Row((3,), "f", None, {}, _pool(1)),
    "MaxPooling2D": Row((4,), "f", None, {}, _pool(2)),
    "MaxPooling3D": Row((5,), "f", None, {}, _pool(3)),
    "AveragePooling1D": Row((3,), "f", None, {}, _pool(1)),
    "AveragePooling2D": Row((4,), "f", None, {}, _pool(2)),
    "AveragePooling3D": Row((5,), "f", None, {}, _pool(3)),
    "GlobalMaxPooling1D": Row((3,), "f", 2, {}, _GLOBAL),
    "GlobalMaxPooling2D": Row((4,), "f", 2, {}, _GLOBAL),
    "GlobalMaxPooling3D": Row((5,), "f", 2, {}, _GLOBAL),
    "GlobalAveragePooling1D": Row((3,), "f", 2, {}, _GLOBAL),
    "GlobalAveragePooling2D": Row((4,), "f", 2, {}, _GLOBAL),
    "GlobalAveragePooling3D": Row((5,), "f", 2, {}, _GLOBAL),
    "ReLU": Row(
        (2, 3, 4),
        "f",
        None,
        {},
        {"max_value": [1.0, None], "negative_slope": [0.1], "threshold": [0.2]},
    ),
    "LeakyReLU": Row((2, 3), "f", None, {}, {"alpha": [0.1, 0.5]}),
    "PReLU": Row(
        (2, 3, 4), "f", None, {}, {**_weights("alpha"), "shared_axes": [[1], [1, 2], None]}
    ),
    "ELU": Row((2, 3), "f", None, {}, {"alpha": [0.1, 0.5]}),
    "ThresholdedReLU": Row((2, 3), "f", None, {}, {"theta": [0.1, 0.5]}),
    "Softmax": Row((2, 3, 4), "f", None, {}, {"axis": _AXES}),
    "BatchNormalization": Row(
        (2, 3, 4),
        "f",
        None,
        {},
        {
            "axis": _AXES,
            "momentum": [0.5, 0.9],
            "epsilon": [0.1],
            "center": BOOL,
            "scale": BOOL,
            **_weights("beta", "gamma"),
            "moving_mean_initializer": INITIALIZERS,
            "moving_variance_initializer": ["ones", obj("initializers.Constant", value=0.3)],
            "synchronized": BOOL,
            "trainable": BOOL,
        },
    ),
    "LayerNormalization": Row(
        (2, 3, 4),
        "f",
        None,
        {},
        {
            "axis": _AXES,
            "epsilon": [0.1],
            "center": BOOL,
            "scale": BOOL,
            **_weights("beta", "gamma"),
        },
    ),
    "GroupNormalization": Row(
        (2, 3, 4),
        "f",
        None,
        {},
        {
            "groups": [1, 2, -1, 32],
            "axis": _AXES,
            "epsilon": [0.1],
            "center": BOOL,
            "scale": BOOL,
            **_weights("beta", "gamma"),
        },
    ),
    "UnitNormalization": Row((2, 3, 4), "f", None, {}, {"axis": _AXES}),
    "SpectralNormalization": Row(
        (2,), "f", None, {"layer": [obj("layers.Dense", units=3)]}, {"power_iterations": [1, 2]}
    ),
    "Dropout": Row(
        (2, 3), "f", None, _RATE, {**_SEED, "noise_shape": [[None, 1], [None, 1, None]]}
    ),
    "SpatialDropout1D": Row((3,), "f", None, _RATE, {}),
    "SpatialDropout2D": Row((4,), "f", None, _RATE, {"data_format": _FORMATS}),
    "SpatialDropout3D": Row((5,), "f", None, _RATE, {"data_format": _FORMATS}),
    "GaussianDropout": Row((2, 3), "f", None, _RATE, _SEED),
    "AlphaDropout": Row(
        (2, 3), "f", None, _RATE, {**_SEED, "noise_shape": [[None, 1], [None, 1, None]]}
    ),
    "GaussianNoise": Row((2, 3), "f", None, {"stddev": [0.0, 0.5]}, _SEED),
    "ActivityRegularization": Row((2, 3), "f", None, {}, {"l1": [0.1], "l2": [0.2]}),
    "SimpleRNN": Row((3,), "f", 2, _UNITS, {**_RECURRENT, **_RNN}),
    "LSTM": Row((3,), "f", 2, _UNITS, {**_RECURRENT, **_RNN, **_LSTM}),
    "GRU": Row((3,), "f", 2, _UNITS, {**_RECURRENT, **_RNN, **_GRU}),
    "ConvLSTM1D": Row(
        (4,),
        "f",
        3,
        {"filters": [2], "kernel_size": [1, 2]},
        {**_convolution(1), **_RECURRENT, **_RNN, **_LSTM},
    ),
    "ConvLSTM2D": Row(
        (5,),
        "f",
        4,
        {"filters": [2], "kernel_size": [1, 2]},
        {**_convolution(2), **_RECURRENT, **_RNN, **_LSTM},
    ),
    "RNN": Row((3,), "f", 2, {"cell": ["cell"]}, {**_RNN, "zero_output_for_mask": BOOL}),
    "Bidirectional": Row(
        (3,),
        "f",
        2,
        {"layer": ["recurrent"]},
        {"merge_mode": ["concat", "sum", "ave", "mul", None], "backward_layer": ["backwards"]},
    ),
    "TimeDistributed": Row((3, 4), "f", None, {"layer": ["inner"]}, {}),
    "Add": Row((2, 3, 4), "fi", None, {}, {}),
    "Subtract": Row((2, 3, 4), "f", None, {}, {}),
    "Multiply": Row((2, 3, 4), "fi", None, {}, {}),
    "Average": Row((2, 3, 4), "f", None, {}, {}),
    "Maximum": Row((2, 3, 4), "f", None, {}, {}),
    "Minimum": Row((2, 3, 4), "f", None, {}, {}),
    "Concatenate": Row((2, 3, 4), "fi", None, {}, {"axis": [-1, 1, 2, 0]}),
    "Dot": Row((2, 3), "f", None, {"axes": [1, 2, -1, [1, 2], [2, 1]]}, {"normalize": BOOL}),
    "Attention": Row(
        (3,), "f", None, {}, {"use_scale": BOOL, "score_mode": ["dot", "concat"], "dropout": [0.3]}
    ),
    "AdditiveAttention": Row((3,), "f", None, {}, {"use_scale": BOOL, "dropout": [0.3]}),
    "MultiHeadAttention": Row(
        (3, 4),
        "f",
        None,
        {"num_heads": [1, 2], "key_dim": [2, 3]},
        {
            "value_dim": [2],
            "dropout": [0.3],
            "output_shape": [3, [2, 3]],
            "attention_axes": [1, [1], [1, 2]],
            **_KERNEL,
        },
    ),
    "Rescaling": Row((2, 3, 4), "fi", None, {"scale": [0.5, 1 / 255, 2]}, {"offset": [1.0, -1]}),
    "Normalization": Row(
        (2, 3),
        "f",
        None,
        {},
        {"axis": [-1, None, 1], "mean": [0.5, 1.0], "variance": [2.0, 0.5], "invert": BOOL},
    ),
    "Discretization": Row(
        (2, 3),
        "fi",
        None,
        {"bin_boundaries": [[0.0, 1.0], [-1.0, 0.5, 2.0]]},
        {"output_mode": ["int", "one_hot", "multi_hot", "count"], "sparse": BOOL},
    ),
    "CategoryEncoding": Row(
        (2,),
        "i",
        2,
        {"num_tokens": [6, 9]},
        {"output_mode": ["one_hot", "multi_hot", "count"], "sparse": BOOL},
    ),
    "Hashing": Row(
        (2,),
        "is",
        2,
        {"num_bins": [3, 5]},
        {
            "mask_value": [1, "a", ""],
            "salt": [7, [1, 2]],
            "output_mode": ["int", "one_hot", "multi_hot", "count"],
            "sparse": BOOL,
        },
    ),
    "HashedCrossing": Row((2,), "is", 2, {"num_bins": [3, 5]}, {"output_mode": ["int", "one_hot"]}),
    "StringLookup": Row(
        (2,),
        "s",
        2,
        {"vocabulary": [["a", "b"], ["a", "bc", "d e"]]},
        {
            "num_oov_indices": [0, 1, 2],
            "mask_token": ["", "a", None],
            "oov_token": ["[UNK]", "x"],
            "output_mode": ["int", "one_hot", "multi_hot", "count", "tf_idf"],
            "invert": [False, False, True],
            "pad_to_max_tokens": BOOL,
            "max_tokens": [3, 9],
            "sparse": BOOL,
        },
    ),
    "IntegerLookup": Row(
        (2,),
        "i",
        2,
        {"vocabulary": [[1, 2], [3, 1, 5]]},
        {
            "num_oov_indices": [0, 1, 2],
            "mask_token": [0, 1, None],
            "oov_token": [-1, 9],
            "output_mode": ["int", "one_hot", "multi_hot", "count"],
            "invert": [False, False, True],
            "vocabulary_dtype": ["int64", "int32"],
            "pad_to_max_tokens": BOOL,
            "max_tokens": [4, 9],
            "sparse": BOOL,
        },
    ),
    "TextVectorization": Row(
        (2,),
        "s",
        2,
        {"vocabulary": [["a", "b"], ["a", "bc", "d e"]]},
        {
            "standardize": ["lower_and_strip_punctuation", None, "lower", "strip_punctuation"],
            "split": ["whitespace", None, "character"],
            "ngrams": [1, 2, [1, 2], None],
            "output_mode": ["int", "multi_hot", "count"],
            "output_sequence_length": [2, 5, None],
            "pad_to_max_tokens": BOOL,
            "max_tokens": [9],
            "sparse": BOOL,
            "ragged": BOOL,
        },
    ),
    "Resizing": Row(
        (3, 4),
        "f",
        None,
        {"height": [2, 5], "width": [3, 6]},
        {
            "interpolation": ["bilinear", "nearest", "bicubic", "area", "gaussian"],
            "crop_to_aspect_ratio": BOOL,
        },
    ),
    "CenterCrop": Row((3, 4), "f", None, {"height": [2, 5], "width": [2, 6]}, {}),
    "RandomCrop": Row((3, 4), "f", None, {"height": [2, 5], "width": [2, 6]}, _SEED),
    "RandomFlip": Row(
        (3, 4), "f", None, {}, {"mode": ["horizontal", "vertical", "horizontal_and_vertical"]}
    ),
    "RandomRotation": Row(
        (3, 4),
        "f",
        None,
        {"factor": [0.2, [-0.1, 0.3]]},
        {
            "fill_mode": ["reflect", "constant", "wrap", "nearest"],
            "interpolation": ["nearest", "bilinear"],
            "fill_value": [0.5],
            **_SEED,
        },
    ),
    "RandomZoom": Row(
        (3, 4),
        "f",
        None,
        {"height_factor": [0.2, [-0.1, 0.3]]},
        {
            "width_factor": [0.1],
            "fill_mode": ["reflect", "constant", "wrap", "nearest"],
            "interpolation": ["nearest", "bilinear"],
            **_SEED,
        },
    ),
    "RandomTranslation": Row(
        (3, 4),
        "f",
        None,
        {"height_factor": [0.2], "width_factor": [0.3, [-0.2, 0.1]]},
        {"fill_mode": ["reflect", "constant", "wrap", "nearest"], **_SEED},
    ),
    "RandomContrast": Row((3, 4), "f", None, {"factor": [0.2, [0.1, 0.5]]}, _SEED),
    "RandomBrightness": Row(
        (3, 4), "f", None, {"factor": [0.2, [-0.1, 0.5]]}, {"value_range": [[0, 1]], **_SEED}
    ),
    "RandomHeight": Row((3, 4), "f", None, {"factor": [0.2]}, _SEED),
    "RandomWidth": Row((3, 4), "f", None, {"factor": [0.2]}, _SEED),
    "Identity": Row((2, 3, 4), "fis", None, {}, {}),
}
COMMON: dict[str, Values] = {"name": NAMES, "dtype": DTYPES, "trainable": BOOL}
MERGES = (
    *("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum", "Concatenate", "Dot"),
    *("Attention", "AdditiveAttention", "MultiHeadAttention", "HashedCrossing"),
)


def layer(rng: random.Random, name: str, *, bad: float = 0.0) -> dict[str, Any]:
    """A layer with random arguments, one of them bad with that probability."""
    row = LAYERS[name]
    chosen = {key: rng.choice(values) for key, values in row.needs.items()}
    count = min(len(row.may), rng.choice([0, 1, 1, 2, 3]))
    chosen |= {key: rng.choice(row.may[key]) for key in rng.sample(list(row.may), count)}
    if rng.random() < 0.1:
        key = rng.choice(list(COMMON))
        chosen[key] = rng.choice(COMMON[key])
    if rng.random() < bad:
        chosen[rng.choice([*row.needs, *row.may, "bad_name"])] = rng.choice(BAD)
    return obj(f"layers.{name}", **{key: _inner(rng, value) for key, value in chosen.items()})


def _inner(rng: random.Random, value: Any) -> Any:
    if value == "cell":
        return rng.choice([cell(rng), cell(rng), [cell(rng), cell(rng)]])
    if value in ("recurrent", "backwards"):
        made = layer(rng, rng.choice(["SimpleRNN", "LSTM", "GRU", "RNN"]))
        return {**made, "args": {**made["args"], "go_backwards": value == "backwards"}}
    if value == "inner":
        return layer(rng, rng.choice(["Dense", "LayerNormalization", "Conv1D", "Flatten", "LSTM"]))
    return value
