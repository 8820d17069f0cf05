"""Calls of the functions of `tf.keras.backend`."""

import numpy as np

from tests.samples import bools, call, floats, ints, made, positive, tensor

X = tensor(floats(3, 4))
Y = tensor(floats(3, 4, seed=1))
CUBE = tensor(floats(2, 3, 4))
INTS = tensor(ints(3, 4))
TRUTHS = tensor(bools(3, 4))
SERIES = tensor(floats(2, 7, 3))
IMAGE = tensor(floats(2, 6, 5, 3))
FIRST = tensor(np.moveaxis(floats(2, 6, 5, 3), -1, 1).copy())
VOLUME = tensor(floats(1, 4, 5, 4, 2))
VOLUME_FIRST = tensor(np.moveaxis(floats(1, 4, 5, 4, 2), -1, 1).copy())
KERNEL = tensor(floats(3, 2, 3, 4, seed=1))
CHANCES = np.array([[0.1, 0.2, 0.7], [0.3, 0.4, 0.3]], np.float32)
ONE_HOT = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], np.float32)
SPARSE = made("sparse.from_dense", np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]], np.float32))
RAGGED = made("ragged.constant", [[1.0, 2.0], [3.0]])
STEPS = np.array(
    [[[0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0.1, 0.8, 0.1], [0.5, 0.4, 0.1]]] * 2, np.float32
)
UNARY = (
    "abs square sqrt exp round sign sin cos softplus softsign sigmoid hard_sigmoid tanh relu elu"
)
COMPARING = "equal not_equal greater greater_equal less less_equal maximum minimum"
REDUCING = "max min sum prod mean var std any all"


def backend(function, *args, **kwargs):
    return call(f"keras.backend.{function}", *args, **kwargs)


ELEMENTWISE = [
    *[backend(name, X) for name in UNARY.split()],
    *[backend(name, tensor(floats(5), "float16")) for name in UNARY.split()],
    *[backend(name, tensor(np.zeros((0, 2), np.float32))) for name in UNARY.split()],
    *[backend(name, tensor("text")) for name in UNARY.split()],
    *[backend(name, X, Y) for name in COMPARING.split()],
    *[backend(name, INTS, 2) for name in COMPARING.split()],
    *[backend(name, X, tensor([1.0, 2.0])) for name in COMPARING.split()],
    backend("log", tensor(positive(3, 4))),
    backend("log", tensor([0.0, -1.0])),
    backend("sqrt", tensor([-4.0, 9.0])),
    backend("pow", X, 2),
    backend("pow", X, 3.0),
    backend("pow", INTS, tensor([1, 2])),
    backend("clip", X, -0.5, 0.5),
    backend("clip", X, None, 0.5),
    backend("clip", X, 0.5, None),
    backend("clip", X, 0.5, -0.5),
    backend("clip", X, tensor(-0.1), tensor(0.1)),
    backend("relu", X, alpha=0.1),
    backend("relu", X, max_value=1.0),
    backend("relu", X, max_value=6),
    backend("relu", X, threshold=0.5),
    backend("relu", X, alpha=0.2, max_value=1.0, threshold=-0.5),
    backend("elu", X, alpha=0.3),
    backend("softmax", X),
    backend("softmax", CUBE, axis=1),
    backend("softmax", CUBE, axis=[0, 1]),
    backend("softmax", tensor([1.0, 2.0])),
    backend("l2_normalize", X),
    backend("l2_normalize", X, axis=-1),
    backend("in_top_k", X, tensor([0, 3, 2]), 2),
    backend("in_top_k", X, tensor([0, 3]), 2),
    backend("dropout", X, 0.5, seed=3),
    backend("dropout", X, 0.4, noise_shape=(3, 1), seed=3),
    backend("dropout", X, 1.5, seed=3),
]

REDUCTIONS = [
    *[backend(name, X) for name in REDUCING.split()],
    *[backend(name, CUBE, axis=1) for name in REDUCING.split()],
    *[backend(name, CUBE, axis=[0, -1], keepdims=True) for name in REDUCING.split()],
    *[backend(name, X, axis=5) for name in REDUCING.split()],
    *[backend(name, TRUTHS, axis=-1) for name in "mean var std any all".split()],
    *[backend(name, INTS, axis=0) for name in "max min sum prod mean any all".split()],
    *[backend(name, CUBE) for name in "argmax argmin cumsum cumprod".split()],
    *[backend(name, CUBE, axis=1) for name in "argmax argmin cumsum cumprod".split()],
    *[backend(name, CUBE, axis=7) for name in "argmax argmin cumsum cumprod".split()],
]

