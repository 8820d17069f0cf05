"""Programs whose shapes, ranks or axes are known only when a graph runs; see `cases.py`."""

import numpy as np

_SIX = np.arange(6, dtype=np.float32)
_TABLE = _SIX.reshape(2, 3)
_SQUARES = np.arange(25, dtype=np.float32).reshape(1, 5, 5, 1)
_BOXES = np.array(
    [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 100, 1, 101]],
    np.float32,
)
_SCORES = np.array([0.9, 0.75, 0.6, 0.95, 0.3], np.float32)
_LOGITS = np.cos(np.arange(40, dtype=np.float32) * 1.7).reshape(4, 2, 5)


def _traced(tf, function, *values, shapes=None):
    """The answer of a function that was traced without knowing the shapes of its arguments."""
    tensors = [tf.convert_to_tensor(value) for value in values]
    shapes = [None] * len(tensors) if shapes is None else shapes
    specs = [tf.TensorSpec(s, t.dtype) for s, t in zip(shapes, tensors, strict=True)]
    return tf.function(function, input_signature=specs)(*tensors)


def dct_of_unknown_length(tf):
    def transforms(x):
        kinds = [tf.signal.dct(x, type=kind) for kind in (1, 2, 3, 4)]
        ortho = [tf.signal.dct(x, type=kind, norm="ortho") for kind in (2, 3, 4)]
        resized = [tf.signal.dct(x, n=4), tf.signal.dct(x, n=8), tf.signal.idct(x)]
        return kinds + ortho + resized

    return [
        _traced(tf, transforms, _SIX, shapes=[[None]]),
        _traced(tf, transforms, _TABLE, shapes=[[None, None]]),
        _traced(tf, tf.signal.dct, _TABLE),
    ]


def mdct_of_unknown_rank(tf):
    return _traced(tf, lambda x: tf.signal.mdct(x, 4), np.arange(16, dtype=np.float32))


def inverse_mdct_of_unknown_length(tf):
    return _traced(tf, tf.signal.inverse_mdct, _TABLE, shapes=[[None, None]])


def frames_of_unknown_rank(tf):
    return _traced(
        tf,
        lambda x: [
            tf.signal.frame(x, 2, 1),
            tf.signal.frame(x, 2, 2, pad_end=True, pad_value=7.0),
            tf.signal.frame(x, 2, 1, axis=0),
        ],
        _TABLE,
    )


def frames_along_a_symbolic_axis(tf):
    def frames(x, axis):
        return tf.signal.frame(x, 2, 1, axis=axis)

    return [_traced(tf, frames, _TABLE, a, shapes=[[2, 3], []]) for a in (0, 1, -1)]


def overlap_and_add_of_unknown_rank(tf):
    def add(x):
        return tf.signal.overlap_and_add(x, 2)

    cube = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    return [_traced(tf, add, cube), _traced(tf, add, cube[0])]


def stft_of_unknown_rank(tf):
    return _traced(tf, lambda x: tf.abs(tf.signal.stft(x, 4, 2)), np.arange(12, dtype=np.float32))


def mel_weights_of_an_unknown_number_of_bins(tf):
    weights = tf.signal.linear_to_mel_weight_matrix
    return [
        _traced(tf, lambda n: weights(4, n, 8000.0, 10.0, 3000.0), 9),
        _traced(tf, lambda rate: weights(4, 9, rate, 10.0, 3000.0), 8000.0),
    ]


def mel_weights_of_unknown_edges(tf):
    return _traced(tf, lambda e: tf.signal.linear_to_mel_weight_matrix(4, 9, 8000.0, e), 10.0)


def repeat_of_unknown_rank(tf):
    return [
        _traced(tf, lambda x: [tf.repeat(x, 2, axis=0), tf.repeat(x, 2, axis=1)], _TABLE),
        _traced(tf, lambda x, n: tf.repeat(x, n, axis=0), _TABLE, [1, 2]),
        _traced(tf, lambda x: tf.repeat(x, 3), _TABLE),
    ]


def repeat_along_a_negative_axis_of_unknown_rank(tf):
    return _traced(tf, lambda x: tf.repeat(x, 2, axis=-1), _TABLE)


def linspace_of_unknown_rank(tf):
    ends = (np.zeros(2, np.float32), np.ones(2, np.float32))
    return [
        _traced(
            tf,
            lambda x, y: [tf.linspace(x, y, n, axis=a) for n in (1, 3) for a in (0, 1, -1)],
            *ends,
        ),
        _traced(tf, lambda x, y, n: tf.linspace(x, y, n, axis=-1), *ends, 4),
        _traced(tf, lambda x, y, axis: tf.linspace(x, y, 4, axis=axis), *ends, 1),
    ]


def tensordot_of_unknown_rank(tf):
    def products(x, y):
        return [
            tf.tensordot(x, y, 0),
            tf.tensordot(x, y, 1),
            tf.tensordot(x, y, [[0], [1]]),
            tf.tensordot(x, y, [[-1], [0]]),
            tf.tensordot(x, y, [[0, 1], [1, 0]]),
        ]

    return _traced(tf, products, _TABLE, _TABLE.T + 1)


def tensordot_over_symbolic_axes(tf):
    def product(x, y, axes):
        return tf.tensordot(x, y, axes)

    pairs = np.array([[1], [0]], np.int32)
    return [
        _traced(tf, product, _TABLE, _TABLE.T, pairs, shapes=[[2, 3], [3, 2], [2, 1]]),
        _traced(tf, product, _TABLE, _TABLE.T, pairs),
    ]


