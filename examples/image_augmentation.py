"""Teach a small network to read crooked digits by showing it crooked digits.

Two networks learn from the same straight images, one of them through layers that turn, shift and
zoom at random while training. Both are then tested on images that a third hand has disturbed.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import runnel as tf

QUICK = "--quick" in sys.argv  # few epochs, to see whether it runs
PICTURE = "image_augmentation.png"
layers = tf.keras.layers


def augmentation(seed: int) -> tf.keras.Sequential:
    """Layers that disturb images, but only while training."""
    options = {"fill_mode": "constant", "seed": seed}
    return tf.keras.Sequential(
        [
            layers.RandomRotation(0.1, **options),
            layers.RandomTranslation(0.15, 0.15, **options),
            layers.RandomZoom(0.2, **options),
        ],
        name="augmentation",
    )


def classifier(first: list[tf.keras.layers.Layer]) -> tf.keras.Model:
    model = tf.keras.Sequential(
        [
            tf.keras.Input((16, 16, 1)),
            *first,
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.BatchNormalization(),
            layers.GlobalMaxPooling2D(),
            layers.Dropout(0.2),
            layers.Dense(10),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(3e-3), loss, metrics=["accuracy"])
    return model


def digits() -> list[np.ndarray]:
    """Images of 16x16 for training and testing, then their labels."""
    pixels, labels = load_digits(return_X_y=True)
    images = tf.image.resize(np.float32(pixels / 16).reshape(-1, 8, 8, 1), (16, 16))
    return train_test_split(images.numpy(), labels, random_state=1)


def show(images: np.ndarray, guesses: dict[str, np.ndarray], truth: np.ndarray) -> None:
    """Crooked digits with what each network took them for, mistakes in red."""
    plt.switch_backend("Agg")  # a file, no window
    figure = plt.figure(figsize=(9, 5), layout="constrained")
    for part, (name, guessed) in zip(figure.subfigures(2), guesses.items(), strict=True):
        right = np.mean(guessed == truth)
        part.suptitle(f"read by the network that was trained on {name} images: {right:.0%} right")
        for axis, image, guess, label in zip(part.subplots(2, 12).flat, images, guessed, truth):
            axis.imshow(image[..., 0], cmap="gray_r")
            axis.set_title(guess, color="green" if guess == label else "red", fontsize=16)
            axis.axis("off")
    figure.savefig(PICTURE)


def main() -> None:
    tf.keras.utils.set_random_seed(1)
    images, test_images, labels, test_labels = digits()
    crooked = augmentation(seed=3)(test_images, training=True).numpy()
    guesses = {}
    for name, first in (("straight", []), ("augmented", [augmentation(seed=2)])):
        model = classifier(first)
        batches = tf.data.Dataset.from_tensor_slices((images, labels))
        batches = batches.shuffle(2000, seed=1).batch(64).prefetch(tf.data.AUTOTUNE)
        model.fit(batches, epochs=12 if QUICK else 40, verbose=2)
        guesses[name] = model.predict(crooked, verbose=0).argmax(axis=1)
        plain = model.evaluate(test_images, test_labels, verbose=0)[1]
        hard = np.mean(guesses[name] == test_labels)
        print(f"trained on {name} images: accuracy {plain:.1%}, on crooked images {hard:.1%}")
    show(crooked, guesses, test_labels)
    print(f"see {PICTURE} for what crooked means, and for who can read it")


if __name__ == "__main__":
    main()