PRODUCTS = [
    backend("dot", X, tensor(floats(4, 2))),
    backend("dot", CUBE, tensor(floats(4, 2))),
    backend("dot", CUBE, tensor(floats(5, 4, 2))),
    backend("dot", X, tensor(floats(2, 4, 5))),
    backend("dot", X, X),
    backend("dot", CUBE, X),
    backend("dot", SPARSE, tensor(floats(3, 2))),
    backend("batch_dot", X, Y),
    backend("batch_dot", X, Y, axes=1),
    backend("batch_dot", CUBE, tensor(floats(2, 4, 5))),
    backend("batch_dot", CUBE, tensor(floats(2, 3, 5)), axes=1),
    backend("batch_dot", CUBE, tensor(floats(2, 5, 4)), axes=(2, 2)),
    backend("batch_dot", CUBE, tensor(floats(2, 4))),
    backend("batch_dot", tensor(floats(2, 4)), tensor(floats(2, 4, 5))),
    backend("batch_dot", tensor(floats(2, 3, 4, 5)), tensor(floats(2, 5, 3)), axes=(-1, 1)),
    backend("batch_dot", tensor(floats(2, 3, 4)), tensor(floats(2, 4, 3, 5)), axes=(2, 1)),
    backend("batch_dot", X, Y, axes=0),
    backend("batch_dot", CUBE, CUBE),
    backend("batch_dot", X, CUBE),
    backend("batch_dot", X, tensor([1.0, 2.0, 3.0])),
    backend("batch_dot", CUBE, CUBE, axes=((1, 2), 1)),
    backend("transpose", CUBE),
    backend("bias_add", X, tensor(floats(4))),
    backend("bias_add", IMAGE, tensor(floats(3))),
    backend("bias_add", FIRST, tensor(floats(3)), data_format="channels_first"),
    backend("bias_add", IMAGE, tensor(floats(6, 5, 3))),
    backend("bias_add", FIRST, tensor(floats(6, 5, 3)), data_format="channels_first"),
    backend("bias_add", IMAGE, tensor(floats(5, 3))),
    backend("bias_add", X, tensor(floats(3))),
    backend("bias_add", X, tensor(floats(4)), data_format="sideways"),
]

ARRAYS = [
    backend("gather", X, [2, 0]),
    backend("gather", X, tensor([[2], [0]])),
    backend("gather", X, [7]),
    backend("concatenate", [X, Y]),
    backend("concatenate", [X, Y], axis=0),
    backend("concatenate", [SPARSE, SPARSE], axis=0),
    backend("concatenate", [SPARSE, tensor(floats(2, 1))]),
    backend("concatenate", [RAGGED, RAGGED], axis=0),
    backend("concatenate", [X, CUBE]),
    backend("reshape", X, (2, 6)),
    backend("reshape", X, (-1,)),
    backend("reshape", X, (5, 5)),
    backend("permute_dimensions", CUBE, (2, 0, 1)),
    backend("permute_dimensions", CUBE, (0, 1)),
    backend("repeat_elements", CUBE, 2, 1),
    backend("repeat_elements", CUBE, 3, -1),
    backend("repeat_elements", CUBE, 3, 5),
    backend("repeat", X, 3),
    backend("repeat", CUBE, 3),
    backend("arange", 5),
    backend("arange", -5),
    backend("arange", 1, 7, 2),
    backend("arange", 1, 3, dtype="float32"),
    backend("arange", 0.0, 2.0, 0.5),
    backend("tile", X, [2, 1]),
    backend("tile", tensor([1.0, 2.0]), 3),
    backend("tile", X, 2),
    backend("flatten", CUBE),
    backend("batch_flatten", CUBE),
    backend("batch_flatten", IMAGE),
    backend("expand_dims", X),
    backend("expand_dims", X, 0),
    backend("expand_dims", X, 7),
    backend("squeeze", tensor(floats(3, 1, 2)), 1),
    backend("squeeze", X, 0),
    backend("stack", [X, Y]),
    backend("stack", [X, Y], axis=-1),
    backend("stack", [X, CUBE]),
    backend("one_hot", tensor([0, 2, 5]), 3),
    backend("one_hot", tensor([[0], [1]]), num_classes=2),
    backend("reverse", CUBE, 1),
    backend("reverse", CUBE, [0, 2]),
    backend("reverse", CUBE, 5),
    backend("temporal_padding", SERIES),
    backend("temporal_padding", SERIES, (2, 0)),
    backend("temporal_padding", SERIES, (1, 1, 1)),
    backend("spatial_2d_padding", IMAGE),
    backend("spatial_2d_padding", IMAGE, ((1, 0), (0, 2))),
    backend("spatial_2d_padding", FIRST, ((1, 0), (0, 2)), "channels_first"),
    backend("spatial_2d_padding", IMAGE, ((1, 0),)),
    backend("spatial_2d_padding", IMAGE, data_format="last"),
    backend("spatial_3d_padding", VOLUME),
    backend("spatial_3d_padding", VOLUME_FIRST, ((1, 0), (0, 2), (1, 1)), "channels_first"),
    backend("spatial_3d_padding", VOLUME, ((1, 1), (1, 1))),
    backend("resize_images", IMAGE, 2, 3, "channels_last"),
    backend("resize_images", FIRST, 2, 3, "channels_first"),
    backend("resize_images", IMAGE, 2, 2, "channels_last", interpolation="bilinear"),
    backend("resize_images", IMAGE, 2, 2, "channels_last", interpolation="bicubic"),
    backend("resize_images", IMAGE, 2, 2, "channels_last", interpolation="linear"),
    backend("resize_images", IMAGE, 2, 2, None),
    backend("resize_volumes", VOLUME, 2, 1, 3, "channels_last"),
    backend("resize_volumes", VOLUME_FIRST, 2, 1, 3, "channels_first"),
    backend("resize_volumes", VOLUME, 2, 1, 3, "last"),
]

