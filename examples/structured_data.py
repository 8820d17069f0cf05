"""From a table with words, numbers and gaps to a decision: which loans will be repaid?

Every column has a preprocessing layer; most learn from the table (`adapt`). They run inside
`tf.data` while training; the model that is saved contains them, and takes the table as it is.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import runnel as tf

QUICK = "--quick" in sys.argv  # few rows, to see whether it runs
FILE, PICTURE = "structured_data.keras", "structured_data.png"
layers = tf.keras.layers

JOBS = ["baker", "driver", "nurse", "painter", "pilot", "teacher"]
GOALS = ["car", "house", "journey", "studies"]


def table(count: int, seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Made-up applications, and whether the loan was repaid."""
    random = np.random.default_rng(seed)
    job, goal = random.integers(0, len(JOBS), count), random.integers(0, len(GOALS), count)
    age, income = random.integers(18, 80, count), random.lognormal(10.3, 0.4, count)
    amount = random.lognormal(9.5, 0.8, count)
    points = np.array([-0.5, 0, 0.6, -0.4, 1.2, 0.5])[job] + np.array([-0.6, 0.9, -0.8, 0.3])[goal]
    points += 2 - 1.5 * np.log1p(amount / income * 2) + np.where(abs(age - 45) < 15, 1.0, -0.5)
    points += np.where((job == 3) & (goal == 3), 3.0, 0.0)  # painters who study always repay
    columns = {
        "job": np.where(random.random(count) < 0.05, "", np.array(JOBS)[job]),  # gaps
        "goal": np.array(GOALS)[goal],
        "age": np.int64(age),
        "income": np.float32(income),
        "amount": np.float32(amount),
    }
    return columns, np.float32(random.random(count) < 1 / (1 + np.exp(-2 * points)))


def make_models(columns: dict[str, np.ndarray]) -> tuple[tf.keras.Model, tf.keras.Model]:
    """From raw columns to numbers, and from these to a probability."""
    kinds = {"job": tf.string, "goal": tf.string, "age": tf.int64}
    inputs = {n: tf.keras.Input((1,), name=n, dtype=kinds.get(n, tf.float32)) for n in columns}
    parts = []
    for name in ("job", "goal"):
        lookup = layers.StringLookup(mask_token="", output_mode="one_hot")
        lookup.adapt(columns[name])
        parts.append(lookup(inputs[name]))
    cross = layers.HashedCrossing(64, output_mode="one_hot")((inputs["job"], inputs["goal"]))
    ages = layers.Discretization(list(range(25, 75, 5)), output_mode="one_hot")
    parts += [cross, ages(inputs["age"])]
    for name in ("income", "amount"):
        scale = layers.Normalization(axis=None)
        scale.adapt(np.log(columns[name]))
        parts.append(scale(tf.math.log(inputs[name])))
    features = layers.Concatenate()(parts)
    numbers = tf.keras.Input(features.shape[1:])
    x = layers.Dropout(0.2)(layers.Dense(32, activation="relu")(numbers))
    predict = tf.keras.Model(numbers, layers.Dense(1, activation="sigmoid")(x))
    return tf.keras.Model(inputs, features), predict


def show(model: tf.keras.Model) -> None:
    """The chance of those who want to study, by job and age."""
    plt.figure().add_subplot(xlabel="age", ylabel="chance that a loan for studies is repaid")
    ages = np.arange(18, 80)
    for job in JOBS:
        person = {"job": job, "goal": "studies", "income": 30_000.0, "amount": 40_000.0}
        columns = {name: np.full(len(ages), value) for name, value in person.items()}
        plt.plot(ages, model.predict(columns | {"age": ages}, verbose=0), label=job)
    plt.legend()
    plt.savefig(PICTURE)


def main() -> None:
    plt.switch_backend("Agg")  # a file, no window
    tf.keras.utils.set_random_seed(1)
    columns, repaid = table(2000 if QUICK else 20_000, seed=1)
    test_columns, test_repaid = table(2000, seed=2)
    prepare, predict = make_models(columns)
    rows = tf.data.Dataset.from_tensor_slices((columns, repaid)).shuffle(20_000, seed=1).batch(64)
    batches = rows.map(lambda x, y: (prepare(x), y), num_parallel_calls=tf.data.AUTOTUNE)
    predict.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    predict.fit(batches.cache().prefetch(2), epochs=8 if QUICK else 15, verbose=2)

    whole = tf.keras.Model(prepare.inputs, predict(prepare.output))
    whole.save(FILE)
    loaded = tf.keras.models.load_model(FILE)
    loaded.compile(loss="binary_crossentropy", metrics=["accuracy", tf.keras.metrics.AUC()])
    _, accuracy, area = loaded.evaluate(test_columns, test_repaid, verbose=0)
    show(loaded)
    always = max(test_repaid.mean(), 1 - test_repaid.mean())
    print(f"test accuracy {accuracy:.1%}, {always:.1%} by saying the same to all;", end=" ")
    print(f"area under the curve {area:.3f}; the model is in {FILE}; see {PICTURE}")


if __name__ == "__main__":
    main()
