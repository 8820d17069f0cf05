"""What a function knows of shapes while it is traced with unknown sizes; see `cases.py`.

Each table holds expressions of the arguments of `_arguments`, one to a line.
"""

_ARRAYS = """
x[0]
x[:, 0]
x[..., None]
x[:, 1:]
x[1:]
x[::2]
x[:-1]
x[-1:]
x[i]
x[i:]
x[:i]
x[i:i+1]
x[:, i]
x[:, :i]
x[:2]
x[0:1]
x[None]
y[:, 0]
y[:, :, 0]
y[:, -1]
y[:, ::-1]
y[..., 0:2]
z[0]
z[..., 0]
z[None]
z[:, 0]
tf.reshape(x, [-1])
tf.reshape(x, [-1, 1])
tf.reshape(x, [-1, 3, 1])
tf.reshape(y, [tf.shape(y)[0], -1])
tf.reshape(y, [tf.shape(y)[0], -1, 4])
tf.reshape(y, [-1, 4])
tf.reshape(y, tf.shape(y))
tf.reshape(x, tf.concat([tf.shape(x), [1]], 0))
tf.reshape(x, [i, -1])
tf.reshape(x, (i, 3))
tf.reshape(z, [-1])
tf.reshape(z, [-1, 2])
tf.reshape(x, tf.stack([tf.shape(x)[0], 3]))
tf.reshape(y, [tf.shape(y)[0]*tf.shape(y)[1], 4])
tf.reshape(y, (-1, y.shape[2]))
tf.reshape(x, tf.shape(x)[:1])
tf.reshape(y, tf.unstack(tf.shape(y)))
tf.reshape(y, [tf.shape(y)[0], -1, tf.unstack(tf.shape(y))[2]])
tf.zeros(tf.ones_like(tf.shape(y)))
tf.transpose(x)
tf.transpose(y, [0, 2, 1])
tf.transpose(z)
tf.expand_dims(x, 1)
tf.expand_dims(z, 0)
tf.squeeze(x)
tf.squeeze(s)
tf.squeeze(s, 1)
tf.squeeze(s, [1])
tf.concat([x, x], 0)
tf.concat([x, x], 1)
tf.concat([x, tf.ones([2, 3])], 0)
tf.concat([y, y], -1)
tf.concat([z, z], 0)
tf.concat([x, s], 1)
tf.stack([x, x])
tf.stack([x, x], 1)
tf.stack([x, x], -1)
tf.unstack(x, axis=1)
tf.unstack(y, axis=-1)
tf.split(x, 3, axis=1)
tf.split(x, [1, 2], 1)
tf.split(x, 2, axis=0)
tf.split(x, [1, -1], axis=0)
tf.tile(x, [2, 1])
tf.tile(x, [1, 2])
tf.tile(x, [i, 1])
tf.tile(x, [i, 2])
tf.tile(y, [1, 2, 1])
tf.repeat(x, 2, axis=0)
tf.repeat(x, 2, axis=1)
tf.repeat(x, i, axis=0)
tf.repeat(x, 2)
tf.pad(x, [[1, 1], [0, 0]])
tf.pad(x, [[0, 0], [1, 2]])
tf.pad(x, [[0, i], [0, 0]])
tf.gather(x, [0, 1])
tf.gather(x, idx)
tf.gather(x, idx, axis=1)
tf.gather(y, idx, batch_dims=1)
tf.gather(x, i)
tf.gather_nd(x, idx[:, None])
tf.gather_nd(x, tf.stack([idx, idx], -1))
tf.boolean_mask(x, x[:, 0] > 0)
tf.boolean_mask(y, y[:, :, 0] > 0)
tf.boolean_mask(x, x > 0)
tf.where(x > 0)
tf.where(x > 0, x, 0.)
tf.where(x[:, :1] > 0, x, x)
tf.one_hot(idx, 5)
tf.one_hot(idx, i)
tf.range(i)
tf.range(tf.shape(x)[0])
tf.range(0, 10, 3)
tf.range(1, i)
tf.shape(x)
tf.shape(z)
tf.shape(x)[0]
tf.shape(x)[1:]
tf.rank(x)
tf.size(x)
tf.zeros_like(x)
tf.ones(tf.shape(x))
tf.zeros([tf.shape(x)[0], 2])
tf.zeros([i, 2])
tf.fill([i], 1.)
tf.fill(tf.shape(x), 1.)
tf.zeros((i,))
tf.eye(i)
tf.eye(3, batch_shape=[i])
tf.eye(tf.shape(x)[0])
tf.linspace(0., 1., i)
tf.broadcast_to(x, [4, i, 3])
tf.broadcast_to(x, tf.shape(x))
tf.broadcast_to(x[:1], tf.shape(x))
tf.meshgrid(idx, x[0])
tf.sequence_mask(idx)
tf.sequence_mask(idx, 5)
tf.sequence_mask(idx, i)
tf.reverse(x, [0])
tf.reverse_sequence(y, idx, seq_axis=1)
tf.roll(x, 1, 0)
tf.sort(x)
tf.argsort(x, 0)
tf.unique(idx)
tf.unique_with_counts(idx)
tf.scatter_nd(idx[:, None], x, [5, 3])
tf.scatter_nd(idx[:, None], x, [i, 3])
tf.scatter_nd(idx[:, None], x, tf.shape(x))
tf.tensor_scatter_nd_update(x, idx[:, None], x)
tf.tensor_scatter_nd_add(x, [[0]], x[:1])
tf.slice(x, [0, 0], [i, 2])
tf.slice(x, [1, 0], [-1, 2])
tf.slice(x, [0, 1], [-1, -1])
tf.batch_to_space(y[..., None], [1, 1], [[0, 0], [0, 0]])
tf.space_to_batch(y[..., None], [1, 2], [[0, 0], [0, 0]])
tf.batch_to_space(y[..., None], [i, 1], [[0, 0], [0, 0]])
tf.space_to_batch(y[..., None], [i, 2], [[0, 0], [0, 0]])
tf.identity(z)
tf.ensure_shape(z, [None, 2])
tf.ensure_shape(x, [5, None])
tf.cast(z, tf.int32)
tf.stop_gradient(y)
tf.searchsorted(x, x)
tf.dynamic_partition(x, idx, 2)
tf.dynamic_stitch([idx, idx], [x, x])
tf.histogram_fixed_width(x, [0., 1.], 5)
tf.guarantee_const(x)
tf.shape_n([x, y])
tf.nest.map_structure(lambda a: a, [x, z])
tf.unravel_index(idx, [3, 4])
tf.bitcast(x, tf.int32)
tf.bitcast(x, tf.uint8)
tf.parallel_stack([x[0], x[0]])
"""

