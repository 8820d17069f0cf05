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
    layer("BatchNormalization", IMAGE, {"training": True}, fused=False),
    layer("BatchNormalization", X, {"training": True}, renorm=True, renorm_momentum=0.9),
    layer(
        "BatchNormalization",
        IMAGE,
        {"training": True},
        renorm=True,
        axis=1,
        center=False,
        renorm_clipping={"rmax": 1.5, "rmin": 0.5, "dmax": 0.3},
    ),
    layer("BatchNormalization", X, renorm=True, scale=False),
]