def moments_over_symbolic_axes(tf):
    def keep(x, axes):
        return tf.nn.moments(x, axes, keepdims=True)

    return _traced(tf, keep, _TABLE, [0], shapes=[[2, 3], [1]])


def moments_over_symbolic_axes_without_their_dimensions(tf):
    return _traced(tf, lambda x, axes: tf.nn.moments(x, axes), _TABLE, [0])


def statistics_of_unknown_rank(tf):
    def statistics(x):
        return tf.nn.sufficient_statistics(x, [0])[:3]

    return _traced(tf, statistics, _TABLE)


def rotations_by_a_symbolic_number(tf):
    def turn(image, k):
        return tf.image.rot90(image, k)

    image = _SIX.reshape(2, 3, 1)
    shapes = ([2, 3, 1], [None, None, None])
    return [_traced(tf, turn, image, k, shapes=[s, []]) for k in (0, 1, 2, 3, -3) for s in shapes]


def flips_of_unknown_rank(tf):
    def flips(x):
        return [tf.image.flip_left_right(x), tf.image.flip_up_down(x)]

    image = _SIX.reshape(2, 3, 1)
    return [_traced(tf, flips, image), _traced(tf, flips, image[None])]


def random_flips_of_unknown_rank(tf):
    def flips(x):
        return [tf.image.stateless_random_flip_left_right(x, (n, 1)) for n in range(6)]

    image = _SIX.reshape(2, 3, 1)
    return [_traced(tf, flips, image), _traced(tf, flips, np.stack([image] * 4))]


def ctc_of_unknown_classes(tf):
    def sparse():
        return tf.sparse.from_dense([[1, 2], [3, 2]])

    def losses(x):
        return [
            tf.nn.ctc_loss([[1, 2], [3, 4]], x, [2, 2], [4, 4], blank_index=0),
            tf.nn.ctc_loss([[0, 2], [3, 2]], x, [2, 2], [4, 4], blank_index=1),
            tf.nn.ctc_loss([[0, 2], [3, 2]], x, [2, 2], [4, 4], blank_index=-4),
            tf.nn.ctc_loss(sparse(), x, None, [4, 4], blank_index=-1),
        ]

    return _traced(tf, losses, _LOGITS, shapes=[[None, None, None]])


def suppression_in_batches_of_unknown_size(tf):
    def suppress(boxes, scores):
        return [
            tf.image.non_max_suppression_padded(boxes, scores, n, pad_to_max_output_size=True)
            for n in (1, 3, 7)
        ]

    boxes, scores = np.stack([_BOXES, _BOXES[::-1]]), np.stack([_SCORES, _SCORES])
    return [
        _traced(tf, suppress, boxes, scores, shapes=[[None, None, 4], [None, None]]),
        _traced(tf, suppress, boxes, scores),
    ]


def clipped_embeddings_of_unknown_rank(tf):
    table = np.arange(6, dtype=np.float32).reshape(3, 2)

    def look_up(ids):
        return tf.nn.embedding_lookup(table, ids, max_norm=1.0)

    return [_traced(tf, look_up, [0, 2]), _traced(tf, look_up, [[0], [2]])]


def spectral_norm_of_unknown_rank(tf):
    def norms(x):
        return [
            tf.norm(x, ord=2, axis=[0, 1]),
            tf.norm(x, ord=2, axis=[-1, 0], keepdims=True),
        ]

    return _traced(tf, norms, _TABLE)


def pooling_of_unknown_size(tf):
    pool = tf.nn.pool
    return [
        _traced(tf, lambda x: pool(x, [2, 2], "MAX", dilations=[2, 3]), _SQUARES, shapes=[s])
        for s in ([None, None, None, 1], None)
    ] + [_traced(tf, lambda x: pool(x, [2, 2], "AVG"), _SQUARES)]


def pooling_with_symbolic_holes(tf):
    def pool(x, rates):
        def op(y, *_):
            return tf.nn.max_pool(y, 2, 1, "VALID")

        def dealt(how):
            return tf.nn.with_space_to_batch(x, rates, how, op, [2, 2])

        return [dealt("VALID"), dealt("SAME")]

    return _traced(tf, pool, _SQUARES, [2, 1], shapes=[[1, 5, 5, 1], [2]])


def gradient_of_bands_of_unknown_number(tf):
    def gradients(bands, rhs):
        with tf.GradientTape() as tape:
            tape.watch([bands, rhs])
            y = tf.reduce_sum(tf.linalg.banded_triangular_solve(bands, rhs) ** 2)
        return tape.gradient(y, [bands, rhs])

    bands = np.array([[2, 2, 2], [0, 1, 1]], np.float32)
    shapes = [[None, None], [None, None]]
    return [
        _traced(tf, gradients, b, np.ones([3, 1], np.float32), shapes=shapes)
        for b in (bands, bands[:1])
    ]


def lists_in_which_a_tensor_stands_for_a_number(tf):
    def programs(x, n):
        rows = tf.ragged.constant([[1], [2, 3]])
        return (
            x @ [[x[0, 0]], [1.0], [x[0, 1]]],
            [[x[1, 1], 1.0]] @ x,
            tf.broadcast_dynamic_shape(tf.shape(x), [n, 1]),
            rows.to_tensor(shape=[2, n]),
            rows.to_tensor(shape=(n, 1)),
        )

    return _traced(tf, programs, _TABLE, np.int32(2), shapes=[[2, 3], []])
