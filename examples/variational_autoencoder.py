"""Squeeze digits into two numbers and draw new ones: a variational autoencoder.

The encoder gives a point and its blur; `add_loss` keeps the points near the origin, so that
anything there can be decoded. The picture is a walk over that plane.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import runnel as tf

QUICK = "--quick" in sys.argv  # few epochs, to see whether it runs
PICTURE = "variational_autoencoder.png"
layers = tf.keras.layers


class Sampling(layers.Layer):
    """A random point around each mean. What the means and variances cost is added to the loss."""

    def __init__(self, weight: float, **kwargs) -> None:
        super().__init__(**kwargs)
        self.weight = weight

    def call(self, inputs: tuple[tf.Tensor, tf.Tensor], training: bool = False) -> tf.Tensor:
        mean, log_variance = inputs
        divergence = tf.square(mean) + tf.exp(log_variance) - log_variance - 1.0
        divergence = 0.5 * tf.reduce_mean(tf.reduce_sum(divergence, axis=-1))
        self.add_loss(self.weight * divergence)
        self.add_metric(divergence, name="divergence")
        if not training:
            return mean
        return mean + tf.exp(0.5 * log_variance) * tf.random.normal(tf.shape(mean))


def make_models() -> tuple[tf.keras.Model, tf.keras.Model]:
    """The whole and the decoder alone."""
    decoder = tf.keras.Sequential(
        [
            tf.keras.Input((2,)),
            layers.Dense(64, activation="relu"),
            layers.Dense(64, activation="relu"),
            layers.Dense(64, activation="sigmoid"),
        ],
        name="decoder",
    )
    image = tf.keras.Input((64,), name="image")
    x = layers.Dense(64, activation="relu")(image)
    x = layers.Dense(64, activation="relu")(x)
    mean, log_variance = layers.Dense(2, name="mean")(x), layers.Dense(2, name="log_variance")(x)
    point = Sampling(weight=0.02)([mean, log_variance])
    model = tf.keras.Model(image, decoder(point))
    model.compile(tf.keras.optimizers.Adam(2e-3), "binary_crossentropy", metrics=["mae"])
    return model, decoder


def draw(decoder: tf.keras.Model, side: int = 15) -> None:
    """A sheet of the digits that the decoder sees at points on a grid."""
    steps = np.linspace(-2.0, 2.0, side, dtype=np.float32)
    points = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    images = decoder.predict(points, verbose=0).reshape(side, side, 8, 8)
    sheet = np.pad(images, [(0, 0), (0, 0), (1, 1), (1, 1)]).transpose(0, 2, 1, 3)  # with margins
    plt.switch_backend("Agg")  # a file, no window
    plt.figure(figsize=(6, 6))
    plt.imshow(sheet.reshape(side * 10, side * 10), cmap="gray_r")
    plt.axis("off")
    plt.savefig(PICTURE)


def main() -> None:
    tf.keras.utils.set_random_seed(1)
    pixels, _ = load_digits(return_X_y=True)
    images, test_images = train_test_split(np.float32(pixels / 16), random_state=1)
    model, decoder = make_models()
    history = model.fit(
        images,
        images,
        batch_size=32,
        epochs=40 if QUICK else 150,
        validation_data=(test_images, test_images),
        verbose=2,
    )
    draw(decoder)
    first, last = history.history["val_loss"][0], history.history["val_loss"][-1]
    error = np.abs(model.predict(test_images, verbose=0) - test_images).mean()
    blank = np.abs(images.mean(axis=0) - test_images).mean()
    print(f"loss on unseen digits from {first:.3f} to {last:.3f}")
    print(f"a pixel is off by {error:.3f}, by {blank:.3f} if all are drawn alike; see {PICTURE}")


if __name__ == "__main__":
    main()
