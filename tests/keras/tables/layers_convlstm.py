"""Recurrent layers whose products are convolutions."""

from tests.keras.tables import floats, layer

SEQUENCE, IMAGES, VOLUMES = floats(2, 3, 5, 2), floats(2, 3, 4, 4, 2), floats(1, 2, 3, 3, 3, 1)

ROWS = [
    layer("ConvLSTM1D", SEQUENCE, filters=2, kernel_size=3),
    layer("ConvLSTM2D", IMAGES, filters=2, kernel_size=3, padding="same", return_sequences=True),
    layer("ConvLSTM2D", IMAGES, filters=2, kernel_size=(2, 3), strides=2, return_state=True),
    layer("ConvLSTM2D", IMAGES, filters=2, kernel_size=2, use_bias=False, go_backwards=True),
    layer("ConvLSTM3D", VOLUMES, filters=2, kernel_size=2),
]
