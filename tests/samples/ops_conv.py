"""Samples of the ops in runnel/ops/nn/conv/ops.py and depthwise.py."""

import numpy as np

from tests.samples import floats, ints, sample


def _shape(*dims):
    return np.array(dims, np.int32)


def _conv2d(
    x=(2, 5, 6, 3), f=(3, 2, 3, 4), dtype="float32", strides=(1, 1), dilations=(1, 1), **rest
):
    rest.setdefault("padding", "SAME")
    return sample(
        "Conv2D",
        floats(*x, dtype=dtype),
        floats(*f, seed=1, dtype=dtype),
        strides=[1, *strides, 1],
        dilations=[1, *dilations, 1],
        **rest,
    )


def _backprops(name, x, f, dy, **attrs):
    return [
        sample(f"{name}Input", _shape(*x), floats(*f, seed=1), floats(*dy, seed=2), **attrs),
        sample(f"{name}Filter", floats(*x), _shape(*f), floats(*dy, seed=2), **attrs),
    ]


def _backprops3d(x, f, dy, **attrs):
    return [
        sample(
            "Conv3DBackpropInputV2", _shape(*x), floats(*f, seed=1), floats(*dy, seed=2), **attrs
        ),
        sample("Conv3DBackpropFilterV2", floats(*x), _shape(*f), floats(*dy, seed=2), **attrs),
    ]


NHWC = [1, 1, 1, 1]
KERNEL = floats(2, 2, 3, 4, seed=1)