TENSORS = [
    backend("backend"),
    backend("constant", [1, 2]),
    backend("constant", 3, dtype="int32", shape=(2, 2)),
    backend("constant", [1.0, 2.0], shape=(3,)),
    backend("cast", X, "int32"),
    backend("cast", X, "nothing"),
    backend("cast_to_floatx", tensor([1, 2])),
    backend("cast_to_floatx", [1, 2]),
    backend("is_sparse", SPARSE),
    backend("is_sparse", X),
    backend("to_dense", SPARSE),
    backend("to_dense", X),
    backend("shape", CUBE),
    backend("int_shape", CUBE),
    backend("int_shape", tensor(1.0)),
    backend("ndim", CUBE),
    backend("dtype", INTS),
    backend("count_params", CUBE),
    backend("is_keras_tensor", X),
    backend("is_keras_tensor", "text"),
    backend("zeros_like", INTS),
    backend("zeros_like", INTS, dtype="float32"),
    backend("ones_like", X),
    backend("ones_like", X, dtype="int32"),
    backend("variable", "text"),
    backend("zeros", (0, 3)),
    backend("get_value", X),
    backend("get_value", 3),
    backend("batch_get_value", [X, INTS]),
    backend("eval", SPARSE),
    backend("eval", X),
    backend("stop_gradient", X),
]

RANDOM = [
    backend("random_normal", (2, 3), seed=5),
    backend("random_normal", (2, 3), mean=1.0, stddev=0.5, seed=5),
    backend("random_uniform", (2, 3), seed=5),
    backend("random_uniform", (2, 3), minval=2, maxval=9, dtype="int32", seed=5),
    backend("random_bernoulli", (2, 3), p=0.4, seed=5),
    backend("truncated_normal", (2, 3), seed=5),
    backend("random_normal", (-1, 3), seed=5),
]

