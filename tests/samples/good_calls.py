"""One good call of every function that `bad_input.py` makes bad calls of.

Arrays are tensor arguments, `Axis`, `Size` and `Type` mark axes, sizes or shapes, and dtypes; anything
else stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.samples import complexes, floats, ints, made, positive, symbol


@dataclass
class Axis:
    """An argument that counts dimensions."""

    value: Any


@dataclass
class Size:
    """An argument that is a size, or a shape as a list."""

    value: Any


@dataclass
class Type:
    """An argument that is a dtype."""

    name: str


@dataclass
class Case:
    """One bad call; `id` says which argument was replaced by what."""

    symbol: str
    id: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def good(symbol: str, *args: Any, **kwargs: Any) -> Case:
    return Case(symbol, "good", args, kwargs)


F, G, P = floats(2, 3), floats(2, 3, seed=1), positive(2, 3, low=0.2, high=0.9)
I, J, B = ints(2, 3), ints(2, 3, low=1, high=4), floats(2, 3) > 0  # noqa: E741 (ints)
M, S = floats(3, 3), floats(3, 3) @ floats(3, 3).T + np.eye(3, dtype=np.float32)
C = complexes(2, 4)
IMAGE = positive(2, 6, 6, 3, high=1.0)
SERIES, VOLUME = floats(2, 8, 3), floats(1, 3, 4, 4, 2)
IDS = np.array([0, 1], np.int32)
BOXES = positive(4, 4, low=0.0, high=1.0)
SEED = np.array([1, 2], np.int32)
HALF = np.float32(0.5)
FLOAT, INT = Type("float32"), Type("int32")

_UNARY = """square exp sqrt abs math.log cos sin sigmoid round floor tanh sign acos atanh atan asinh
sinh tan negative math.ceil math.rsqrt math.is_nan math.is_inf math.is_finite math.log1p
math.expm1 math.erf math.erfc math.lgamma math.digamma math.reciprocal
math.reciprocal_no_nan math.rint math.log_sigmoid math.erfinv math.ndtri math.bessel_i0e
math.bessel_i1e math.lbeta math.real math.imag math.conj math.angle math.softplus math.cosh
math.is_strictly_increasing nn.relu nn.gelu nn.elu nn.leaky_relu nn.swish nn.relu6 nn.selu
nn.softsign nn.l2_loss nn.zero_fraction identity stop_gradient zeros_like ones_like shape
size rank unstack get_static_value random.shuffle is_tensor nn.log_softmax nn.softmax
linalg.matrix_transpose linalg.adjoint linalg.trace nn.compute_average_loss
nn.scale_regularization_loss"""
_BINARY = """add subtract multiply divide maximum minimum equal not_equal less less_equal greater
greater_equal pow math.floormod math.floordiv math.divide_no_nan math.multiply_no_nan
truediv atan2 math.squared_difference math.xlogy math.xlog1py math.xdivy math.nextafter
complex assert_equal nn.sigmoid_cross_entropy_with_logits math.mod Tensor.__add__
Tensor.__sub__ Tensor.__mul__ Tensor.__truediv__ Tensor.__floordiv__ Tensor.__mod__
Tensor.__pow__ Tensor.__lt__ Tensor.__ge__"""
_REDUCE = """reduce_mean reduce_sum reduce_max reduce_min reduce_prod reduce_logsumexp math.reduce_std
math.reduce_variance math.reduce_euclidean_norm math.count_nonzero math.l2_normalize argmax
argmin math.cumsum math.cumprod math.cumulative_logsumexp sort argsort nn.moments
signal.fftshift nn.softmax"""
_POSITIVE_PAIRS = ["math.igamma", "math.igammac", "math.zeta", "math.polygamma"]

GOOD = [
    *(good(name, F) for name in _UNARY.split()),
    *(good(name, F, G) for name in _BINARY.split()),
    *(good(name, F, Axis(1)) for name in _REDUCE.split()),
    *(good(name, P, P) for name in _POSITIVE_PAIRS),
    *(good(name, B, Axis(1)) for name in ("reduce_all", "reduce_any")),
    *(good(name, B, B) for name in ("logical_and", "logical_or", "math.logical_xor")),
    *(good(f"bitwise.{name}", J, J) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")),
    *(good(f"bitwise.{name}", J, J) for name in ("left_shift", "right_shift")),
    *(good(f"math.segment_{name}", F, IDS) for name in ("sum", "mean", "max", "min", "prod")),
    *(
        good(f"math.unsorted_segment_{name}", F, IDS, Size(2))
        for name in ("sum", "mean", "max", "min", "prod")
    ),
    *(
        good(f"tensor_scatter_nd_{name}", F, np.array([[1]], np.int32), F[:1])
        for name in ("update", "add", "sub", "max", "min")
    ),
    good("logical_not", B),
    good("cast", F, INT),
    good("saturate_cast", F, INT),
    good("bitcast", F, INT),
    good("constant", F, FLOAT, Size([2, 3])),
    good("convert_to_tensor", F, FLOAT),
    good("reshape", F, Size([3, 2])),
    good("expand_dims", F, Axis(1)),
    good("squeeze", floats(1, 3), Axis(0)),
    good("concat", [F, G], Axis(1)),
    good("stack", [F, G], Axis(1)),
    good("unstack", F, Size(3), Axis(1)),
    good("zeros", Size([2, 3]), FLOAT),
    good("ones", Size([2, 3]), FLOAT),
    good("fill", Size([2, 3]), HALF),
    good("eye", Size(3), Size(2), Size([2])),
    good("zeros_like", F, FLOAT),
    good("ones_like", F, FLOAT),
    good("shape", F, INT),
    good("shape_n", [F, G]),
    good("range", np.int32(1), np.int32(9), np.int32(2)),
    good("range", Size(5), dtype=INT),
    good("linspace", np.float32(0), np.float32(1), Size(3)),
    good("matmul", F, M),
    good("matmul", floats(2, 2, 3), floats(2, 3, 4)),
    good("linalg.matvec", M, floats(3)),
    good("tensordot", F, M, Size(1)),
    good("tensordot", F, M, [[1], [0]]),
    good("einsum", "ij,jk->ik", F, M),
    good("einsum", "ij,jk", F, M),
    good("transpose", F, Axis([1, 0])),
    good("where", B, F, G),
    good("where", B),
    good("gather", F, IDS, axis=Axis(0)),
    good("gather", F, np.array([[0], [1]], np.int32), batch_dims=Axis(1)),
    good("gather_nd", F, np.array([[0, 1]], np.int32)),
    good("scatter_nd", np.array([[0], [1]], np.int32), F, Size([4, 3])),
    good("one_hot", IDS, Size(3), axis=Axis(0), dtype=FLOAT),
    good("clip_by_value", F, np.float32(-1), np.float32(1)),
    good("clip_by_norm", F, np.float32(1), Axis([0])),
    good("clip_by_global_norm", [F, G], np.float32(1)),
    good("linalg.global_norm", [F, G]),
    good("tile", F, Size([2, 1])),
    good("split", floats(2, 4), Size(2), Axis(1)),
    good("split", floats(2, 4), Size([1, 3]), Axis(1)),
    good("pad", F, np.array([[1, 0], [0, 2]], np.int32)),
    good("pad", F, np.array([[1, 0], [0, 2]], np.int32), "REFLECT"),
    good("norm", F, axis=Axis(1)),
    good("linalg.norm", F, "fro", axis=Axis([0, 1])),
    good("linalg.normalize", F, axis=Axis(1)),
    good("repeat", F, Size(2), Axis(1)),
    good("repeat", F, Size([1, 2]), Axis(0)),
    good("add_n", [F, G]),
    good("broadcast_to", F, Size([2, 2, 3])),
    good("broadcast_dynamic_shape", Size([2, 3]), Size([1, 3])),
    good("broadcast_static_shape", made("TensorShape", [2, 3]), made("TensorShape", [1, 3])),
    good("boolean_mask", F, np.array([True, False])),
    good("boolean_mask", F, np.array([True, False, True]), Axis(1)),
    good("slice", F, Size([0, 1]), Size([1, 2])),
    good("strided_slice", F, Size([0, 0]), Size([2, 2]), Size([1, 1])),
    good("meshgrid", floats(2), floats(3)),
    good("unique", np.array([1, 2, 1], np.int32), out_idx=INT),
    good("unique_with_counts", np.array([1, 2, 1], np.int32)),
    good("ensure_shape", F, Size([2, 3])),
    good("reverse", F, Axis([1])),
    good("sequence_mask", np.array([1, 2], np.int32), Size(3), FLOAT),
    good("roll", F, np.int32(1), Axis(1)),
    good("sort", F, Axis(0), "DESCENDING"),
    good("searchsorted", np.sort(F), F, "left", INT),
    good("histogram_fixed_width", F, np.array([-1, 1], np.float32), Size(4)),
    good("histogram_fixed_width_bins", F, np.array([-1, 1], np.float32), Size(4)),
    good("dynamic_partition", F, IDS, Size(2)),
    good("dynamic_stitch", [IDS, IDS + 2], [F, G]),
    good("reverse_sequence", F, np.array([1, 2], np.int32), Axis(1), Axis(0)),
    good("batch_to_space", floats(4, 1, 1, 1), Size([2, 2]), np.zeros((2, 2), np.int32)),
    good("space_to_batch", floats(1, 2, 2, 1), Size([2, 2]), np.zeros((2, 2), np.int32)),
    good("assert_rank", F, Axis(2)),
    good("assert_greater", J, -J),
    good("assert_less", -J, J),
    good("identity_n", [F, I]),
    good("tuple", [F, G]),
    good("scalar_mul", HALF, F),
    good("as_dtype", Type("float32")),
    good("Tensor.__getitem__", F, Axis(0)),
    good("Tensor.__getitem__", F, (Axis(0), Axis(1))),
    good("Tensor.__getitem__", F, (slice(None), Axis(1))),
    good("Tensor.__matmul__", F, M),
    good("Tensor.__and__", B, B),
    good("Tensor.__neg__", F),
    good("Tensor.__invert__", B),
    good(".__bool__", np.True_),
    good(".__float__", HALF),
    good(".__int__", np.int32(3)),
    good(".__index__", np.int32(3)),
    good(".__len__", F),
    good(".__iter__", F),
    good(".set_shape", F, Size([2, 3])),
    good("Variable", F, dtype=FLOAT),
    good(".assign", made("Variable", F), F),
    good(".assign_add", made("Variable", F), F),
    good(".scatter_nd_update", made("Variable", F), np.array([[0]], np.int32), F[:1]),
    good(".gather_nd", made("Variable", F), np.array([[0]], np.int32)),
    good("TensorShape", Size([2, 3])),
    good("TensorSpec", Size([2, 3]), FLOAT),
    good("map_fn", symbol("square"), F),
    good("foldl", symbol("add"), F),
    good("scan", symbol("add"), F),
    good("vectorized_map", symbol("square"), F),
    good("math.bincount", np.array([1, 2, 1], np.int32), minlength=Size(4)),
    good("math.bincount", J, axis=Axis(-1)),
    good("math.top_k", F, Size(2)),
    good("math.in_top_k", IDS, F, Size(2)),
    good("math.confusion_matrix", IDS, IDS, Size(2), dtype=INT),
    good("math.polyval", [HALF, HALF], F),
    good("math.invert_permutation", np.array([1, 0, 2], np.int32)),
    good("math.betainc", P, P, P),
    good("math.sobol_sample", Size(2), Size(3)),
    good("math.accumulate_n", [F, G]),
    good("math.approx_max_k", F, Size(2)),
    good("linalg.diag", F),
    good("linalg.diag", F, k=Axis(1)),
    good("linalg.diag_part", M),
    good("linalg.diag_part", M, k=Axis(1)),
    good("linalg.set_diag", M, floats(3)),
    good("linalg.band_part", M, Axis(1), Axis(0)),
    good("linalg.tensor_diag", floats(3)),
    good("linalg.tensor_diag_part", M),
    *(good(f"linalg.{n}", S) for n in "cholesky inv det logdet slogdet eigh eigvalsh".split()),
    *(good(f"linalg.{n}", S) for n in "svd qr sqrtm eig lu pinv expm".split()),
    good("linalg.solve", S, floats(3, 2)),
    good("linalg.triangular_solve", S, floats(3, 2)),
    good("linalg.cholesky_solve", S, floats(3, 2)),
    good("linalg.lstsq", S, floats(3, 2)),
    good("linalg.cross", F, G),
    good("linalg.eye", Size(2), dtype=FLOAT),
    good("random.uniform", Size([2, 3]), np.float32(0), np.float32(1), dtype=FLOAT),
    good("random.uniform", Size([2, 3]), 0, 5, dtype=INT),
    good("random.normal", Size([2, 3]), np.float32(0), np.float32(1), dtype=FLOAT),
    good("random.truncated_normal", Size([2, 3]), dtype=FLOAT),
    good("random.set_seed", Size(1)),
    good("random.categorical", F, Size(2)),
    good("random.gamma", Size([2]), P),
    good("random.poisson", Size([2]), P),
    good("random.stateless_uniform", Size([2, 3]), SEED, dtype=FLOAT),
    good("random.stateless_uniform", Size([2, 3]), SEED, np.int32(0), np.int32(5), dtype=INT),
    good("random.stateless_normal", Size([2, 3]), SEED, np.float32(0), np.float32(1)),
    good("random.stateless_truncated_normal", Size([2, 3]), SEED),
    good("random.stateless_categorical", F, Size(2), SEED),
    good("random.stateless_binomial", Size([2]), SEED, np.float32(4), np.float32(0.5)),
    good("random.stateless_gamma", Size([2, 2, 3]), SEED, P),
    good("random.stateless_poisson", Size([2, 2, 3]), SEED, P),
    good("random.split", SEED, Size(2)),
    good("nn.sparse_softmax_cross_entropy_with_logits", IDS, F),
    good("nn.softmax_cross_entropy_with_logits", P, F, Axis(-1)),
    good("nn.weighted_cross_entropy_with_logits", P, F, HALF),
    good("nn.log_poisson_loss", P, F),
    good("nn.bias_add", F, floats(3)),
    good("nn.dropout", F, HALF),
    good("nn.embedding_lookup", F, IDS),
    good("nn.batch_normalization", F, floats(3), positive(3), floats(3), floats(3), 1e-3),
    good("nn.l2_normalize", F, Axis(1)),
    good("nn.weighted_moments", F, Axis([0]), P),
    good("nn.top_k", F, Size(2)),
    good("nn.conv2d", IMAGE, floats(3, 3, 3, 4), Size([1, 1, 1, 1]), "SAME"),
    good("nn.conv2d", IMAGE, floats(3, 3, 3, 4), Size(1), "VALID", dilations=Size(2)),
    good("nn.conv1d", SERIES, floats(3, 3, 2), Size(1), "SAME"),
    good("nn.conv3d", VOLUME, floats(2, 2, 2, 2, 3), Size([1, 1, 1, 1, 1]), "SAME"),
    good("nn.convolution", IMAGE, floats(3, 3, 3, 4), Size(1), "SAME"),
    good("nn.conv2d_transpose", IMAGE, floats(3, 3, 2, 3), Size([2, 6, 6, 2]), Size(1)),
    good("nn.conv1d_transpose", SERIES, floats(3, 2, 3), Size([2, 8, 2]), Size(1)),
    good("nn.depthwise_conv2d", IMAGE, floats(3, 3, 3, 2), Size([1, 1, 1, 1]), "SAME"),
    good(
        "nn.separable_conv2d",
        IMAGE,
        floats(3, 3, 3, 2),
        floats(1, 1, 6, 4),
        Size([1, 1, 1, 1]),
        "SAME",
    ),
    good("nn.max_pool2d", IMAGE, Size(2), Size(2), "SAME"),
    good("nn.avg_pool2d", IMAGE, Size(2), Size(2), "SAME"),
    good("nn.max_pool", IMAGE, Size([1, 2, 2, 1]), Size([1, 2, 2, 1]), "VALID"),
    good("nn.avg_pool", IMAGE, Size([2, 2]), Size([2, 2]), "VALID"),
    good("nn.max_pool1d", SERIES, Size(2), Size(2), "SAME"),
    good("nn.avg_pool3d", VOLUME, Size(2), Size(2), "SAME"),
    good("nn.max_pool_with_argmax", IMAGE, Size(2), Size(2), "SAME"),
    good("nn.pool", IMAGE, Size([2, 2]), "MAX"),
    good("nn.depth_to_space", floats(1, 2, 2, 4), Size(2)),
    good("nn.space_to_depth", floats(1, 2, 2, 4), Size(2)),
    good("nn.local_response_normalization", IMAGE),
    good("nn.crelu", F),
    good(
        "nn.ctc_loss",
        np.array([[1, 2]], np.int32),
        floats(4, 1, 3),
        np.array([2], np.int32),
        np.array([4], np.int32),
        blank_index=Axis(0),
    ),
    good("image.resize", IMAGE, Size([3, 4])),
    good("image.resize", IMAGE, Size([3, 4]), "nearest"),
    good("image.convert_image_dtype", IMAGE, FLOAT),
    good("image.random_flip_left_right", IMAGE[0], seed=1),
    *(good(f"image.{n}", IMAGE) for n in "flip_left_right flip_up_down rot90 transpose".split()),
    *(
        good(f"image.{n}", IMAGE)
        for n in "rgb_to_grayscale rgb_to_hsv hsv_to_rgb rgb_to_yuv".split()
    ),
    *(good(f"image.{n}", IMAGE) for n in "image_gradients total_variation sobel_edges".split()),
    good("image.per_image_standardization", IMAGE),
    good("image.grayscale_to_rgb", IMAGE[..., :1]),
    good("image.crop_to_bounding_box", IMAGE, Size(1), Size(1), Size(2), Size(3)),
    good("image.pad_to_bounding_box", IMAGE, Size(1), Size(1), Size(9), Size(9)),
    good("image.random_crop", IMAGE[0], Size([2, 2, 3])),
    good("image.central_crop", IMAGE, 0.5),
    good("image.resize_with_pad", IMAGE, Size(4), Size(8)),
    good("image.resize_with_crop_or_pad", IMAGE, Size(4), Size(8)),
    good("image.extract_patches", IMAGE, [1, 2, 2, 1], Size([1, 1, 1, 1]), [1, 1, 1, 1], "SAME"),
    good("image.adjust_saturation", IMAGE, HALF),
    good("image.adjust_contrast", IMAGE, HALF),
    good("image.adjust_brightness", IMAGE, HALF),
    good("image.adjust_hue", IMAGE, HALF),
    good("image.adjust_gamma", IMAGE, HALF),
    good("image.random_brightness", IMAGE[0], 0.1),
    good("image.random_contrast", IMAGE[0], 0.1, 0.2),
    good("image.stateless_random_brightness", IMAGE[0], 0.1, SEED),
    good("image.stateless_random_flip_left_right", IMAGE, SEED),
    good("image.stateless_random_crop", IMAGE[0], Size([2, 2, 3]), SEED),
    good("image.crop_and_resize", IMAGE, BOXES, np.array([0, 1, 0, 1], np.int32), Size([3, 3])),
    good("image.non_max_suppression", BOXES, positive(4), Size(2)),
    good("image.draw_bounding_boxes", IMAGE, BOXES[None].repeat(2, 0), floats(1, 3)),
    good("image.psnr", IMAGE, IMAGE * HALF, 1.0),
    good("image.ssim", positive(1, 16, 16, 1), positive(1, 16, 16, 1), 1.0),
    good("image.decode_png", np.array(b"not an image")),
    good("image.decode_jpeg", np.array(b"not an image")),
    good("image.encode_png", np.zeros((2, 2, 3), np.uint8)),
    good("image.encode_jpeg", np.zeros((2, 2, 3), np.uint8)),
    *(good(f"signal.{n}", C) for n in "fft ifft fft2d ifft2d irfft irfft2d".split()),
    good("signal.rfft", F, [Size(3)]),
    good("signal.rfft2d", F),
    good("signal.irfft", C, [Size(5)]),
    good("signal.stft", floats(32), Size(8), Size(4)),
    good("signal.inverse_stft", complexes(4, 5), Size(8), Size(4)),
    good("signal.frame", floats(2, 8), Size(3), Size(2), axis=Axis(1)),
    good("signal.overlap_and_add", floats(2, 3, 4), Size(2)),
    good("signal.dct", F),
    good("signal.idct", F, axis=Axis(-1)),
    good("signal.hann_window", Size(4), dtype=FLOAT),
    good("signal.hamming_window", Size(4)),
    good("signal.linear_to_mel_weight_matrix", Size(4), Size(9), 8000.0, 125.0, 3800.0),
    good("signal.mfccs_from_log_mel_spectrograms", F),
]
