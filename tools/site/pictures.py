"""Write the pictures of `docs/images` that programs make: python tools/site/pictures.py"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import runnel as tf
from tests.pages import ROOT, blocks

IMAGES = ROOT / "docs" / "images"


def page(name: str, count: int) -> dict[str, Any]:
    """What the first blocks of Python on a page have made."""
    names: dict[str, Any] = {}
    found = [b for b in blocks((ROOT / "docs" / name).read_text()) if b.language == "python"]
    for block in found[:count]:
        exec(block.text, names)
    return names


def save(name: str) -> None:
    plt.tight_layout()
    plt.savefig(IMAGES / name, dpi=100)
    plt.close()


def first_model() -> None:
    made = page("start/first_model.md", 3)
    x, y, model = made["x_train"], made["y_train"], made["model"]
    _, (left, right) = plt.subplots(1, 2, figsize=(6.4, 3.2), sharex=True, sharey=True)
    left.scatter(*x.T, c=y, s=3, cmap="coolwarm")
    left.set_title("the data", fontsize=9)
    side = np.linspace(-1.1, 1.1, 120, dtype="float32")
    plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    answer = tf.sigmoid(model.predict(plane, verbose=0)).numpy().reshape(120, 120)
    right.contourf(side, side, answer, 20, cmap="coolwarm")
    right.set_title("what the model says", fontsize=9)
    save("spirals.png")
    plt.figure(figsize=(4.8, 2.6))
    for name in ("loss", "val_loss"):
        plt.plot(made["history"].history[name], label=name)
    plt.xlabel("epoch")
    plt.legend()
    save("first_model_loss.png")


def descent() -> None:
    data = tf.constant([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]])
    target = tf.constant([5.0, 4.0, 9.0])
    w = tf.Variable([0.0, 0.0])
    path = [w.numpy()]
    for _ in range(60):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.linalg.matvec(data, w) - target) ** 2)
        w.assign_sub(0.05 * tape.gradient(loss, w))
        path.append(w.numpy())
    side = np.linspace(-0.3, 2.6, 80, dtype="float32")
    grid = np.stack(np.meshgrid(side, side), axis=-1)
    losses = np.mean((grid @ data.numpy().T - target.numpy()) ** 2, axis=-1)
    plt.figure(figsize=(4.2, 3.4))
    plt.contourf(side, side, losses, 25, cmap="GnBu")
    plt.plot(*np.array(path).T, "o-", color="#b3541e", markersize=3, linewidth=1)
    plt.plot(1, 2, "k*", markersize=11)
    plt.xlabel("w[0]")
    plt.ylabel("w[1]")
    save("descent.png")


if __name__ == "__main__":
    os.chdir(os.environ.get("TMPDIR", "/tmp"))
    Path(IMAGES).mkdir(exist_ok=True)
    first_model()
    descent()