_MATH = """
x + x
x + y
x * 2
x + tf.ones([3])
x + tf.ones([5, 1])
x + s
s + s
x + z
z + z
z * 2
-z
x @ tf.ones([3, 2])
x @ w
tf.matmul(x, x, transpose_b=True)
tf.matmul(x, x, transpose_a=True)
y @ tf.ones([4, 2])
y @ y
tf.matmul(y, y, transpose_b=True)
tf.matmul(z, z)
tf.tensordot(x, tf.ones([3, 2]), 1)
tf.tensordot(y, tf.ones([4, 2]), [[2], [0]])
tf.tensordot(x, x, [[0], [0]])
tf.einsum('bi,ij->bj', x, tf.ones([3, 2]))
tf.einsum('bti,bui->btu', y, y)
tf.einsum('...i,ij->...j', y, tf.ones([4, 2]))
tf.einsum('bi->b', x)
tf.reduce_sum(x)
tf.reduce_sum(x, 0)
tf.reduce_sum(x, -1)
tf.reduce_mean(y, [1, 2])
tf.reduce_max(y, 1, keepdims=True)
tf.reduce_sum(z)
tf.reduce_sum(z, 0)
tf.reduce_sum(z, 0, keepdims=True)
tf.reduce_logsumexp(y, -1)
tf.reduce_all(x > 0, 1)
tf.argmax(x)
tf.argmax(x, 1)
tf.argmax(y, -1)
tf.argmax(z, 0)
tf.math.top_k(x, 2)
tf.math.top_k(x, i)
tf.math.in_top_k(idx, x, 2)
tf.cumsum(x)
tf.clip_by_value(x, 0., 1.)
tf.clip_by_norm(x, 1.)
tf.maximum(x, y)
x > 0
x == x
x == 1.
(x > 0) & (x < 1)
tf.logical_not(x > 0)
tf.math.segment_sum(x, idx)
tf.math.unsorted_segment_sum(x, idx, 4)
tf.math.unsorted_segment_sum(x, idx, i)
tf.math.bincount(idx)
tf.math.confusion_matrix(idx, idx, 3)
tf.math.confusion_matrix(idx, idx)
tf.math.l2_normalize(x, 1)
tf.norm(x)
tf.norm(x, axis=1)
tf.norm(x, axis=-1, keepdims=True)
tf.math.reduce_variance(x, 0)
tf.reduce_sum(tf.RaggedTensor.from_row_lengths(x, idx), 1)
tf.clip_by_global_norm([x, y], 1.)
tf.math.accumulate_n([x, x])
tf.add_n([x, x])
tf.debugging.check_numerics(x, 'a')
tf.quantization.fake_quant_with_min_max_args(x)
tf.sets.intersection(idx[None], idx[None])
tf.math.polyval([1., 2.], x)
tf.math.cumulative_logsumexp(x)
b == b
x == tf.ones([3])
x != tf.ones([2])
x == tf.ones([5, 3])
y == s
y != x
idx == i
z == x
x == tf.ones([2, 4])
"""

