"""Zeros around the inputs, and parts of them cut off."""

from tests.keras.tables import floats, layer

LINE = floats(2, 5, 3)
IMAGE = floats(2, 5, 6, 2)
VOLUME = floats(1, 4, 4, 5, 2)

ROWS = [
    layer("ZeroPadding1D", LINE),
    layer("ZeroPadding1D", LINE, padding=(0, 2)),
    layer("ZeroPadding2D", IMAGE),
    layer("ZeroPadding2D", IMAGE, padding=((1, 0), (2, 1))),
    layer("ZeroPadding2D", IMAGE, padding=(2, 1), data_format="channels_first"),
    layer("ZeroPadding3D", VOLUME, padding=((1, 0), (0, 1), (2, 2))),
    layer("Cropping1D", LINE),
    layer("Cropping1D", LINE, cropping=(0, 2)),
    layer("Cropping2D", IMAGE, cropping=((1, 0), (2, 1))),
    layer("Cropping2D", IMAGE, cropping=1, data_format="channels_last"),
    layer("Cropping3D", VOLUME),
    layer("Cropping3D", VOLUME, cropping=(0, 1, 2)),
]
