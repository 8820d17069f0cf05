"""Read handwritten digits with Keras: train, plot, save, load in a new process, predict."""

import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import runnel as tf

MODEL, LOSSES, PICTURE = "quickstart.keras", "quickstart_loss.png", "quickstart_model.png"


def digits() -> list[np.ndarray]:
    """Images for training and testing, then their labels."""
    pixels, labels = load_digits(return_X_y=True)
    images = np.float32(pixels / 16).reshape(-1, 8, 8, 1)
    return train_test_split(images, labels, random_state=1)


def make_model() -> tf.keras.Model:
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8, 1)),
            layers.Conv2D(16, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.2),
            layers.Dense(64, activation="relu"),
            layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def plot(history: dict[str, list[float]]) -> None:
    plt.switch_backend("Agg")  # a file, no window
    for name in ("loss", "val_loss"):
        plt.semilogy(history[name], label=name)
    plt.gca().set(xlabel="epoch", ylabel="loss")
    plt.legend()
    plt.savefig(LOSSES, bbox_inches="tight")


def train() -> None:
    tf.keras.utils.set_random_seed(1)
    train_images, test_images, train_labels, test_labels = digits()
    model = make_model()
    model.summary()
    history = model.fit(train_images, train_labels, epochs=12, validation_split=0.1)
    _, accuracy = model.evaluate(test_images, test_labels, verbose=0)
    plot(history.history)
    tf.keras.utils.plot_model(model, PICTURE, show_shapes=True, show_layer_names=True)
    model.save(MODEL)
    print(f"test accuracy {accuracy:.1%}; see {LOSSES}, {PICTURE}; the model is in {MODEL}")


def predict() -> None:
    """What another process does with the file."""
    model = tf.keras.models.load_model(MODEL)
    _, images, _, labels = digits()
    guesses = model.predict(images[:10], verbose=0).argmax(axis=1)
    print(f"loaded in a new process: guesses {guesses}, truth {labels[:10]}")


def main() -> None:
    if sys.argv[1:] == ["predict"]:
        predict()
        return
    train()
    subprocess.run([sys.executable, str(Path(__file__).resolve()), "predict"], check=True)


if __name__ == "__main__":
    main()
