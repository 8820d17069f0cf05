"""Two networks play against each other until one draws digits: a GAN with its own `train_step`.

The generator makes images from noise, the critic tells them from real ones; each learns from the
other's mistakes. How well it goes is measured by the Fréchet distance between real and generated
pixels.
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


class GAN(tf.keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.generator = tf.keras.Sequential(
            [
                tf.keras.Input((NOISE,)),
                layers.Dense(2 * 2 * 64, activation="relu"),
                layers.Reshape((2, 2, 64)),
                layers.Conv2DTranspose(32, 4, 2, padding="same", activation="relu"),
                layers.Conv2DTranspose(1, 4, 2, padding="same", activation="sigmoid"),
            ]
        )
        self.critic = tf.keras.Sequential(
            [
                tf.keras.Input((8, 8, 1)),
                layers.Conv2D(32, 4, 2, padding="same"),
                layers.LeakyReLU(0.2),
                layers.Conv2D(64, 4, 2, padding="same"),
                layers.LeakyReLU(0.2),
                layers.Flatten(),
                layers.Dropout(0.3),
                layers.Dense(1),
            ]
        )

    def compile(self, generator_optimizer, critic_optimizer) -> None:
        super().compile()
        self.generator_optimizer = generator_optimizer
        self.critic_optimizer = critic_optimizer
        self.loss_fn = tf.keras.losses.BinaryCrossentropy(from_logits=True, label_smoothing=0.1)
        self.generator_loss = tf.keras.metrics.Mean("generator_loss")
        self.critic_loss = tf.keras.metrics.Mean("critic_loss")

    def generate(self, count: int) -> tf.Tensor:
        return self.generator(tf.random.normal([count, NOISE]), training=True)

    def train_step(self, real: tf.Tensor) -> dict[str, tf.Tensor]:
        with tf.GradientTape() as generating, tf.GradientTape() as judging:
            fake = self.generate(tf.shape(real)[0])
            judged = self.critic(tf.concat([real, fake], axis=0), training=True)
            on_real, on_fake = tf.split(judged, 2)
            lost = self.loss_fn(tf.ones_like(on_fake), on_fake)
            wrong = self.loss_fn(tf.ones_like(on_real), on_real)
            wrong += self.loss_fn(tf.zeros_like(on_fake), on_fake)
        for tape, loss, model, optimizer, metric in (
            (generating, lost, self.generator, self.generator_optimizer, self.generator_loss),
            (judging, wrong, self.critic, self.critic_optimizer, self.critic_loss),
        ):
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            metric.update_state(loss)
        return {m.name: m.result() for m in (self.generator_loss, self.critic_loss)}


def distance(real: np.ndarray, fake: np.ndarray) -> float:
    """The Fréchet distance between the pixels, taken as normal distributions."""
    a, b = real.reshape(-1, 64), fake.reshape(-1, 64)
    first, second = np.cov(a, rowvar=False), np.cov(b, rowvar=False)
    roots = np.sqrt(np.linalg.eigvals(first @ second).astype(complex)).real.sum()
    return float(((a.mean(0) - b.mean(0)) ** 2).sum() + np.trace(first + second) - 2 * roots)


def main() -> None:
    tf.keras.utils.set_random_seed(1)
    real = np.float32(load_digits().images[..., None] / 16)[:1792]
    gan = GAN()
    gan.compile(*(tf.keras.optimizers.Adam(2e-3, beta_1=0.5) for _ in range(2)))
    before = distance(real, gan.generate(1000).numpy())
    gan.fit(real, batch_size=64, epochs=6 if QUICK else 100, verbose=2)
    fake = gan.generate(1000).numpy()
    plt.switch_backend("Agg")  # a file, no window
    plt.imshow(fake[:64].reshape(8, 8, 8, 8).transpose(0, 2, 1, 3).reshape(64, 64), cmap="gray_r")
    plt.savefig(PICTURE)
    print(f"distance to real digits from {before:.2f} to {distance(real, fake):.2f}; see {PICTURE}")


if __name__ == "__main__":
    main()
