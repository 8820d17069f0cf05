"""A transformer that learns to add: it reads "47+85=" and goes on with "231", right to left.

A decoder as language models have it: tokens and positions, blocks of causal self-attention, one
prediction for every place. Only what follows "=" counts in the loss.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import runnel as tf

QUICK = "--quick" in sys.argv  # few sums, to see whether it runs
PICTURE = "transformer.png"
layers = tf.keras.layers

SIGNS = "0123456789+="
QUESTION, ANSWER = 6, 3  # "47+85=" and "231"


class Block(layers.Layer):
    """Attention to what came before, then a small network, both added to what goes in."""

    def __init__(self, width: int, heads: int, **kwargs) -> None:
        super().__init__(**kwargs)
        self.attention = layers.MultiHeadAttention(heads, width // heads)
        self.network = tf.keras.Sequential([layers.Dense(4 * width, "gelu"), layers.Dense(width)])
        self.norms = [layers.LayerNormalization(), layers.LayerNormalization()]

    def call(self, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        y = self.norms[0](x)
        y, looks = self.attention(y, y, use_causal_mask=True, return_attention_scores=True)
        x = x + y
        return x + self.network(self.norms[1](x)), looks


class Transformer(tf.keras.Model):
    def __init__(self, width: int, heads: int, depth: int) -> None:
        super().__init__()
        self.signs = layers.Embedding(len(SIGNS), width)
        self.places = layers.Embedding(QUESTION + ANSWER, width)
        self.blocks = [Block(width, heads, name=f"block_{i}") for i in range(depth)]
        self.norm = layers.LayerNormalization()
        self.chances = layers.Dense(len(SIGNS), activation="softmax")

    def call(self, tokens: tf.Tensor, with_looks: bool = False) -> tf.Tensor:
        x = self.signs(tokens) + self.places(tf.range(tf.shape(tokens)[1]))
        for block in self.blocks:
            x, looks = block(x)
        return looks if with_looks else self.chances(self.norm(x))

    @tf.function
    def complete(self, tokens: tf.Tensor) -> tf.Tensor:
        """The tokens with the likeliest answer, sign by sign."""
        for _ in range(ANSWER):
            following = tf.argmax(self(tokens)[:, -1:], axis=-1, output_type=tokens.dtype)
            tokens = tf.concat([tokens, following], axis=1)
        return tokens


def sums(pairs: np.ndarray) -> np.ndarray:
    texts = [f"{a:02}+{b:02}=" + f"{a + b:03}"[::-1] for a, b in pairs]
    return np.array([[SIGNS.index(sign) for sign in text] for text in texts], np.int32)


def show(model: Transformer, tokens: np.ndarray) -> None:
    """Where the heads of the last block look while they write one answer, digit by digit."""
    plt.figure(figsize=(8, 4), layout="tight")
    for i, looks in enumerate(model(tokens[None, :-1], with_looks=True)[0]):
        plt.subplot(2, 2, i + 1, title=f"head {i + 1}")
        plt.imshow(looks[QUESTION - 1 :], "Blues")
        plt.xticks(range(len(tokens) - 1), [SIGNS[sign] for sign in tokens[:-1]])
        plt.yticks(range(ANSWER), [SIGNS[sign] for sign in tokens[QUESTION:]])
    plt.savefig(PICTURE)


def main() -> None:
    plt.switch_backend("Agg")  # a file, no window
    tf.keras.utils.set_random_seed(1)
    pairs = np.random.permutation([(a, b) for a in range(100) for b in range(100)])
    train, test = sums(pairs[:2000] if QUICK else pairs[:-1000]), sums(pairs[-1000:])
    model = Transformer(32 if QUICK else 64, heads=4, depth=1 if QUICK else 2)
    epochs, batch = (6 if QUICK else 40), 100
    rate = tf.keras.optimizers.schedules.CosineDecay(
        0.0, epochs * len(train) // batch, warmup_target=3e-3, warmup_steps=len(train) // batch
    )
    loss = "sparse_categorical_crossentropy"
    model.compile(tf.keras.optimizers.AdamW(rate), loss, weighted_metrics=["accuracy"])
    weights = np.tile(np.arange(1, QUESTION + ANSWER) >= QUESTION, (len(train), 1))
    model.fit(train[:, :-1], train[:, 1:], batch, epochs, sample_weight=weights, verbose=2)
    found = model.complete(tf.constant(test[:, :QUESTION])).numpy()
    right, signs = (found == test).all(axis=1).mean(), (found == test)[:, QUESTION:].mean()
    show(model, found[0])
    print(f"unseen sums right {right:.1%}, digits right {signs:.1%}; see {PICTURE}")


if __name__ == "__main__":
    main()