_CONTROL = """
tf.map_fn(lambda t: t * 2, x)
tf.map_fn(lambda t: tf.reduce_sum(t), y)
tf.scan(lambda a, b: a + b, x)
tf.foldl(lambda a, b: a + b, x)
tf.vectorized_map(lambda t: tf.reduce_sum(t), x)
tf.vectorized_map(lambda t: t[:, None] * t[None], x)
tf.numpy_function(lambda a: a, [x], tf.float32)
tf.py_function(lambda a: a, [x], tf.float32)
tf.py_function(lambda a: a, [x], tf.TensorSpec([None, 3]))
tf.cond(i > 0, lambda: x, lambda: x * 2)
tf.cond(i > 0, lambda: x, lambda: x[:1])
tf.cond(i > 0, lambda: x, lambda: tf.ones([2, 3]))
tf.cond(i > 0, lambda: tf.ones([2]), lambda: tf.ones([3]))
tf.cond(i > 0, lambda: tf.ones([2]), lambda: tf.ones([3, 1]))
tf.while_loop(lambda k, a: k < i, lambda k, a: (k + 1, a * 2), [0, x])
tf.switch_case(i, [lambda: x, lambda: x[:2]])
tf.gradients(tf.reduce_sum(x ** 2), x)
"""

_IMAGES = """
tf.image.resize(im, [4, 4])
tf.image.resize(im, [i, 4])
tf.image.resize(im2[0], [4, 5])
tf.image.resize(im, tf.shape(im)[1:3] * 2)
tf.image.flip_left_right(im)
tf.image.random_crop(im2[0], [2, 2, 3])
tf.image.central_crop(im, .5)
tf.image.crop_to_bounding_box(im2, 1, 1, 2, 2)
tf.image.pad_to_bounding_box(im2, 1, 1, 9, 9)
tf.image.resize_with_crop_or_pad(im2, 5, 5)
tf.image.resize_with_pad(im2, 5, 5)
tf.image.rgb_to_grayscale(im2)
tf.image.per_image_standardization(im)
tf.image.sobel_edges(im2)
tf.image.ssim(im, im, 1.)
tf.image.psnr(im, im, 1.)
tf.image.total_variation(im2)
tf.image.crop_and_resize(im2, tf.ones([2, 4]), [0, 0], [3, 3])
tf.image.decode_png(b)
tf.image.decode_jpeg(b, channels=3)
tf.image.decode_image(b)
tf.image.decode_image(b, expand_animations=False)
tf.image.rot90(im2[0])
tf.image.transpose(im2)
tf.image.convert_image_dtype(im2, tf.uint8)
tf.image.adjust_brightness(im2, .1)
tf.image.random_flip_left_right(im2)
tf.image.non_max_suppression(tf.ones([3, 4]), tf.ones([3]), 2)
tf.image.combined_non_max_suppression(tf.ones([1, 3, 1, 4]), tf.ones([1, 3, 2]), 2, 3)
"""

