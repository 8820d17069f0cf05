"""Forecast tomorrow's temperatures, hour by hour, from the last three days.

A series of hours with seasons, days and weather that comes and goes is cut into windows; a
recurrent network forecasts 24 hours and is compared with the forecast "as today".
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import runnel as tf

QUICK = "--quick" in sys.argv  # few months, to see whether it runs
PICTURE = "forecasting.png"
layers = tf.keras.layers

PAST, FUTURE = 72, 24


def weather(hours: int) -> np.ndarray:
    """Temperature and cloudiness of each hour; a front of clouds passes every four or five days."""
    random = np.random.default_rng(1)
    time = np.arange(hours)
    drift = np.cumsum(random.normal(0, 0.05, hours))
    clouds = 1 / (1 + np.exp(-3 * np.sin(2 * np.pi * time / 110 + drift)))
    season = -10 * np.cos(2 * np.pi * time / (365 * 24))
    day = -6 * np.cos(2 * np.pi * (time % 24 - 3) / 24) * (1 - 0.8 * clouds)
    temperature = 10 + season + day - 3 * clouds + random.normal(0, 0.3, hours)
    return np.float32(np.stack([temperature, clouds], axis=1))


def windows(series: np.ndarray, shuffle: bool) -> tf.data.Dataset:
    """Batches of three days and the temperatures of the day after."""
    whole = tf.keras.utils.timeseries_dataset_from_array(
        series, None, PAST + FUTURE, sequence_stride=5, batch_size=64, shuffle=shuffle, seed=1
    )
    return whole.map(lambda part: (part[:, :PAST], part[:, PAST:, 0]))


def make_model(series: np.ndarray) -> tf.keras.Model:
    scale = layers.Normalization()
    scale.adapt(series)
    past = tf.keras.Input((PAST, 2), name="past")
    state = layers.GRU(32)(scale(past))
    change = layers.Dense(FUTURE)(state)
    model = tf.keras.Model(past, past[:, -FUTURE:, 0] + change)  # what differs from today
    model.compile(tf.keras.optimizers.Adam(5e-3), "mse", metrics=["mae"])
    return model


def show(past: np.ndarray, truth: np.ndarray, forecast: np.ndarray) -> None:
    plt.switch_backend("Agg")  # a file, no window
    _, axes = plt.subplots(3, 1, sharex=True, figsize=(8, 7))
    for i, axis in enumerate(axes):
        axis.plot(range(-PAST, 0), past[i, :, 0], "k")
        axis.plot(range(FUTURE), truth[i], "k:", label="what came")
        axis.plot(range(FUTURE), forecast[i], "C1", label="forecast")
        axis.set(ylabel="°C")
    axes[0].legend()
    axes[-1].set(xlabel="hours from now")
    plt.savefig(PICTURE)


def main() -> None:
    tf.keras.utils.set_random_seed(1)
    series = weather(4000 if QUICK else 30_000)
    cut = int(0.8 * len(series))
    train, test = windows(series[:cut], shuffle=True), windows(series[cut:], shuffle=False)
    model = make_model(series[:cut])
    slower = tf.keras.callbacks.ReduceLROnPlateau("loss", factor=0.3, patience=2)
    epochs = 4 if QUICK else 15
    model.fit(train, epochs=epochs, validation_data=test, callbacks=[slower], verbose=2)
    _, error = model.evaluate(test, verbose=0)
    differences = [np.abs(past[:, -FUTURE:, 0] - truth) for past, truth in test.as_numpy_iterator()]
    past, truth = next(test.unbatch().shuffle(2000, seed=2).batch(3).as_numpy_iterator())
    show(past, truth, model.predict(past, verbose=0))
    naive = np.concatenate(differences).mean()
    print(
        f"forecasts are off by {error:.2f} °C, {naive:.2f} °C by saying 'as today'; see {PICTURE}"
    )


if __name__ == "__main__":
    main()
