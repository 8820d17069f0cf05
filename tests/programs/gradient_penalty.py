"""A Wasserstein GAN with gradient penalty in `train_step`, watched by a callback."""

import os

import numpy as np

import runnel as tf
from runnel import keras
from runnel.keras import layers

critic = keras.Sequential(
    [
        layers.Conv2D(6, 5, strides=2, padding="same", input_shape=(12, 12, 1)),
        layers.LeakyReLU(0.2),
        layers.Dropout(0.3),
        layers.Flatten(),
        layers.Dense(1),
    ],
    name="critic",
)
maker = keras.Sequential(name="maker")
maker.add(layers.Dense(7 * 7 * 4, use_bias=False, input_shape=(6,)))
maker.add(layers.BatchNormalization())
maker.add(layers.LeakyReLU())
maker.add(layers.Reshape((7, 7, 4)))
maker.add(layers.UpSampling2D())
maker.add(layers.Conv2D(1, 3, padding="same", activation="tanh"))
maker.add(layers.Cropping2D((1, 1)))


class Wasserstein(keras.Model):
    def __init__(self, critic, maker, weight=10.0, rounds=2):
        super().__init__()
        self.critic, self.maker, self.weight, self.rounds = critic, maker, weight, rounds

    def compile(self, critic_optimizer, maker_optimizer, **kwargs):
        super().compile(**kwargs)
        self.critic_optimizer, self.maker_optimizer = critic_optimizer, maker_optimizer

    def penalty(self, real, fake):
        mix = tf.random.uniform([tf.shape(real)[0], 1, 1, 1])
        between = mix * real + (1 - mix) * fake
        with tf.GradientTape() as inner:
            inner.watch(between)
            score = self.critic(between, training=True)
        slopes = inner.gradient(score, [between])[0]
        length = tf.sqrt(tf.reduce_sum(slopes**2, axis=[1, 2, 3]))
        return tf.reduce_mean((length - 1.0) ** 2)

    def train_step(self, real):
        if isinstance(real, tuple):
            real = real[0]
        count = tf.shape(real)[0]
        for _ in range(self.rounds):
            fake = self.maker(tf.random.normal((count, 6)), training=True)
            with tf.GradientTape() as tape:
                gap = tf.reduce_mean(self.critic(fake, training=True))
                gap -= tf.reduce_mean(self.critic(real, training=True))
                cost = gap + self.weight * self.penalty(real, fake)
            weights = self.critic.trainable_variables
            self.critic_optimizer.apply_gradients(zip(tape.gradient(cost, weights), weights))
        with tf.GradientTape() as tape:
            fake = self.maker(tf.random.normal((count, 6)), training=True)
            fooled = -tf.reduce_mean(self.critic(fake, training=True))
        weights = self.maker.trainable_weights
        self.maker_optimizer.apply_gradients(zip(tape.gradient(fooled, weights), weights))
        return {"critic": cost, "maker": fooled}


class Gallery(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        made = self.model.maker(tf.random.normal((2, 6))) * 127.5 + 127.5
        for i, picture in enumerate(made):
            keras.utils.array_to_img(picture.numpy()).save("%d_%d.png" % (epoch, i))


data = np.random.RandomState(0).uniform(-1, 1, (16, 12, 12, 1)).astype("float32")
gan = Wasserstein(critic, maker)
gan.compile(*[keras.optimizers.Adam(2e-4, beta_1=0.5, beta_2=0.9) for _ in range(2)])
history = gan.fit(data, batch_size=8, epochs=2, callbacks=[Gallery()], verbose=2)
answer = {
    "history": history.history,
    "files": sorted(os.listdir(".")),
    "made": maker(tf.ones((1, 6)))[0, :2],
    "filters": critic.get_weights()[0][0, 0],
}