ENTROPIES = [
    backend("categorical_crossentropy", ONE_HOT, CHANCES),
    backend("categorical_crossentropy", ONE_HOT, CHANCES, from_logits=True),
    backend("categorical_crossentropy", ONE_HOT.T, CHANCES.T, axis=0),
    backend("categorical_crossentropy", ONE_HOT, CHANCES[:, :2]),
    backend("categorical_focal_crossentropy", ONE_HOT, CHANCES),
    backend("categorical_focal_crossentropy", ONE_HOT, CHANCES, 0.5, 1.0, from_logits=True),
    backend("categorical_focal_crossentropy", ONE_HOT, CHANCES[:1, :2]),
    backend("sparse_categorical_crossentropy", [2, 0], CHANCES),
    backend("sparse_categorical_crossentropy", [2, 0], CHANCES, from_logits=True),
    backend("sparse_categorical_crossentropy", [[2], [0]], CHANCES),
    backend("sparse_categorical_crossentropy", [2, 0], CHANCES, ignore_class=2),
    backend("sparse_categorical_crossentropy", [0, 1, 0], CHANCES, axis=0),
    backend("sparse_categorical_crossentropy", [2, 0, 1], CHANCES),
    backend("binary_crossentropy", ONE_HOT, CHANCES),
    backend("binary_crossentropy", ONE_HOT, CHANCES, from_logits=True),
    backend("binary_crossentropy", [1.0, 0.0], [1.0, 1.0]),
    backend("binary_crossentropy", ONE_HOT, CHANCES[:, :2]),
    backend("binary_focal_crossentropy", tensor(ONE_HOT), tensor(CHANCES)),
    backend("binary_focal_crossentropy", tensor(ONE_HOT), tensor(CHANCES), from_logits=True),
    backend("binary_focal_crossentropy", tensor(ONE_HOT), tensor(CHANCES), True, 0.4, 1.0),
]

CONVOLUTIONS = [
    backend("conv1d", SERIES, tensor(floats(3, 3, 4))),
    backend("conv1d", SERIES, tensor(floats(3, 3, 4)), strides=2, padding="same"),
    backend("conv1d", SERIES, tensor(floats(3, 3, 4)), padding="causal", dilation_rate=2),
    backend("conv1d", SERIES, tensor(floats(3, 3, 4)), padding="full"),
    backend("conv1d", SERIES, tensor(floats(3, 2, 4))),
    backend("conv2d", IMAGE, KERNEL),
    backend("conv2d", IMAGE, KERNEL, strides=(2, 1), padding="same"),
    backend("conv2d", IMAGE, KERNEL, dilation_rate=(2, 2)),
    backend("conv2d", FIRST, KERNEL, data_format="channels_first"),
    backend("conv2d", IMAGE, KERNEL, data_format="NHWC"),
    backend("conv2d", IMAGE, KERNEL, padding="causal"),
    backend("conv3d", VOLUME, tensor(floats(2, 2, 2, 2, 3))),
    backend("conv3d", VOLUME, tensor(floats(2, 2, 2, 2, 3)), strides=(2, 1, 2), padding="same"),
    backend("conv3d", VOLUME_FIRST, tensor(floats(2, 2, 2, 2, 3)), data_format="channels_first"),
    backend("conv2d_transpose", IMAGE, tensor(floats(3, 3, 2, 3)), (2, 8, 7, 2)),
    backend(
        "conv2d_transpose",
        IMAGE,
        tensor(floats(3, 3, 2, 3)),
        (None, 12, 10, 2),
        strides=(2, 2),
        padding="same",
    ),
    backend(
        "conv2d_transpose",
        FIRST,
        tensor(floats(3, 3, 2, 3)),
        (2, 2, 8, 7),
        data_format="channels_first",
    ),
    backend(
        "conv2d_transpose", IMAGE, tensor(floats(3, 3, 2, 3)), (2, 10, 9, 2), dilation_rate=(2, 2)
    ),
    backend(
        "conv2d_transpose",
        FIRST,
        tensor(floats(3, 3, 2, 3)),
        (2, 2, 10, 9),
        data_format="channels_first",
        dilation_rate=(2, 2),
    ),
    backend(
        "conv2d_transpose", IMAGE, tensor(floats(3, 3, 2, 3)), (2, 10, 9, 2), dilation_rate=(2, 1)
    ),
    backend("separable_conv2d", IMAGE, tensor(floats(3, 3, 3, 2)), tensor(floats(1, 1, 6, 4))),
    backend(
        "separable_conv2d",
        FIRST,
        tensor(floats(3, 3, 3, 2)),
        tensor(floats(1, 1, 6, 4)),
        padding="same",
        data_format="channels_first",
    ),
    backend(
        "separable_conv2d",
        IMAGE,
        tensor(floats(3, 3, 3, 2)),
        tensor(floats(1, 1, 6, 4)),
        strides=(1,),
    ),
    backend("depthwise_conv2d", IMAGE, tensor(floats(3, 3, 3, 2))),
    backend(
        "depthwise_conv2d",
        FIRST,
        tensor(floats(3, 3, 3, 2)),
        strides=(2, 2),
        padding="same",
        data_format="channels_first",
    ),
    backend("depthwise_conv2d", IMAGE, tensor(floats(3, 3, 3, 2)), dilation_rate=(2, 2)),
    backend("pool2d", IMAGE, (2, 2)),
    backend("pool2d", IMAGE, (2, 3), (2, 1), padding="same", pool_mode="avg"),
    backend("pool2d", FIRST, (2, 2), (2, 2), data_format="channels_first"),
    backend("pool2d", IMAGE, (2,)),
    backend("pool2d", IMAGE, (2, 2), pool_mode="sum"),
    backend("pool2d", IMAGE, (2, 2), padding="full"),
    backend("pool3d", VOLUME, (2, 2, 2)),
    backend("pool3d", VOLUME, (2, 1, 2), (2, 1, 1), padding="same", pool_mode="avg"),
    backend("pool3d", VOLUME_FIRST, (2, 2, 2), (2, 2, 2), data_format="channels_first"),
    backend("pool3d", VOLUME, (2, 2, 2), pool_mode="sum"),
    backend("local_conv1d", SERIES, tensor(floats(5, 9, 4)), (3,), (1,)),
    backend("local_conv1d", SERIES, tensor(floats(3, 9, 4)), (3,), (2,)),
    backend("local_conv2d", IMAGE, tensor(floats(15, 18, 4)), (2, 3), (1, 1), (5, 3)),
    backend(
        "local_conv2d", FIRST, tensor(floats(15, 18, 4)), (2, 3), (1, 1), (5, 3), "channels_first"
    ),
]

