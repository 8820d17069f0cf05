# ruff: noqa: E501
"""Calls of functions of `tf.compat.v1` whose parameters are not those of TensorFlow 2.

Each is an expression of `tf`, which is `tf.compat.v1`, `f(shape)` (fixed floats) and `sp`, a sparse
tensor. `values` runs one in a graph of its own.
"""

import json

import numpy as np

CALLS = """
tf.assert_equal([1, 2], [1, 2], data=["x"], message="m")
tf.assert_equal(tf.placeholder_with_default([1, 2], [2]), [1, 3], data=["x"], message="m")
tf.assert_less(tf.placeholder_with_default(3, []), 2)
tf.assert_positive([1.0, -1.0])
tf.assert_near(tf.placeholder_with_default([1.0], [1]), [1.1], data=["far"])
tf.assert_near([1.0], [1.0 + 1e-7])
tf.assert_rank(f(2, 3), 3, message="m")
tf.assert_rank_in(f(2, 3), [1, 2])
tf.assert_rank_at_least(tf.placeholder_with_default([1], None), 2)
tf.assert_scalar([1])
tf.assert_scalar(4)
tf.assert_integer([1.0])
tf.assert_type([1.0], tf.int32)
tf.verify_tensor_all_finite([1.0, float("inf")], "bad")
tf.verify_tensor_all_finite([1.0, 2.0], "bad")
tf.debugging.assert_all_finite([1.0, 2.0], "bad")
tf.batch_to_space(f(4, 1, 1, 1), [[0, 0], [0, 0]], 2)
tf.batch_to_space_nd(f(4, 1, 1, 1), [2, 2], [[0, 0], [0, 0]])
tf.space_to_batch(f(1, 2, 2, 1), [[0, 0], [0, 0]], 2)
tf.space_to_depth(f(1, 2, 2, 1), 2)
tf.depth_to_space(f(1, 1, 1, 4), 2)
tf.extract_image_patches(f(1, 3, 3, 1), ksizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="VALID")
tf.reverse_sequence(f(2, 3), [2, 3], seq_axis=1, batch_axis=0)
tf.reverse_sequence(f(2, 3), [2, 3], seq_dim=1, batch_dim=0)
tf.batch_gather(f(2, 3), [[0, 2], [1, 1]])
tf.setdiff1d([1, 2, 3, 4], [1, 3], index_dtype=tf.int64)
tf.sparse_to_dense([1, 3], [5], 2.0)
tf.sparse_to_dense([[0, 1], [1, 0]], [2, 2], [1, 2], default_value=-1)
tf.clip_by_average_norm(f(3, 4), 0.05)
tf.bincount([1, 1, 3], minlength=6)
tf.confusion_matrix([1, 0, 1], [1, 1, 1], 3)
tf.nn.in_top_k(f(2, 4), [1, 2], 2)
tf.floor_div([7, -7], [2, 2])
tf.sparse_matmul(f(2, 3), f(3, 2), a_is_sparse=True)
tf.quantize_v2(f(4), -1.0, 1.0, tf.quint8)[1:]
tf.sparse_add(sp, sp)
tf.sparse_add(sp, f(2, 3))
tf.sparse_add(sp, sp, thresh=3.0)
tf.sparse_concat(1, [sp, sp])
tf.sparse_concat(None, [sp, sp], concat_dim=0)
tf.sparse_split(sp_input=sp, num_split=3, axis=1)
tf.sparse_split(sp, 3, 1)
tf.sparse_merge(tf.SparseTensor([[0, 0], [1, 0]], [3, 1], [2, 1]), tf.SparseTensor([[0, 0], [1, 0]], [0.5, 2.0], [2, 1]), 5)
tf.sparse_reduce_sum(sp, 1)
tf.sparse_reduce_sum(sp, reduction_axes=[0], keep_dims=True)
tf.sparse_reduce_sum_sparse(sp, 1)
tf.sparse_reduce_max(sp, 1)
tf.sparse_reduce_max_sparse(sp, 0)
tf.sparse_segment_sum(f(4, 2), [0, 1, 3], [0, 0, 2])
tf.sparse_segment_mean(f(4, 2), [0, 1, 3], [0, 0, 2], num_segments=4)
tf.sparse_segment_sqrt_n(f(4, 2), [0, 1, 3], [0, 0, 2])
tf.deserialize_many_sparse(tf.serialize_many_sparse(sp), tf.float32)
tf.string_split(["a b", "", "c d e"])
tf.string_split(["a,b;c", "d"], ",;", result_type="RaggedTensor")
tf.string_split(["a  b"], skip_empty=False)
tf.strings.split(["a b", "c  d e"])
tf.strings.split(["a-b-c"], "-", maxsplit=1)
tf.strings.split("a b", result_type="RaggedTensor")
tf.reduce_join([["a", "b"], ["c", "d"]], 0)
tf.reduce_join([["a", "b"], ["c", "d"]], [0, 1], separator="-")
tf.reduce_join([["a", "b"], ["c", "d"]], 1, keep_dims=True)
tf.strings.length(["a", "ä"], unit="UTF8_CHAR")
tf.substr(["hello"], 1, 3)
tf.string_to_hash_bucket(["a", "b"], 100)
tf.string_to_hash_bucket_fast(["a", "b"], 100)
tf.string_to_number(["1.5", "2"])
tf.string_to_number(["1"], tf.int32)
tf.decode_csv(["1,a", "2,b"], [[0], [""]])
tf.decode_raw(["abcd"], tf.uint8)
tf.decode_raw(bytes=["abcd"], out_type=tf.int16)
tf.parse_example([EXAMPLE], {"x": tf.FixedLenFeature([2], tf.float32)})
tf.parse_single_example(EXAMPLE, {"x": tf.VarLenFeature(tf.float32)})
tf.image.resize_bilinear(f(1, 3, 3, 1), [5, 4])
tf.image.resize_bilinear(f(1, 3, 3, 1), [5, 4], align_corners=True)
tf.image.resize_nearest_neighbor(f(1, 3, 3, 1), [5, 4])
tf.image.resize_bicubic(f(1, 3, 3, 1), [5, 4], half_pixel_centers=True)
tf.image.resize_area(f(1, 3, 3, 1), [5, 4])
tf.image.resize_images(f(3, 3, 1), [4, 6])
tf.image.resize_images(f(1, 3, 3, 1), [4, 6], method=tf.image.ResizeMethod.NEAREST_NEIGHBOR)
tf.image.resize_images(f(1, 3, 4, 1), [6, 6], preserve_aspect_ratio=True)
tf.image.resize(f(1, 3, 3, 1), [3, 3])
tf.image.resize_image_with_pad(f(1, 3, 4, 1), 6, 6)
tf.image.crop_and_resize(f(1, 4, 4, 1), [[0.0, 0.0, 0.5, 1.0]], box_ind=[0], crop_size=[2, 2])
tf.image.draw_bounding_boxes(f(1, 4, 4, 3), [[[0.1, 0.1, 0.8, 0.8]]], colors=[[1.0, 0.0, 0.0]])
tf.image.extract_glimpse(f(1, 4, 4, 1), [2, 2], [[0.0, 0.0]])
tf.nn.conv1d(f(1, 5, 2), f(3, 2, 1), 1, "SAME")
tf.nn.conv2d(f(1, 4, 4, 1), f(2, 2, 1, 2), [1, 1, 1, 1], "VALID")
tf.nn.conv2d_transpose(f(1, 2, 2, 2), f(2, 2, 1, 2), [1, 4, 4, 1], [1, 2, 2, 1])
tf.nn.conv2d_backprop_filter(f(1, 3, 3, 1), [2, 2, 1, 1], f(1, 2, 2, 1), [1, 1, 1, 1], "VALID")
tf.nn.conv2d_backprop_input([1, 3, 3, 1], f(2, 2, 1, 1), f(1, 2, 2, 1), [1, 1, 1, 1], "VALID")
tf.nn.conv3d(f(1, 3, 3, 3, 1), f(2, 2, 2, 1, 1), [1, 1, 1, 1, 1], "VALID")
tf.nn.conv3d_transpose(f(1, 1, 1, 1, 1), f(2, 2, 2, 1, 1), [1, 2, 2, 2, 1], [1, 2, 2, 2, 1])
tf.nn.conv3d_backprop_filter(f(1, 3, 3, 3, 1), [2, 2, 2, 1, 1], f(1, 2, 2, 2, 1), [1, 1, 1, 1, 1], "VALID")
tf.nn.convolution(f(1, 5, 2), f(2, 2, 1), "VALID", dilation_rate=[2])
tf.nn.depthwise_conv2d(f(1, 4, 4, 2), f(2, 2, 2, 1), [1, 1, 1, 1], "SAME", rate=[1, 1])
tf.nn.depthwise_conv2d_native(f(1, 4, 4, 2), f(2, 2, 2, 1), [1, 1, 1, 1], "VALID")
tf.nn.separable_conv2d(f(1, 4, 4, 2), f(2, 2, 2, 1), f(1, 1, 2, 3), [1, 1, 1, 1], "VALID")
tf.nn.dilation2d(f(1, 4, 4, 1), f(2, 2, 1), [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
tf.nn.erosion2d(f(1, 4, 4, 1), f(2, 2, 1), [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
tf.nn.max_pool_with_argmax(f(1, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], "VALID", Targmax=tf.int32)
tf.nn.pool(f(1, 4, 4, 1), [2, 2], "AVG", "VALID", strides=[2, 2])
tf.nn.avg_pool2d(f(1, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
tf.nn.fractional_max_pool(f(1, 4, 4, 1), [1.0, 1.44, 1.44, 1.0], deterministic=True, seed=3, seed2=2)
tf.nn.crelu(f(2, 3))
tf.nn.weighted_cross_entropy_with_logits(targets=[1.0, 0.0], logits=[0.3, -0.2], pos_weight=2.0)
tf.nn.sufficient_statistics(f(2, 3), [0])[:3]
tf.nn.weighted_moments(f(2, 3), [0], [[1.0], [3.0]], keep_dims=True)
tf.nn.batch_norm_with_global_normalization(f(1, 2, 2, 1), f(1), f(1) ** 2, f(1), f(1), 0.001, True)
tf.nn.fused_batch_norm(f(2, 2, 2, 1), [1.5], [0.1])
tf.nn.fused_batch_norm(f(2, 2, 2, 1), [1.5], [0.1], is_training=False)
tf.nn.embedding_lookup([f(3, 2), f(3, 2) + 1], [0, 1, 4, 5])
tf.nn.embedding_lookup([f(3, 2), f(3, 2) + 1], [0, 1, 4, 5], "div")
tf.nn.embedding_lookup_sparse(f(3, 2), tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 2, 1], [2, 2]), None, combiner="sum")
tf.nn.safe_embedding_lookup_sparse([f(3, 2)], tf.SparseTensor([[0, 0], [2, 0]], [0, 2], [3, 1]))
tf.nn.nce_loss(f(5, 3), f(5), tf.constant(np.array([[1], [2]])), tf.constant(f(2, 3)), 2, 5, sampled_values=[tf.constant(v) for v in (np.array([0, 3]), [[0.5], [0.5]], [0.3, 0.4])])
tf.nn.sampled_softmax_loss(f(5, 3), f(5), tf.constant(np.array([[1], [2]])), tf.constant(f(2, 3)), 2, 5, sampled_values=[tf.constant(v) for v in (np.array([0, 3]), [[0.5], [0.5]], [0.3, 0.4])])
tf.nn.ctc_loss(tf.SparseTensor([[0, 0], [0, 1]], [0, 1], [1, 2]), f(4, 1, 3), [4])
tf.nn.ctc_loss(tf.SparseTensor([[0, 0], [0, 1]], [0, 1], [1, 2]), f(1, 4, 3), [4], time_major=False)
tf.nn.ctc_beam_search_decoder(f(4, 1, 3) * 5, [4], beam_width=4)
tf.multinomial(f(2, 3) * 0 + [0.0, 9e9, 0.0], 2)
tf.multinomial(f(2, 3), 4, seed=5)
tf.random.stateless_multinomial(f(2, 3), 4, [1, 2])
tf.random_poisson([1.0, 3.0], [2], seed=4)
tf.hessians(tf.reduce_sum(X * X * X), X)
tf.tuple([f(2), f(3)])
tf.convert_to_tensor_or_sparse_tensor(sp)
tf.convert_to_tensor_or_indexed_slices([1, 2], tf.int64)
tf.manip.reshape(f(2, 3), [3, 2])
tf.user_ops.my_fact()
tf.initializers.identity()([2, 3])
tf.initializers.constant([1, 2, 3])([2, 3])
tf.losses.mean_pairwise_squared_error(f(2, 3), f(3, 2).T)
tf.losses.mean_pairwise_squared_error(f(2, 3), f(3, 2).T, [[1.0], [0.0]])
tf.losses.mean_pairwise_squared_error(f(2, 3, 2), f(3, 2, 2).transpose(1, 0, 2), 0.5)
tf.constant(1, shape=[2, 2])
tf.dimension_value(tf.Dimension(3))
tf.scatter_update(V, [1], [[9.0, 8.0]])
tf.scatter_add(V, [1, 1], [[1.0, 1.0], [2.0, 2.0]])
tf.scatter_sub(V, 0, [1.0, 1.0])
tf.scatter_mul(V, [2], [[2.0, 2.0]])
tf.scatter_div(V, [2], [[2.0, 2.0]])
tf.scatter_min(V, [0], [[-9.0, 9.0]])
tf.scatter_max(V, [0], [[-9.0, 9.0]])
tf.scatter_nd_update(V, [[0, 1]], [7.0])
tf.scatter_nd_add(V, [[0, 1]], [7.0])
tf.scatter_nd_sub(V, [[0]], [[7.0, 1.0]])
tf.batch_scatter_update(V, [[1], [0], [1]], [[4.0], [5.0], [6.0]])
tf.test.get_temp_dir() != ""
"""