_MATRICES = """
tf.linalg.matvec(y, tf.ones([4]))
tf.linalg.norm(y, axis=[1, 2])
tf.linalg.inv(y)
tf.linalg.cholesky(sq)
tf.linalg.solve(sq, x[..., None])
tf.linalg.det(sq)
tf.linalg.eigh(sq)
tf.linalg.svd(y)
tf.linalg.svd(sq, full_matrices=True)
tf.linalg.qr(sq)
tf.linalg.diag(x)
tf.linalg.diag_part(sq)
tf.linalg.trace(sq)
tf.linalg.band_part(sq, 0, -1)
tf.linalg.lstsq(sq, sq)
tf.linalg.expm(sq)
tf.linalg.set_diag(sq, x)
tf.linalg.cross(x, x)
tf.linalg.triangular_solve(sq, sq)
tf.linalg.adjoint(sq)
tf.linalg.slogdet(sq)
tf.linalg.pinv(sq)
"""

_NETWORKS = """
tf.nn.moments(y, [0, 1])
tf.nn.softmax(x)
tf.nn.softmax(z)
tf.nn.log_softmax(y, 1)
tf.nn.dropout(x, .5)
tf.nn.bias_add(x, tf.ones([3]))
tf.nn.sparse_softmax_cross_entropy_with_logits(idx, x)
tf.nn.softmax_cross_entropy_with_logits(x, x)
tf.nn.sigmoid_cross_entropy_with_logits(x, x)
tf.nn.embedding_lookup(tf.ones([5, 2]), idx)
tf.nn.l2_loss(x)
tf.nn.conv2d(im, tf.ones([3, 3, 3, 8]), 2, 'SAME')
tf.nn.conv2d(im, tf.ones([3, 3, 3, 8]), 2, 'VALID')
tf.nn.conv2d(im2, tf.ones([3, 3, 3, 8]), 1, 'SAME')
tf.nn.conv2d(im2, tf.ones([3, 3, 3, 8]), 2, 'VALID')
tf.nn.conv2d_transpose(im, tf.ones([3, 3, 8, 3]), [tf.shape(im)[0], 16, 16, 8], 2)
tf.nn.conv2d_transpose(im2, tf.ones([3, 3, 8, 3]), tf.stack([tf.shape(im2)[0], 16, 16, 8]), 2)
tf.nn.max_pool2d(im, 2, 2, 'SAME')
tf.nn.avg_pool2d(im2, 2, 2, 'VALID')
tf.nn.depthwise_conv2d(im, tf.ones([3, 3, 3, 2]), [1, 1, 1, 1], 'SAME')
tf.nn.conv1d(y, tf.ones([3, 4, 5]), 1, 'SAME')
tf.nn.conv1d(y, tf.ones([3, 4, 5]), 2, 'VALID')
tf.nn.separable_conv2d(im, tf.ones([3, 3, 3, 2]), tf.ones([1, 1, 6, 4]), [1, 1, 1, 1], 'SAME')
tf.nn.space_to_depth(im, 2)
tf.nn.depth_to_space(tf.ones([1, 2, 2, 4]), 2)
tf.nn.batch_normalization(im, 0., 1., 0., 1., 1e-3)
tf.nn.pool(im, [2, 2], 'MAX')
tf.nn.lrn(im)
tf.nn.in_top_k(idx, x, 1)
tf.nn.weighted_moments(x, [0], tf.ones([3]))
"""

_RANDOM = """
tf.random.normal(tf.shape(x))
tf.random.uniform([i, 2])
tf.random.normal([tf.shape(x)[0], 3])
tf.random.stateless_normal(tf.shape(x), [1, 2])
tf.random.shuffle(x)
tf.random.categorical(x, 2)
tf.random.categorical(x, i)
"""