NORMALIZATION = [
    backend("normalize_batch_in_training", X, None, None, [0]),
    backend("normalize_batch_in_training", X, tensor(floats(4)), tensor(floats(4, seed=1)), [0]),
    backend("normalize_batch_in_training", CUBE, tensor(floats(3)), None, [0, 2]),
    backend(
        "normalize_batch_in_training",
        IMAGE,
        tensor(floats(3)),
        tensor(floats(3, seed=1)),
        [0, 1, 2],
    ),
    backend("normalize_batch_in_training", IMAGE, None, None, [0, 1, 2]),
    backend("normalize_batch_in_training", FIRST, None, None, [0, 2, 3]),
    backend(
        "batch_normalization",
        X,
        tensor(floats(4)),
        tensor(positive(4)),
        tensor(floats(4, seed=1)),
        tensor(floats(4, seed=2)),
    ),
    backend(
        "batch_normalization", X, tensor(floats(4)), tensor(positive(4)), None, None, epsilon=0.1
    ),
    backend(
        "batch_normalization",
        IMAGE,
        tensor(floats(3)),
        tensor(positive(3)),
        tensor(floats(3, seed=1)),
        None,
    ),
    backend(
        "batch_normalization",
        IMAGE,
        tensor(floats(1, 1, 1, 3)),
        tensor(positive(1, 1, 1, 3)),
        None,
        None,
    ),
]

CTC = [
    backend("ctc_label_dense_to_sparse", tensor([[1, 2, 0], [3, 0, 0]]), tensor([2, 1])),
    backend("ctc_label_dense_to_sparse", tensor([[1, 2, 0], [3, 0, 0]]), tensor([0, 3])),
    backend(
        "ctc_batch_cost",
        tensor([[0, 1], [1, 0]]),
        tensor(STEPS),
        tensor([[4], [3]]),
        tensor([[2], [1]]),
    ),
    backend(
        "ctc_batch_cost",
        tensor([[0.0, 1.0], [1.0, 0.0]]),
        tensor(STEPS),
        tensor([[4], [3]]),
        tensor([[2], [1]]),
    ),
    backend("ctc_decode", tensor(STEPS), tensor([4, 3])),
    backend("ctc_decode", tensor(STEPS), tensor([4, 2]), greedy=False, beam_width=5, top_paths=2),
    backend("ctc_decode", tensor(STEPS), tensor([4, 9])),
]

ROWS = [
    *ELEMENTWISE,
    *REDUCTIONS,
    *PRODUCTS,
    *ARRAYS,
    *TENSORS,
    *RANDOM,
    *ENTROPIES,
    *CONVOLUTIONS,
    *NORMALIZATION,
    *CTC,
]
