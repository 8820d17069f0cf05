"""Locally connected layers."""

from tests.keras.tables import floats, layer

SEQUENCE, IMAGE = floats(2, 6, 3), floats(2, 5, 4, 2)

ROWS = [
    layer("LocallyConnected1D", SEQUENCE, filters=2, kernel_size=3),
    layer("LocallyConnected1D", SEQUENCE, filters=2, kernel_size=2, strides=2, activation="relu"),
    layer("LocallyConnected2D", IMAGE, filters=3, kernel_size=2),
    layer(
        "LocallyConnected2D", IMAGE, filters=2, kernel_size=(3, 2), strides=(2, 1), use_bias=False
    ),
    layer("LocallyConnected2D", IMAGE, filters=2, kernel_size=2, data_format="channels_first"),
    layer("LocallyConnected1D", SEQUENCE, filters=2, kernel_size=3, implementation=2),
    layer(
        "LocallyConnected1D",
        SEQUENCE,
        filters=2,
        kernel_size=3,
        strides=2,
        padding="same",
        implementation=3,
    ),
    layer(
        "LocallyConnected1D",
        SEQUENCE,
        filters=2,
        kernel_size=2,
        data_format="channels_first",
        implementation=3,
    ),
    layer("LocallyConnected2D", IMAGE, filters=3, kernel_size=2, padding="same", implementation=2),
    layer(
        "LocallyConnected2D",
        IMAGE,
        filters=2,
        kernel_size=2,
        data_format="channels_first",
        implementation=2,
    ),
    layer(
        "LocallyConnected2D",
        IMAGE,
        filters=2,
        kernel_size=(3, 2),
        strides=(2, 1),
        padding="same",
        implementation=3,
    ),
]
