"""Predict how long a taxi ride takes and whether the guest tips: a wide and deep model.

It has five inputs and two outputs. The wide part remembers pairs of categories (from where to
where) by a crossed column, the deep part learns from embeddings and numbers. Inputs and outputs
have names; each output has its loss, weight and metrics.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import runnel as tf

QUICK = "--quick" in sys.argv  # few rides, to see whether it runs
PICTURE = "wide_and_deep.png"
layers = tf.keras.layers

DISTRICTS = ["airport", "harbour", "market", "old town", "station", "suburb", "university"]


def rides(count: int, seed: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Made-up rides: a map of distances, a rush hour, and guests who tip on some routes."""
    city = np.random.default_rng(0)  # the same city for all seeds
    places = city.uniform(0, 12, (len(DISTRICTS), 2))
    generosity = city.normal(0, 2, (len(DISTRICTS), len(DISTRICTS)))
    random = np.random.default_rng(seed)
    start, end = random.integers(0, len(DISTRICTS), (2, count))
    hour, guests = random.uniform(0, 24, count), random.integers(1, 5, count)
    distance = np.linalg.norm(places[start] - places[end], axis=1) + random.gamma(2, 0.5, count)
    rush = np.exp(-((hour - 8) ** 2) / 4) + np.exp(-((hour - 17) ** 2) / 6)
    minutes = 3 + distance * (1.6 + 1.5 * rush) + random.normal(0, 1, count)
    tips = random.random(count) < 1 / (1 + np.exp(-generosity[start, end] + 0.3 * guests - 0.5))
    inputs = {
        "start": np.array(DISTRICTS)[start],
        "end": np.array(DISTRICTS)[end],
        "hour": np.float32(hour),
        "guests": np.float32(guests),
        "distance": np.float32(distance),
    }
    return inputs, {"minutes": np.float32(minutes), "tip": np.float32(tips)}


def make_model(examples: dict[str, np.ndarray]) -> tf.keras.Model:
    names = {"start": tf.string, "end": tf.string}
    inputs = {n: tf.keras.Input((1,), dtype=names.get(n), name=n) for n in examples}
    wide = layers.HashedCrossing(300, output_mode="one_hot")([inputs["start"], inputs["end"]])
    parts = []
    for name in names:
        index = layers.StringLookup(vocabulary=DISTRICTS)(inputs[name])
        parts.append(layers.Flatten()(layers.Embedding(len(DISTRICTS) + 1, 4)(index)))
    for name in ("guests", "distance"):
        scale = layers.Normalization(axis=None)
        scale.adapt(examples[name])
        parts.append(scale(inputs[name]))
    hour = layers.Discretization(bin_boundaries=list(range(1, 24)), output_mode="one_hot")
    deep = layers.Concatenate()([*parts, hour(inputs["hour"])])
    for _ in range(2):
        deep = layers.Dense(64, activation="relu")(deep)
    minutes = layers.Dense(1, name="minutes")(deep)
    tip = layers.Dense(1, activation="sigmoid", name="tip")(layers.Concatenate()([wide, deep]))
    return tf.keras.Model(inputs, {"minutes": minutes, "tip": tip})


def show(model: tf.keras.Model) -> None:
    """Where guests tip: each route at noon."""
    side = len(DISTRICTS)
    routes = {"start": np.repeat(DISTRICTS, side), "end": np.tile(DISTRICTS, side)}
    routes |= {n: np.full(side**2, x) for n, x in (("hour", 12), ("guests", 2), ("distance", 6))}
    plt.switch_backend("Agg")  # a file, no window
    plt.figure().add_subplot(xlabel="to", ylabel="from")
    plt.imshow(model.predict(routes, verbose=0)["tip"].reshape(side, side))
    plt.xticks(range(side), DISTRICTS, rotation=30)
    plt.yticks(range(side), DISTRICTS)
    plt.colorbar(label="chance of a tip")
    plt.savefig(PICTURE, bbox_inches="tight")


def main() -> None:
    tf.keras.utils.set_random_seed(1)
    inputs, outputs = rides(3000 if QUICK else 20_000, seed=1)
    test_inputs, test_outputs = rides(2000, seed=2)
    model = make_model(inputs)
    model.compile(
        tf.keras.optimizers.Adam(3e-3),
        loss={"minutes": "mse", "tip": "binary_crossentropy"},
        loss_weights={"minutes": 0.05, "tip": 1.0},
        metrics={"minutes": "mae", "tip": [tf.keras.metrics.AUC(name="auc")]},
    )
    model.fit(inputs, outputs, batch_size=64, epochs=5 if QUICK else 12, verbose=2)
    result = model.evaluate(test_inputs, test_outputs, verbose=0, return_dict=True)
    show(model)
    always = np.abs(test_outputs["minutes"] - outputs["minutes"].mean()).mean()
    print(f"off by {result['minutes_mae']:.2f} minutes, {always:.2f} by saying the mean;", end=" ")
    print(f"area under the curve of tips {result['tip_auc']:.3f}; see {PICTURE}")


if __name__ == "__main__":
    main()
