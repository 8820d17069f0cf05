"""Layers of noise, and of penalties."""

from tests.keras.tables import floats, layer

X, SEQUENCE = floats(2, 4), floats(2, 3, 4)
TRAINING = {"training": True}

ROWS = [
    layer("GaussianNoise", X, stddev=0.5),
    layer("GaussianNoise", X, TRAINING, stddev=0.5, seed=3, _random=True),
    layer("GaussianDropout", X, rate=0.5),
    layer("GaussianDropout", X, TRAINING, rate=0.5, _random=True),
    layer("GaussianDropout", X, TRAINING, rate=0.0),
    layer("AlphaDropout", X, rate=0.5),
    layer("AlphaDropout", X, TRAINING, rate=0.5, noise_shape=(2, 1), seed=1, _random=True),
    layer("SpatialDropout1D", SEQUENCE, rate=0.5),
    layer("SpatialDropout1D", SEQUENCE, TRAINING, rate=0.5, _random=True),
    layer("SpatialDropout2D", floats(2, 3, 3, 2), TRAINING, rate=0.5, _random=True),
    layer("SpatialDropout2D", floats(2, 3, 3, 2), rate=0.5, data_format="channels_first"),
    layer("SpatialDropout3D", floats(2, 2, 2, 2, 3), TRAINING, rate=0.5, _random=True),
    layer("ActivityRegularization", X, l1=0.5, l2=0.25),
]
