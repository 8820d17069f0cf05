"""Train a small network to read digits, with nothing but variables and gradients, and plot it."""

import sys
from collections.abc import Iterator
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import runnel as tf

EPOCHS, BATCH, LAYERS = 20, 32, (64, 128, 64, 10)
Network = list[tuple[tf.Variable, tf.Variable]]  # a kernel and a bias for each layer


def make_layer(inputs: int, units: int) -> tuple[tf.Variable, tf.Variable]:
    kernel = tf.random.normal([inputs, units], stddev=(2 / inputs) ** 0.5)
    return tf.Variable(kernel), tf.Variable(tf.zeros([units]))


def forward(network: Network, x: tf.Tensor) -> tf.Tensor:
    *hidden, (last_kernel, last_bias) = network
    for kernel, bias in hidden:
        x = tf.nn.relu(tf.matmul(x, kernel) + bias)
    return tf.matmul(x, last_kernel) + last_bias


class Adam:
    """Steps against the gradient, scaled by running means of it and of its square."""

    def __init__(self, variables: list[tf.Variable], rate: float = 0.001) -> None:
        self.variables, self.rate, self.steps = variables, rate, 0
        self.means = [tf.Variable(tf.zeros_like(v)) for v in variables]
        self.squares = [tf.Variable(tf.zeros_like(v)) for v in variables]

    def apply(self, gradients: list[tf.Tensor]) -> None:
        self.steps += 1
        rate = self.rate * (1 - 0.999**self.steps) ** 0.5 / (1 - 0.9**self.steps)
        for v, g, mean, square in zip(self.variables, gradients, self.means, self.squares):
            mean.assign_sub(0.1 * (mean - g))
            square.assign_sub(0.001 * (square - g * g))
            v.assign_sub(rate * mean / (tf.sqrt(square) + 1e-7))


def train_step(network: Network, adam: Adam, images: tf.Tensor, labels: tf.Tensor) -> float:
    with tf.GradientTape() as tape:
        logits = forward(network, images)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        loss = tf.reduce_mean(losses)
    adam.apply(tape.gradient(loss, adam.variables))
    return float(loss)


def accuracy(network: Network, images: np.ndarray, labels: np.ndarray) -> float:
    guesses = tf.argmax(forward(network, tf.constant(images)), axis=1, output_type=tf.int32)
    return float(tf.reduce_mean(tf.cast(tf.equal(guesses, labels), tf.float32)))


def batches(images: np.ndarray, labels: np.ndarray) -> Iterator[tuple[tf.Tensor, tf.Tensor]]:
    """The data in a new order, `BATCH` examples at a time, with a bar where there is a terminal."""
    order = np.random.permutation(len(images))
    for start in range(0, len(order), BATCH):
        if sys.stdout.isatty():
            done = 30 * start // len(order)
            print(f"\r[{'#' * done}{'.' * (30 - done)}]", end="", flush=True)
        chosen = order[start : start + BATCH]
        yield tf.constant(images[chosen]), tf.constant(labels[chosen])
    print("\r\033[K" if sys.stdout.isatty() else "", end="")


def plot(losses: list[float], path: str) -> None:
    plt.switch_backend("Agg")  # a file, no window
    plt.semilogy(losses)
    plt.gca().set(xlabel="step", ylabel="loss")
    plt.savefig(path)


def main() -> None:
    np.random.seed(1)
    tf.random.set_seed(1)
    pixels, digits = load_digits(return_X_y=True)
    split = train_test_split(np.float32(pixels / 16), np.int32(digits), random_state=1)
    train, test = split[::2], split[1::2]  # images and labels
    network = [make_layer(*sizes) for sizes in pairwise(LAYERS)]
    adam = Adam([variable for layer in network for variable in layer])
    losses: list[float] = []
    for epoch in range(1, EPOCHS + 1):
        new = [train_step(network, adam, *batch) for batch in batches(*train)]
        losses += new
        seen = accuracy(network, *train)
        print(f"epoch {epoch:2}/{EPOCHS}  loss {np.mean(new):.4f}  accuracy {seen:.1%}")
    plot(losses, "quickstart_loss.png")
    print(f"test accuracy {accuracy(network, *test):.1%}; the loss is in quickstart_loss.png")


if __name__ == "__main__":
    main()
