"""An autoencoder with a codebook, and masked convolutions over its codes."""

import numpy as np

import runnel as tf
from runnel import keras
from runnel.keras import layers


class Codebook(layers.Layer):
    def __init__(self, count, width, **kwargs):
        super().__init__(**kwargs)
        self.count, self.width = count, width
        start = tf.random_uniform_initializer()(shape=(width, count), dtype="float32")
        self.codes = tf.Variable(start, trainable=True, name="codes")

    def nearest(self, flat):
        apart = tf.reduce_sum(flat**2, axis=1, keepdims=True) + tf.reduce_sum(self.codes**2, axis=0)
        return tf.argmin(apart - 2 * tf.matmul(flat, self.codes), axis=1)

    def call(self, x):
        flat = tf.reshape(x, [-1, self.width])
        picked = tf.one_hot(self.nearest(flat), self.count)
        chosen = tf.reshape(tf.matmul(picked, self.codes, transpose_b=True), tf.shape(x))
        self.add_loss(0.25 * tf.reduce_mean((tf.stop_gradient(chosen) - x) ** 2))
        self.add_loss(tf.reduce_mean((chosen - tf.stop_gradient(x)) ** 2))
        return x + tf.stop_gradient(chosen - x)


class Trainer(keras.Model):
    def __init__(self, network, variance):
        super().__init__()
        self.network, self.variance = network, variance
        self.total, self.book = keras.metrics.Mean(name="total"), keras.metrics.Mean(name="book")

    @property
    def metrics(self):
        return [self.total, self.book]

    def train_step(self, x):
        with tf.GradientTape() as tape:
            error = tf.reduce_mean((x - self.network(x)) ** 2) / self.variance
            loss = error + sum(self.network.losses)
        slopes = tape.gradient(loss, self.network.trainable_variables)
        self.optimizer.apply_gradients(zip(slopes, self.network.trainable_variables))
        self.total.update_state(loss)
        self.book.update_state(sum(self.network.losses))
        return {metric.name: metric.result() for metric in self.metrics}


class Masked(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__()
        self.conv = layers.Conv2D(**kwargs)

    def build(self, input_shape):
        self.conv.build(input_shape)
        self.mask = np.ones(self.conv.kernel.get_shape())
        self.mask[self.mask.shape[0] // 2 :] = 0.0

    def call(self, inputs):
        self.conv.kernel.assign(self.conv.kernel * self.mask)
        return self.conv(inputs)


x = np.random.RandomState(0).rand(20, 8, 8, 1).astype("float32") - 0.5
start = keras.Input((8, 8, 1))
encoder = keras.Sequential(
    [layers.Conv2D(6, 3, activation="relu", strides=2, padding="same"), layers.Conv2D(4, 1)],
    name="encoder",
)
book = Codebook(6, 4, name="book")
end = layers.Conv2DTranspose(1, 3, strides=2, padding="same")(book(encoder(start)))
trainer = Trainer(keras.Model(start, end), np.var(x))
trainer.compile(optimizer=keras.optimizers.Adam(1e-2))
history = trainer.fit(x, epochs=2, batch_size=8, verbose=2)
seen = encoder.predict(x[:4], verbose=0)
codes = book.nearest(seen.reshape(-1, 4)).numpy().reshape(seen.shape[:-1])

start = keras.Input(shape=codes.shape[1:], dtype=tf.int32)
y = Masked(filters=8, kernel_size=3, activation="relu", padding="same")(tf.one_hot(start, 6))
prior = keras.Model(start, layers.Conv2D(6, 1)(y), name="prior")
prior.summary()
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
prior.compile(optimizer=keras.optimizers.Adam(), loss=loss, metrics=["accuracy"])
second = prior.fit(codes, codes, batch_size=2, epochs=2, validation_split=0.5, verbose=2)
answer = {"history": history.history, "codes": codes, "prior": second.history}