DISTRIBUTIONS = {  # and the values at which they are asked
    "Normal([0.5, -1.0], 2.0)": "[0.3, -30.0]",
    "Normal(0.0, 0.5, validate_args=True)": "[[0.5, 9.0], [-9.0, 0.1]]",
    "Laplace([0.5, -1.0], [2.0, 1.0])": "[0.3, -3.0]",
    "Uniform([-1.0, 0.0], 1.0)": "[-2.0, 0.5]",
    "StudentT([3.0, 1.5, 0.5], 0.5, 2.0)": "[0.7, -2.0, 0.1]",
    "Gamma([3.0, 0.5], [2.0, 1.0])": "[0.7, 2.0]",
    "Gamma([3.0, 2.5], 2.0, allow_nan_stats=False)": "[0.7, 2.0]",
    "Exponential([3.0, 0.5])": "[0.7, 2.0]",
    "Beta([3.0, 0.5], [2.0, 1.0])": "[0.7, 0.2]",
    "Bernoulli(logits=[0.5, -2.0])": "[1, 0]",
    "Bernoulli(probs=[0.5, 0.2], dtype=tf.float32, validate_args=True)": "[1.0, 0.0]",
    "Categorical(logits=[[0.5, -2.0, 1.0], [0.0, 0.0, 1.0]])": "[1, 2]",
    "Categorical(probs=[0.2, 0.3, 0.5], dtype=tf.int64)": "[0, 2, 1]",
    "Dirichlet([1.5, 2.0, 5.0])": "[0.2, 0.3, 0.5]",
    "Dirichlet([[1.5, 2.0]], validate_args=True)": "[[0.2, 0.8]]",
    "Multinomial(4.0, logits=[0.5, -2.0, 1.0])": "[2.0, 1.0, 1.0]",
    "Multinomial([4.0, 3.0], probs=[[0.5, 0.5], [0.2, 0.8]])": "[[2.0, 2.0], [1.0, 2.0]]",
    "DirichletMultinomial(4.0, [1.5, 2.0, 5.0])": "[2.0, 1.0, 1.0]",
}
METHODS = """sample(3, seed=5) sample([2, 1]) log_prob(v) prob(v) log_cdf(v) cdf(v) survival_function(v)
log_survival_function(v) entropy() mean() mode() variance() stddev() covariance() quantile([0.1])
kl_divergence(d) cross_entropy(d) batch_shape_tensor() event_shape_tensor() is_scalar_batch()
is_scalar_event() name param_static_shapes([2])"""
CALLS += "".join(
    f"(lambda d, v: d.{method})(tf.distributions.{made}, {value})\n"
    for made, value in DISTRIBUTIONS.items()
    for method in METHODS.replace(", ", ",").split()
    if not (made.startswith("Multinomial([") and "sample" in method)  # rows race for numbers
)
CALLS += """tf.distributions.Normal(0.0, tf.constant(1.0, tf.float64))
tf.distributions.Bernoulli()
tf.distributions.Categorical(logits=[1, 2])
tf.distributions.Normal(0.0, -1.0, validate_args=True).mean()
tf.distributions.Beta(2.0, 2.0, validate_args=True).log_prob(1.5)
tf.distributions.Gamma(0.5, 2.0, allow_nan_stats=False).mode()
tf.distributions.Multinomial(4.0, [0.1, 0.2], validate_args=True).log_prob([1.0, 1.0])
tf.distributions.kl_divergence(tf.distributions.Normal(0.0, 1.0), tf.distributions.Normal(1.0, 2.0))
tf.distributions.kl_divergence(tf.distributions.Normal(0.0, 1.0), tf.distributions.Laplace(1.0, 2.0))
tf.distributions.Normal(0.0, 1.0).copy(loc=3.0).mean()
tf.linalg.transpose(f(2, 3))
tf.size(f(2, 3), out_type=tf.int64)
tf.to_float([1, 2])
tf.ragged.constant_value([[1, 2], [3]], dtype=np.int32)
tf.ragged.constant_value([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1)
"""


