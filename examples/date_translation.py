"""Translate dates as people write them ("3rd of May 1987") into 1987-05-03, letter by letter.

A sequence-to-sequence model with attention: the decoder looks back at the letters it is about to
translate. The picture shows where it looked.
"""

import random
import sys
from datetime import date, timedelta

import matplotlib.pyplot as plt
import numpy as np

import runnel as tf

QUICK = "--quick" in sys.argv  # few dates, to see whether it runs
PICTURE = "date_translation.png"
layers = tf.keras.layers

INPUT_LENGTH, OUTPUT_LENGTH = 24, 10
LETTERS = "\0 ,./0123456789abcdefghijklmnopqrstuvwxyz"  # \0 fills up
SIGNS = "\n-0123456789"  # \n begins
FORMATS = ("%d %B %Y", "%B %d, %Y", "%d.%m.%Y", "%d %b %Y", "%d of %B %Y", "%Y/%m/%d")


def encode(texts: list[str], alphabet: str, length: int) -> np.ndarray:
    return np.array([[alphabet.index(c) for c in text.ljust(length, "\0")] for text in texts])


def dates(count: int, seed: int) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Dates as written, as numbers, and what they mean as numbers."""
    random_ = random.Random(seed)
    days = [date(1950, 1, 1) + timedelta(random_.randrange(30_000)) for _ in range(count)]
    written = [day.strftime(random_.choice(FORMATS)).lower() for day in days]
    meant = encode([day.isoformat() for day in days], SIGNS, OUTPUT_LENGTH)
    return written, encode(written, LETTERS, INPUT_LENGTH), meant


def shifted(meant: np.ndarray) -> np.ndarray:
    """What the decoder has written before each sign: a beginning, then all signs but the last."""
    return np.pad(meant[:, :-1], ((0, 0), (1, 0)))


def make_models(units: int) -> tuple[tf.keras.Model, tf.keras.Model]:
    """A model to be trained, and one of the same layers that tells where it looked."""
    source = tf.keras.Input((INPUT_LENGTH,), dtype="int32", name="source")
    before = tf.keras.Input((OUTPUT_LENGTH,), dtype="int32", name="before")
    letters = layers.Embedding(len(LETTERS), 32, mask_zero=True)(source)
    encoded = layers.Bidirectional(layers.GRU(units // 2, return_sequences=True))(letters)
    signs = layers.Embedding(len(SIGNS), 32)(before)
    decoded = layers.GRU(units, return_sequences=True)(signs)
    attend = layers.AdditiveAttention()
    context, looks = attend([decoded, encoded], return_attention_scores=True)
    hidden = layers.Dense(units, activation="relu")(layers.Concatenate()([decoded, context]))
    logits = layers.Dense(len(SIGNS))(hidden)
    return tf.keras.Model([source, before], logits), tf.keras.Model([source, before], looks)


def translate(model: tf.keras.Model, source: np.ndarray) -> np.ndarray:
    """Sign after sign, each chosen in view of those before it."""
    meant = np.zeros((len(source), OUTPUT_LENGTH), int)
    for place in range(OUTPUT_LENGTH):
        logits = model.predict([source, shifted(meant)], verbose=0, batch_size=500)
        meant[:, place] = logits[:, place].argmax(-1)
    return meant


def show(looks: np.ndarray, written: str, signs: str) -> None:
    plt.switch_backend("Agg")  # a file, no window
    plt.imshow(looks[:, : len(written)], cmap="Greens")
    plt.xticks(range(len(written)), written)
    plt.yticks(range(OUTPUT_LENGTH), signs)
    plt.savefig(PICTURE)


def main() -> None:
    tf.keras.utils.set_random_seed(1)
    _, source, meant = dates(2000 if QUICK else 20_000, seed=1)
    written, test_source, test_meant = dates(500, seed=2)
    model, looking = make_models(32 if QUICK else 64)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.Adam(5e-3), loss, metrics=["accuracy"])
    model.fit([source, shifted(meant)], meant, batch_size=100, epochs=4 if QUICK else 8, verbose=2)
    found = translate(model, test_source)
    texts = ["".join(SIGNS[sign] for sign in row) for row in found]
    for pair in zip(written[:5], texts, strict=False):
        print("{:>20} -> {}".format(*pair))
    looks = looking.predict([test_source[:1], shifted(found[:1])], verbose=0)
    show(looks[0], written[0], texts[0])
    right, signs = (found == test_meant).all(axis=1).mean(), (found == test_meant).mean()
    print(f"dates right {right:.1%}, signs right {signs:.1%}; see {PICTURE}")


if __name__ == "__main__":
    main()
