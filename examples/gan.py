"""Two networks play against each other until one writes the digits it is told: a GAN.

The generator makes images from noise and a label, the critic tells them from real ones; each
learns from the other's mistakes. The result is measured by the Fréchet distance of the pixels.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import runnel as tf

QUICK = "--quick" in sys.argv  # few epochs, to see whether it runs
PICTURE = "gan.png"
NOISE = 16
layers = tf.keras.layers


def with_label(x: tf.Tensor, label: tf.Tensor) -> tf.Tensor:
    return layers.Concatenate()([x, layers.CategoryEncoding(10, "one_hot")(label)])


def generator() -> tf.keras.Model:
    noise, label = tf.keras.Input((NOISE,)), tf.keras.Input((1,), dtype=tf.int32)
    x = layers.Dense(128, activation="relu")(with_label(noise, label))
    x = layers.Dense(256, activation="relu")(x)
    image = layers.Reshape((8, 8, 1))(layers.Dense(64, activation="sigmoid")(x))
    return tf.keras.Model([noise, label], image)


def critic() -> tf.keras.Model:
    image, label = tf.keras.Input((8, 8, 1)), tf.keras.Input((1,), dtype=tf.int32)
    x = with_label(layers.Flatten()(image), label)
    for units in (256, 128):
        x = layers.Dropout(0.3)(layers.Dense(units, activation=layers.LeakyReLU(0.2))(x))
    return tf.keras.Model([image, label], layers.Dense(1)(x))


class GAN(tf.keras.Model):
    def __init__(self, rate: float) -> None:
        super().__init__()
        self.generator, self.critic = generator(), critic()
        self.optimizers = [tf.keras.optimizers.Adam(rate, beta_1=0.5) for _ in range(2)]
        self.loss_fn = tf.keras.losses.BinaryCrossentropy(from_logits=True, label_smoothing=0.1)

    def generate(self, labels: tf.Tensor) -> tf.Tensor:
        return self.generator([tf.random.normal([tf.shape(labels)[0], NOISE]), labels])

    def train_step(self, data: tuple[tf.Tensor, tf.Tensor]) -> dict[str, tf.Tensor]:
        real, labels = data
        with tf.GradientTape() as generating, tf.GradientTape() as judging:
            images = tf.concat([real, self.generate(labels)], axis=0)
            judged = self.critic([images, tf.tile(labels, [2, 1])], training=True)
            on_real, on_fake = tf.split(judged, 2)
            yes, no = tf.ones_like(on_real), tf.zeros_like(on_fake)
            lost = self.loss_fn(yes, on_fake)
            wrong = self.loss_fn(yes, on_real) + self.loss_fn(no, on_fake)
        self.optimizers[0].minimize(lost, self.generator.trainable_variables, generating)
        self.optimizers[1].minimize(wrong, self.critic.trainable_variables, judging)
        return {"generator_loss": lost, "critic_loss": wrong}


def distance(real: np.ndarray, fake: np.ndarray) -> float:
    """The Fréchet distance between the pixels, taken as normal distributions."""
    a, b = real.reshape(-1, 64), fake.reshape(-1, 64)
    first, second = np.cov(a, rowvar=False), np.cov(b, rowvar=False)
    roots = np.sqrt(np.linalg.eigvals(first @ second).astype(complex)).real.sum()
    return float(((a.mean(0) - b.mean(0)) ** 2).sum() + np.trace(first + second) - 2 * roots)


def show(parts: dict[str, np.ndarray]) -> None:
    plt.switch_backend("Agg")  # a file, no window
    figure = plt.figure(figsize=(8, 5), layout="constrained")
    for part, (title, images) in zip(figure.subfigures(len(parts)), parts.items(), strict=True):
        part.suptitle(title)
        for axis, image in zip(part.subplots(2, 10).flat, images, strict=True):
            axis.imshow(image[..., 0], cmap="gray_r", vmin=0, vmax=1)
            axis.axis("off")
    figure.savefig(PICTURE)


def main() -> None:
    tf.keras.utils.set_random_seed(1)
    pixels, labels = load_digits(return_X_y=True)
    real, labels = np.float32(pixels / 16).reshape(-1, 8, 8, 1), np.int32(labels)[:, None]
    gan = GAN(rate=2e-3)
    gan.compile()
    before = gan.generate(labels).numpy()
    gan.fit(real, labels, batch_size=64, epochs=25 if QUICK else 100, verbose=2)
    after = gan.generate(labels).numpy()
    show({"real": real[:20], "before training": before[:20], "after training": after[:20]})
    far, near = (distance(real, fake) for fake in (before, after))
    print(f"distance to real digits from {far:.2f} to {near:.2f}; see {PICTURE}")


if __name__ == "__main__":
    main()