ROWS = [
    _conv2d(),
    _conv2d(padding="VALID"),
    _conv2d(strides=(2, 1)),
    _conv2d(strides=(2, 3), padding="VALID"),
    _conv2d(
        dilations=(2, 1), padding="VALID", gradient=False
    ),  # gradients: not on TensorFlow's CPU
    _conv2d(dilations=(2, 2), gradient=False),
    _conv2d(dilations=(2, 1), padding="VALID", judged=False),
    _conv2d(dilations=(2, 2), judged=False),
    _conv2d(padding="EXPLICIT", explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0]),
    _conv2d(x=(1, 7, 7, 9), f=(3, 3, 9, 2), strides=(2, 2)),
    _conv2d(x=(2, 4, 4, 3), f=(1, 1, 3, 5)),
    _conv2d(x=(2, 4, 4, 3), f=(1, 1, 3, 5), strides=(2, 2)),
    _conv2d(dtype="float64"),
    # Sums of halves are rounded once here and at every step there.
    _conv2d(dtype="float16", differences=False, tolerance=2e-2),
    _conv2d(dtype="bfloat16", differences=False, tolerance=2e-1),
    _conv2d(x=(0, 5, 6, 3)),
    _conv2d(x=(1, 5, 6, 4), f=(3, 3, 2, 6), judged=False),  # groups: not on TensorFlow's CPU
    _conv2d(x=(1, 5, 6, 4), f=(3, 3, 2, 6), strides=(2, 2), judged=False),
    _conv2d(x=(1, 2, 2, 3), f=(3, 3, 3, 1), padding="VALID", gradient=False),  # of nothing
    _conv2d(x=(1, 5, 6, 3), f=(3, 2, 2, 4)),
    _conv2d(x=(5, 6, 3), f=(3, 2, 3, 4)),
    _conv2d(strides=(0, 1)),
    _conv2d(dilations=(0, 1)),
    sample("Conv2D", floats(1, 4, 4, 1), floats(2, 2, 1, 1), strides=[2, 1, 1, 1], padding="SAME"),
    sample("Conv2D", floats(1, 4, 4, 1), floats(2, 2, 1, 1), strides=[1, 1], padding="SAME"),
    sample("Conv2D", ints(1, 4, 4, 2), ints(2, 2, 2, 3), strides=NHWC, padding="SAME"),
    sample(
        "Conv2D",
        floats(1, 3, 5, 6),
        floats(3, 2, 3, 4),
        strides=NHWC,
        padding="SAME",
        data_format="NCHW",
        judged=False,
    ),
    *_backprops(
        "Conv2DBackprop", (2, 5, 6, 3), (3, 2, 3, 4), (2, 5, 6, 4), strides=NHWC, padding="SAME"
    ),
    *_backprops(
        "Conv2DBackprop",
        (2, 5, 6, 3),
        (3, 2, 3, 4),
        (2, 2, 3, 4),
        strides=[1, 2, 2, 1],
        padding="VALID",
    ),
    *_backprops(
        "Conv2DBackprop",
        (1, 6, 6, 8),
        (3, 3, 8, 2),
        (1, 3, 3, 2),
        strides=[1, 2, 2, 1],
        padding="SAME",
    ),
    *_backprops(
        "Conv2DBackprop",
        (1, 6, 5, 2),
        (2, 2, 2, 3),
        (1, 7, 6, 3),
        strides=NHWC,
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 1, 1, 1, 0, 0],
    ),
    *_backprops(
        "Conv2DBackprop", (2, 5, 6, 3), (3, 2, 3, 4), (2, 5, 5, 4), strides=NHWC, padding="SAME"
    ),
    sample(
        "Conv2DBackpropInput",
        _shape(5, 6),
        floats(3, 2, 3, 4),
        floats(2, 5, 6, 4),
        strides=NHWC,
        padding="SAME",
    ),
    # TensorFlow has no kernels for these on a CPU.
    sample(
        "Conv2DBackpropInputV2",
        floats(2, 5, 6, 3),
        floats(3, 2, 3, 4),
        floats(2, 5, 6, 4),
        strides=NHWC,
        judged=False,
        padding="SAME",
    ),
    sample(
        "Conv2DBackpropInputV2",
        floats(2, 3, 3, 1),
        floats(2, 2, 1, 2),
        floats(2, 2, 2, 2),
        strides=NHWC,
        judged=False,
        padding="VALID",
    ),
    sample(
        "Conv2DBackpropFilterV2",
        floats(2, 5, 6, 3),
        floats(3, 2, 3, 4),
        floats(2, 5, 6, 4),
        strides=NHWC,
        judged=False,
        padding="SAME",
    ),
    sample(
        "Conv2DBackpropFilterV2",
        floats(2, 5, 6, 3),
        floats(3, 2, 3, 4),
        floats(2, 4, 7, 4),
        strides=NHWC,
        judged=False,
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 0, 1, 1, 0, 0],
    ),
    sample(
        "Conv3D",
        floats(1, 3, 4, 5, 2),
        floats(2, 2, 3, 2, 3, seed=1),
        strides=[1] * 5,
        padding="SAME",
    ),
    sample(
        "Conv3D",
        floats(1, 4, 4, 5, 2),
        floats(2, 2, 3, 2, 3, seed=1),
        strides=[1, 2, 1, 2, 1],
        padding="VALID",
    ),
    sample(
        "Conv3D", floats(1, 3, 4, 2), floats(2, 2, 3, 2, 3, seed=1), strides=[1] * 5, padding="SAME"
    ),
    sample(
        "Conv3D",
        floats(1, 2, 3, 4, 5),
        floats(2, 2, 2, 2, 3, seed=1),
        strides=[1] * 5,
        padding="SAME",
        data_format="NCDHW",
        judged=False,
    ),
    sample(
        "Conv3D",
        floats(1, 5, 4, 5, 1),
        floats(2, 2, 2, 1, 2, seed=1),
        strides=[1] * 5,
        padding="VALID",
        dilations=[1, 2, 1, 2, 1],
        judged=False,
    ),
    *_backprops3d(
        (1, 3, 4, 5, 2), (2, 2, 3, 2, 3), (1, 3, 4, 5, 3), strides=[1] * 5, padding="SAME"
    ),
    *_backprops3d(
        (1, 4, 4, 5, 2), (2, 2, 3, 2, 3), (1, 2, 3, 2, 3), strides=[1, 2, 1, 2, 1], padding="VALID"
    ),
    sample(
        "DepthwiseConv2dNative",
        floats(2, 5, 6, 3),
        floats(3, 2, 3, 2, seed=1),
        strides=NHWC,
        padding="SAME",
    ),
    sample(
        "DepthwiseConv2dNative",
        floats(2, 5, 6, 3),
        floats(3, 2, 3, 1, seed=1),
        strides=[1, 2, 2, 1],
        padding="VALID",
    ),
    sample(
        "DepthwiseConv2dNative",
        floats(2, 5, 6, 3),
        floats(3, 2, 3, 1, seed=1),
        strides=[1, 2, 2, 1],
        padding="SAME",
    ),
    sample(
        "DepthwiseConv2dNative",
        floats(1, 6, 6, 2),
        floats(2, 2, 2, 1, seed=1),
        strides=NHWC,
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 0, 2, 1, 0, 0],
    ),
    sample(
        "DepthwiseConv2dNative",
        floats(1, 7, 7, 2),
        floats(2, 2, 2, 1, seed=1),
        strides=NHWC,
        padding="VALID",
        dilations=[1, 2, 2, 1],
        judged=False,
    ),
    sample(
        "DepthwiseConv2dNative",
        floats(2, 5, 6, 3),
        floats(3, 2, 2, 1, seed=1),
        strides=NHWC,
        padding="SAME",
    ),
    sample(
        "DepthwiseConv2dNative",
        floats(1, 5, 6, 3, dtype="float16"),
        floats(3, 2, 3, 1, dtype="float16"),
        strides=NHWC,
        padding="SAME",
        differences=False,
        tolerance=2e-2,
    ),
    *_backprops(
        "DepthwiseConv2dNativeBackprop",
        (2, 5, 6, 3),
        (3, 2, 3, 2),
        (2, 5, 6, 6),
        strides=NHWC,
        padding="SAME",
    ),
    *_backprops(
        "DepthwiseConv2dNativeBackprop",
        (1, 5, 6, 2),
        (3, 2, 2, 1),
        (1, 2, 3, 2),
        strides=[1, 2, 2, 1],
        padding="VALID",
    ),
    sample("Conv", floats(2, 5, 6, 3), KERNEL, strides=NHWC, padding="SAME"),
    sample(
        "Conv", floats(2, 5, 6, 3), KERNEL, strides=NHWC, padding="VALID", dilations=[1, 2, 2, 1]
    ),
    sample("Conv", floats(2, 2, 5, 6, 3), KERNEL, strides=NHWC, padding="SAME", batch_dims=2),
    sample("Conv", floats(1, 4, 4, 4, 2), floats(2, 2, 2, 2, 3), strides=[1] * 5, padding="VALID"),
    sample(
        "Conv",
        floats(1, 5, 6, 3),
        KERNEL,
        strides=NHWC,
        padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 1, 0, 0, 0, 0],
    ),
    sample("Conv", floats(1, 5, 6, 3), KERNEL, strides=[1, 1], padding="SAME"),
    sample("Conv", floats(5, 6, 3), KERNEL[0], strides=[1, 1, 1], padding="SAME"),
]
