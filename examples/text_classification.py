"""Tell good reviews from bad ones, from raw strings to a probability in one model.

The reviews are made up, with words that mean the opposite after "not": a bag of words does not do,
the order counts. The vocabulary is learnt by a layer, so that the finished model takes plain text.
"""

import random
import sys

import matplotlib.pyplot as plt
import numpy as np

import runnel as tf

QUICK = "--quick" in sys.argv  # few reviews, to see whether it runs
PICTURE = "text_classification.png"
layers = tf.keras.layers

SUBJECTS = "food service staff room view price music coffee bed breakfast".split()
GOOD = "good great lovely friendly fresh clean excellent charming delicious fair".split()
BAD = "bad awful dirty rude stale noisy terrible cold broken overpriced".split()
FILLERS = ["honestly", "I must say", "as always", "to my surprise", "this time", "on Monday"]
ENDINGS = ["!", ".", "...", " :)", ""]


def review(random_: random.Random, is_good: bool) -> str:
    """A few sentences of one opinion; every third says it by negation."""
    sentences = []
    for _ in range(random_.randint(1, 3)):
        is_negated = random_.random() < 0.35
        word = random_.choice(GOOD if is_good != is_negated else BAD)
        verb = random_.choice(["was not", "is not", "was never"] if is_negated else ["was", "is"])
        parts = [f"the {random_.choice(SUBJECTS)} {verb} {word}"]
        if random_.random() < 0.5:
            parts.insert(random_.randint(0, 1), random_.choice(FILLERS))
        sentences.append(", ".join(parts).capitalize() + random_.choice(ENDINGS))
    return " ".join(sentences)


def reviews(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random_ = random.Random(seed)
    labels = [random_.random() < 0.5 for _ in range(count)]
    return np.array([review(random_, label) for label in labels]), np.float32(labels)


def make_model(texts: np.ndarray) -> tf.keras.Model:
    words = layers.TextVectorization(max_tokens=200, output_sequence_length=32)
    words.adapt(texts)
    print("the vocabulary begins with", words.get_vocabulary()[:8])
    text = tf.keras.Input((1,), dtype=tf.string, name="text")
    x = layers.Embedding(words.vocabulary_size(), 16, mask_zero=True)(words(text))
    x = layers.Bidirectional(layers.GRU(16))(x)
    x = layers.Dropout(0.3)(x)
    model = tf.keras.Model(text, layers.Dense(1, activation="sigmoid")(x))
    model.compile(tf.keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
    return model


def show(model: tf.keras.Model, texts: list[str]) -> None:
    """What the model makes of each text, word by word: green is good, red is bad."""
    plt.switch_backend("Agg")  # a file, no window
    _, axes = plt.subplots(len(texts), 1, figsize=(9, 3.2), layout="tight")
    for axis, text in zip(axes, texts, strict=True):
        words = text.split()
        read = np.array([" ".join(words[: i + 1]) for i in range(len(words))])
        axis.imshow(model.predict(read, verbose=0).T, "RdYlGn", vmin=0, vmax=1, aspect="auto")
        axis.set(xticks=range(len(words)), xticklabels=words, yticks=[])
    plt.savefig(PICTURE)


def main() -> None:
    tf.keras.utils.set_random_seed(1)
    texts, labels = reviews(1000 if QUICK else 6000, seed=1)
    test_texts, test_labels = reviews(500, seed=2)
    model = make_model(texts)
    stop = tf.keras.callbacks.EarlyStopping("val_loss", patience=2, restore_best_weights=True)
    model.fit(
        texts,
        labels,
        batch_size=50,
        epochs=3 if QUICK else 10,
        validation_split=0.1,
        callbacks=[stop],
        verbose=2,
    )
    _, accuracy = model.evaluate(test_texts, test_labels, verbose=0)
    wishes = ["The bed was lovely!", "Honestly, the coffee is not good.", "the view was never bad"]
    for text, (good,) in zip(wishes, model.predict(np.array(wishes), verbose=0), strict=True):
        print(f"{good:4.0%} good: {text}")
    show(model, [*wishes, "The room was not dirty, the staff is charming"])
    print(f"test accuracy {accuracy:.1%}; see {PICTURE}")


if __name__ == "__main__":
    main()
