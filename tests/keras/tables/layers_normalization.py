"""Normalisation."""

from tests.keras.tables import floats, layer

X = floats(4, 3)
IMAGE = floats(2, 3, 4, 3)

ROWS = [
    layer("BatchNormalization", X),
    layer("BatchNormalization", X, {"training": True}),
    layer("BatchNormalization", IMAGE, {"training": True}, momentum=0.5),
    layer("BatchNormalization", IMAGE, center=False, epsilon=0.1),
    layer("BatchNormalization", IMAGE, {"training": True}, axis=1, scale=False),
    layer("BatchNormalization", floats(4, 5, 3), {"training": True}, axis=-1),
    layer("LayerNormalization", X),
    layer("LayerNormalization", IMAGE, axis=(1, 3), epsilon=1e-2),
    layer("LayerNormalization", IMAGE, axis=-1, center=False),
]