_RAGGED = """
tf.ragged.range(idx)
tf.RaggedTensor.from_row_lengths(x, idx)
tf.RaggedTensor.from_row_lengths(x, idx).to_tensor()
tf.RaggedTensor.from_tensor(y)
tf.RaggedTensor.from_row_lengths(x, idx).to_tensor(shape=[None, 5, 3])
tf.RaggedTensor.from_row_lengths(x, idx)[0]
tf.sparse.to_dense(tf.sparse.from_dense(x))
tf.sparse.from_dense(x)
tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(x), tf.ones([3, 2]))
"""

_SIGNALS = """
tf.signal.fft(tf.cast(x, tf.complex64))
tf.signal.rfft(y)
tf.signal.rfft(x, [8])
tf.signal.irfft(tf.cast(y, tf.complex64))
tf.signal.stft(x, 2, 1)
tf.signal.stft(y[:, :, 0], 4, 2, 4)
tf.signal.frame(x, 2, 1)
tf.signal.frame(y[:, :, 0], 4, 2)
tf.signal.frame(y[:, :, 0], 4, 2, pad_end=True)
tf.signal.dct(x)
tf.signal.overlap_and_add(y, 2)
tf.signal.hann_window(i)
"""

_TEXT = """
tf.io.read_file(b)
tf.strings.length(bs)
tf.strings.split(bs)
tf.strings.substr(bs, 0, 2)
tf.strings.join([bs, bs])
tf.strings.reduce_join(bs)
tf.strings.reduce_join(bs, 0)
tf.strings.to_number(bs)
tf.strings.bytes_split(bs)
tf.strings.unicode_decode(b, 'UTF-8')
tf.strings.unicode_decode(bs, 'UTF-8')
tf.strings.to_hash_bucket_fast(bs, 5)
tf.strings.format('{}', x)
tf.io.decode_raw(bs, tf.uint8)
tf.io.decode_raw(b, tf.float32)
tf.io.parse_tensor(b, tf.float32)
tf.io.serialize_tensor(x)
tf.io.parse_single_example(b, {'a': tf.io.FixedLenFeature([2], tf.int64)})
tf.io.parse_example(bs, {'a': tf.io.FixedLenFeature([2], tf.int64)})
tf.io.decode_csv(bs, [[0], ['']])
tf.strings.to_hash_bucket(b, 3)
"""


def _arguments(tf):
    return {
        "x": tf.TensorSpec([None, 3]),
        "y": tf.TensorSpec([None, None, 4]),
        "z": tf.TensorSpec(None),
        "s": tf.TensorSpec([None, 1]),
        "i": tf.TensorSpec([], tf.int32),
        "idx": tf.TensorSpec([None], tf.int32),
        "w": tf.TensorSpec([3, None]),
        "im": tf.TensorSpec([None, 8, 8, 3]),
        "im2": tf.TensorSpec([None, None, None, 3]),
        "sq": tf.TensorSpec([None, 3, 3]),
        "b": tf.TensorSpec([], tf.string),
        "bs": tf.TensorSpec([None], tf.string),
    }


def _shapes(tf, table):
    arguments = _arguments(tf)
    return {line: _known(tf, line, arguments) for line in table.split("\n") if line}


def _known(tf, expression, arguments):
    found = []

    def function(*values):
        names = dict(zip(arguments, values, strict=True))
        result = eval(expression, {"tf": tf, **names})
        found.extend(f"{t.shape} {t.dtype.name}" for t in tf.nest.flatten(result))
        return 0

    try:
        tf.function(function, autograph=False).get_concrete_function(*arguments.values())
    except Exception as error:
        return type(error).__name__
    return found


def arrays(tf):
    return _shapes(tf, _ARRAYS)


def mathematics(tf):
    return _shapes(tf, _MATH)


def control_flow(tf):
    return _shapes(tf, _CONTROL)


def images(tf):
    return _shapes(tf, _IMAGES)


def matrices(tf):
    return _shapes(tf, _MATRICES)


def networks(tf):
    return _shapes(tf, _NETWORKS)


def random_numbers(tf):
    return _shapes(tf, _RANDOM)


def ragged_and_sparse(tf):
    return _shapes(tf, _RAGGED)


def signals(tf):
    return _shapes(tf, _SIGNALS)


def text(tf):
    return _shapes(tf, _TEXT)
