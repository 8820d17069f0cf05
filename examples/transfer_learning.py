"""Learn five new digits from three images each, by keeping what was learnt from the other five.

A network learns to read 0 to 4. Its convolutions are frozen and get a new head for 5 to 9, which
has only fifteen images; then everything is tuned a little. The same network from scratch shows what
that is worth.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import runnel as tf

QUICK = "--quick" in sys.argv  # few epochs, to see whether it runs
PICTURE = "transfer_learning.png"
layers = tf.keras.layers


def make_base() -> tf.keras.Model:
    """From images to features."""
    return tf.keras.Sequential(
        [
            tf.keras.Input((8, 8, 1)),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.BatchNormalization(),
            layers.MaxPooling2D(),
            layers.Flatten(),
        ],
        name="base",
    )


def with_head(base: tf.keras.Model, name: str) -> tf.keras.Model:
    """A classifier on top of features. A frozen base keeps its statistics too."""
    image = tf.keras.Input((8, 8, 1))
    features = base(image, training=base.trainable)
    logits = layers.Dense(5, name="head")(layers.Dropout(0.5)(features))
    return tf.keras.Model(image, logits, name=name)


def train(model: tf.keras.Model, images: np.ndarray, labels: np.ndarray, epochs: int, rate: float):
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(rate), loss, metrics=["accuracy"])
    weights = sum(int(np.prod(w.shape)) for w in model.trainable_weights)
    print(f"{model.name}: {weights} trainable numbers, {len(images)} images", flush=True)
    model.fit(images, labels, batch_size=25, epochs=epochs, verbose=2)


def show(guesses: dict[str, np.ndarray], images: np.ndarray, labels: np.ndarray) -> None:
    """New digits that some model misread, as each reads them; red is wrong."""
    hard = np.flatnonzero(np.any([guess != labels for guess in guesses.values()], axis=0))[::8]
    plt.switch_backend("Agg")  # a file, no window
    _, rows = plt.subplots(len(guesses), 12, figsize=(12, 5), layout="tight")
    for row, (name, guess) in zip(rows, guesses.items(), strict=True):
        row[0].set_title(f"{name}: {np.mean(guess == labels):.0%}", loc="left")
        for axis, i in zip(row, hard, strict=False):
            axis.imshow(images[i, ..., 0], "gray_r" if guess[i] == labels[i] else "Reds")
            axis.set(xticks=[], yticks=[], xlabel=guess[i] + 5)
    plt.savefig(PICTURE)


def main() -> None:
    tf.keras.utils.set_random_seed(1)
    digits = load_digits()
    images, labels = np.float32(digits.images[..., None] / 16), digits.target
    is_new = labels >= 5
    base = make_base()
    old = with_head(base, "old_digits")
    train(old, images[~is_new], labels[~is_new], epochs=3 if QUICK else 15, rate=2e-3)

    new_images, new_labels = images[is_new], labels[is_new] - 5
    few = np.concatenate([np.flatnonzero(new_labels == digit)[:3] for digit in range(5)])
    rest = np.setdiff1d(np.arange(len(new_labels)), few)
    data, test = (new_images[few], new_labels[few]), (new_images[rest], new_labels[rest])
    epochs = 15 if QUICK else 60

    scratch = with_head(make_base(), "from_scratch")
    train(scratch, *data, epochs, rate=2e-3)
    base.trainable = False
    frozen = with_head(base, "frozen")
    before = base.get_weights()
    train(frozen, *data, epochs, rate=2e-3)
    kept = all(map(np.array_equal, before, base.get_weights()))
    guesses = {m.name: m.predict(test[0], verbose=0).argmax(axis=1) for m in (scratch, frozen)}
    base.trainable = True
    train(frozen, *data, epochs // 3, rate=1e-4)  # compiled anew, since what is trainable changed
    guesses["tuned"] = frozen.predict(test[0], verbose=0).argmax(axis=1)
    print("the frozen layers", "did not change" if kept else "changed")
    for name, guess in guesses.items():
        print(f"{name}: accuracy {np.mean(guess == test[1]):.1%} on {len(rest)} new digits")
    show(guesses, *test)
    print(f"see {PICTURE} for what each model reads")


if __name__ == "__main__":
    main()