def f(*shape):
    return np.random.RandomState(sum(shape)).uniform(-1, 1, shape).astype(np.float32)


def values(tf, call):
    """The values of one call, and those that the variable of `V` has after it."""
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=[1.5, 2.5]))
    example = tf.train.Example(features=tf.train.Features(feature={"x": feature}))
    names = {
        "tf": tf,
        "f": f,
        "np": np,
        "sp": tf.SparseTensor([[0, 0], [1, 2]], [1.5, 2.0], [2, 3]),
        "EXAMPLE": example.SerializeToString(),
        "X": tf.constant([1.0, 2.0]),
    }
    if "V" in call:
        names["V"] = tf.Variable(f(3, 2))
    tf.set_random_seed(3)
    found = eval(call, names)
    if isinstance(found, dict) and "param_static_shapes" in call:
        return {key: str(value) for key, value in found.items()}
    if found is None or isinstance(found, (bool, int, str)) or "constant_value" in call:
        return _readable(found)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return _readable(session.run(found))


def _readable(value):
    if hasattr(value, "to_list"):
        return _readable(value.to_list())
    if isinstance(value, (list, tuple)):
        return [_readable(v) for v in value]
    return value.decode("latin-1") if isinstance(value, bytes) else value


def text(answers):
    """Answers as JSON, in which strings are text."""
    return json.dumps(answers, indent=1, default=_plain) + "\n"


def _plain(value):
    return value.decode("latin-1")
