"""A transformer that learns to add: it reads "47+85=" and goes on with "231", right to left.

A decoder as language models have it: tokens and positions, blocks of causal self-attention, one
prediction for every place. Only what follows "=" counts in the loss.
"""

import sys

import numpy as np

import runnel as tf

QUICK = "--quick" in sys.argv  # few sums, to see whether it runs
layers = tf.keras.layers

SIGNS = "0123456789+="
QUESTION, ANSWER = 6, 3  # "47+85=" and "231"


class Block(layers.Layer):
    """Attention to what came before, then a small network, both added to what goes in."""

    def __init__(self, width: int, heads: int, **kwargs) -> None:
        super().__init__(**kwargs)
        self.attention = layers.MultiHeadAttention(heads, width // heads)
        self.network = tf.keras.Sequential(
            [layers.Dense(4 * width, activation="gelu"), layers.Dense(width)]
        )
        self.norms = [layers.LayerNormalization(), layers.LayerNormalization()]

    def call(self, x: tf.Tensor) -> tf.Tensor:
        y = self.norms[0](x)
        x = x + self.attention(y, y, use_causal_mask=True)
        return x + self.network(self.norms[1](x))


class Transformer(tf.keras.Model):
    def __init__(self, width: int, heads: int, depth: int) -> None:
        super().__init__()
        self.signs = layers.Embedding(len(SIGNS), width)
        self.places = layers.Embedding(QUESTION + ANSWER, width)
        self.blocks = [Block(width, heads, name=f"block_{i}") for i in range(depth)]
        self.norm = layers.LayerNormalization()
        self.logits = layers.Dense(len(SIGNS))

    def call(self, tokens: tf.Tensor) -> tf.Tensor:
        x = self.signs(tokens) + self.places(tf.range(tf.shape(tokens)[1]))
        for block in self.blocks:
            x = block(x)
        return self.logits(self.norm(x))

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


def main() -> None:
    tf.keras.utils.set_random_seed(1)
    pairs = np.random.permutation([(a, b) for a in range(100) for b in range(100)])
    train, test = sums(pairs[:2000] if QUICK else pairs[:-1000]), sums(pairs[-1000:])
    model = Transformer(32 if QUICK else 64, heads=4, depth=1 if QUICK else 2)
    epochs, batch = (6 if QUICK else 40), 100
    rate = tf.keras.optimizers.schedules.CosineDecay(
        0.0, epochs * len(train) // batch, warmup_target=3e-3, warmup_steps=len(train) // batch
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.AdamW(rate), loss, weighted_metrics=["accuracy"])
    is_answer = np.arange(1, QUESTION + ANSWER) >= QUESTION
    weights = np.repeat(np.float32([is_answer]), len(train), axis=0)
    model.fit(train[:, :-1], train[:, 1:], batch, epochs, sample_weight=weights, verbose=2)
    model.summary()
    found = model.complete(tf.constant(test[:, :QUESTION])).numpy()
    for row in found[:5]:
        text = "".join(SIGNS[sign] for sign in row)
        print(text[:QUESTION], text[QUESTION:][::-1])
    right, signs = (found == test).all(axis=1).mean(), (found == test)[:, QUESTION:].mean()
    print(f"unseen sums right {right:.1%}, digits right {signs:.1%}")


if __name__ == "__main__":
    main()
