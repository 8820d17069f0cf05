"""A detector of boxes whose loss is a Lambda layer that loops over the batch."""

import numpy as np

import runnel as tf
from runnel.keras import backend as K
from runnel.keras.layers import BatchNormalization, Conv2D, Input, Lambda, LeakyReLU, ZeroPadding2D
from runnel.keras.models import Model

sizes = np.array([[0.3, 0.4], [0.5, 0.2]], "float32")


def boxes_of(features):
    shape = K.shape(features)
    rows, columns = shape[1], shape[2]
    across = K.tile(K.reshape(K.arange(0, columns), [1, -1, 1, 1]), [rows, 1, 1, 1])
    along = K.tile(K.reshape(K.arange(0, rows), [-1, 1, 1, 1]), [1, columns, 1, 1])
    corner = K.cast(K.concatenate([across, along]), K.dtype(features))
    features = K.reshape(features, [-1, rows, columns, 2, 5])
    centre = (K.sigmoid(features[..., :2]) + corner) / K.cast(shape[2:0:-1], K.dtype(features))
    extent = K.exp(features[..., 2:4]) * K.reshape(K.constant(sizes), [1, 1, 1, 2, 2])
    return K.concatenate([centre, extent]), features[..., 4:5]


def overlaps(a, b):
    a, b = K.expand_dims(a, -2), K.expand_dims(b, 0)
    low = K.maximum(a[..., :2] - a[..., 2:] / 2.0, b[..., :2] - b[..., 2:] / 2.0)
    high = K.minimum(a[..., :2] + a[..., 2:] / 2.0, b[..., :2] + b[..., 2:] / 2.0)
    inside = K.prod(K.maximum(high - low, 0.0), axis=-1)
    return inside / (K.prod(a[..., 2:], -1) + K.prod(b[..., 2:], -1) - inside)


def detection_loss(args, threshold):
    features, truth = args
    boxes, confidence = boxes_of(features)
    there = truth[..., 4:5]
    flags = K.cast(there, "bool")
    count = K.shape(truth)[0]

    def one(i, free):
        wanted = tf.boolean_mask(truth[i, ..., :4], flags[i, ..., 0])
        best = K.max(overlaps(boxes[i], wanted), axis=-1)
        return i + 1, free.write(i, K.cast(best < threshold, K.dtype(best)))

    free = tf.TensorArray(K.dtype(truth), size=1, dynamic_size=True)
    _, free = tf.while_loop(lambda i, *_: i < count, one, [0, free])
    free = K.expand_dims(free.stack(), -1)
    wrong = K.binary_crossentropy(there, confidence, from_logits=True)
    shift = K.switch(flags, K.square(truth[..., :4] - boxes), K.zeros_like(boxes))
    return K.sum(shift) + K.sum(wrong * (there + (1 - there) * free))


picture = Input((16, 16, 3))
x = picture
for filters in (4, 8):
    x = ZeroPadding2D(((1, 0), (1, 0)))(x)
    x = Conv2D(filters, (3, 3), strides=(2, 2), use_bias=False)(x)
    x = LeakyReLU(alpha=0.1)(BatchNormalization()(x))
body = Model(picture, Conv2D(2 * 5, (1, 1))(x))
truth = Input((4, 4, 2, 5))
cost = Lambda(detection_loss, output_shape=(1,), name="cost", arguments={"threshold": 0.5})(
    [body.output, truth]
)
model = Model([body.input, truth], cost)
for layer in body.layers[:3]:
    layer.trainable = False
model.compile(optimizer="adam", loss={"cost": lambda y_true, y_pred: y_pred})

rng = np.random.RandomState(0)
pictures = rng.rand(6, 16, 16, 3).astype("float32")
targets = np.zeros((6, 4, 4, 2, 5), "float32")
for target in targets:
    row, column = rng.randint(4, size=2)
    target[row, column, rng.randint(2)] = [(column + 0.5) / 4, (row + 0.5) / 4, 0.3, 0.4, 1]


def batches():
    while True:
        for i in (0, 3):
            yield [pictures[i : i + 3], targets[i : i + 3]], np.zeros(3)


history = model.fit(batches(), steps_per_epoch=2, epochs=2, verbose=2)
boxes, confidence = boxes_of(K.constant(body.predict(pictures[:1], verbose=0)))
flat = K.reshape(boxes, [-1, 4])
flat = K.concatenate([flat[:, :2] - flat[:, 2:] / 2, flat[:, :2] + flat[:, 2:] / 2])
kept = tf.image.non_max_suppression(flat, K.reshape(confidence, [-1]), 4, iou_threshold=0.4)
answer = {
    "history": history.history,
    "kept": kept,
    "boxes": K.gather(flat, kept),
    "learning": len(model.trainable_weights),
}
