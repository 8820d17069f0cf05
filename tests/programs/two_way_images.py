"""Two generators and two judges trained by one persistent tape, weights kept each epoch."""

import glob

import numpy as np

import runnel as tf
from runnel import keras
from runnel.keras import layers

small = keras.initializers.RandomNormal(mean=0.0, stddev=0.02, seed=1)


class InstanceNorm(layers.Layer):
    def __init__(self, epsilon=1e-5, **kwargs):
        super(InstanceNorm, self).__init__(**kwargs)
        self.epsilon = epsilon

    def build(self, input_shape):
        self.scale = self.add_weight("scale", shape=input_shape[-1:], initializer="ones")
        self.shift = self.add_weight("shift", shape=input_shape[-1:], initializer="zeros")

    def call(self, x):
        mean, variance = tf.nn.moments(x, axes=[1, 2], keepdims=True)
        return self.scale * (x - mean) * tf.math.rsqrt(variance + self.epsilon) + self.shift


class Mirrored(layers.Layer):
    def call(self, x, mask=None):
        return tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")


def generator(name):
    x = start = layers.Input((6, 6, 3), name=name + "_in")
    x = layers.Conv2D(4, 3, strides=2, padding="same", kernel_initializer=small)(x)
    x = layers.ReLU()(InstanceNorm()(x))
    y = layers.Conv2D(x.shape[-1], 3, use_bias=False, kernel_initializer=small)(Mirrored()(x))
    x = layers.add([x, y])
    x = layers.Conv2DTranspose(3, 3, strides=2, padding="same", activation="tanh")(x)
    return keras.Model(start, x, name=name)


def judge(name):
    start = layers.Input((6, 6, 3), name=name + "_in")
    x = layers.Conv2D(4, 4, strides=2, padding="same", kernel_initializer=small)(start)
    return keras.Model(start, layers.Conv2D(1, 4, padding="same")(layers.LeakyReLU()(x)), name=name)


class TwoWay(keras.Model):
    def __init__(self):
        super().__init__()
        self.there, self.back = generator("there"), generator("back")
        self.judges = [judge("first"), judge("second")]
        self.squares, self.distance = (
            keras.losses.MeanSquaredError(),
            keras.losses.MeanAbsoluteError(),
        )

    def compile(self, make_optimizer):
        super().compile()
        self.optimizers = [make_optimizer() for _ in range(4)]

    def train_step(self, data):
        x, y = data
        with tf.GradientTape(persistent=True) as tape:
            to_y, to_x = self.there(x, training=True), self.back(y, training=True)
            cycle = self.distance(x, self.back(to_y)) + self.distance(y, self.there(to_x))
            costs = []
            for made, judge_of in ((to_y, self.judges[1]), (to_x, self.judges[0])):
                scores = judge_of(made, training=True)
                costs.append(self.squares(tf.ones_like(scores), scores) + 10.0 * cycle)
            for real, made, judge_of in zip((x, y), (to_x, to_y), self.judges):
                good, bad = judge_of(real, training=True), judge_of(made, training=True)
                wrong = self.squares(tf.ones_like(good), good) + self.squares(
                    tf.zeros_like(bad), bad
                )
                costs.append(0.5 * wrong)
        networks = [self.there, self.back, *self.judges]
        for cost, network, optimizer in zip(costs, networks, self.optimizers):
            slopes = tape.gradient(cost, network.trainable_variables)
            optimizer.apply_gradients(zip(slopes, network.trainable_variables))
        return dict(zip(["there", "back", "first", "second"], costs))


rng = np.random.RandomState(0)
sides = [
    tf.data.Dataset.from_tensor_slices(rng.rand(4, 6, 6, 3).astype("float32"))
    .map(lambda picture: picture * 2 - 1)
    .cache()
    .shuffle(4, seed=seed)
    .batch(2)
    for seed in (1, 2)
]
model = TwoWay()
model.compile(lambda: keras.optimizers.legacy.Adam(learning_rate=2e-4, beta_1=0.5))
keep = keras.callbacks.ModelCheckpoint("./kept.{epoch:03d}", save_weights_only=True)
history = model.fit(tf.data.Dataset.zip(tuple(sides)), epochs=2, verbose=2, callbacks=[keep])
last = model.there.get_weights()[0][0, 0]
model.load_weights("./kept.001").expect_partial()
answer = {
    "history": history.history,
    "files": sorted(glob.glob("*")),
    "last": last,
    "first": model.there.get_weights()[0][0, 0],
}
