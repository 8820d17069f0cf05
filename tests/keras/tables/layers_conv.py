"""Convolutions and pooling."""

from tests.keras.tables import floats, layer

LINE = floats(2, 7, 3)
IMAGE = floats(2, 6, 5, 3)
VOLUME = floats(2, 4, 4, 3, 2)

ROWS = [
    layer("Conv1D", LINE, filters=2, kernel_size=3),
    layer("Conv1D", LINE, filters=2, kernel_size=3, padding="causal", dilation_rate=2),
    layer("Conv2D", IMAGE, filters=4, kernel_size=3, activation="relu"),
    layer("Conv2D", IMAGE, filters=4, kernel_size=(3, 2), strides=2, padding="same"),
    layer("Conv2D", IMAGE, filters=6, kernel_size=2, groups=3, use_bias=False),
    layer("Conv2D", IMAGE, filters=2, kernel_size=2, dilation_rate=2),
    layer("Conv3D", VOLUME, filters=2, kernel_size=2),
    layer("MaxPooling1D", LINE),
    layer("MaxPooling2D", IMAGE),
    layer("MaxPooling2D", IMAGE, pool_size=3, strides=2, padding="same"),
    layer("MaxPooling3D", VOLUME, _beyond=("mixed precision",)),  # no float16 kernel for a CPU
    layer("AveragePooling1D", LINE, pool_size=3, strides=2, padding="same"),
    layer("AveragePooling2D", IMAGE, pool_size=2, padding="same"),
    layer("AveragePooling3D", VOLUME, _beyond=("mixed precision",)),
    layer("GlobalAveragePooling1D", LINE),
    layer("GlobalAveragePooling2D", IMAGE),
    layer("GlobalAveragePooling2D", IMAGE, keepdims=True, data_format="channels_first"),
    layer("GlobalAveragePooling3D", VOLUME),
    layer("GlobalMaxPooling1D", LINE),
    layer("GlobalMaxPooling2D", IMAGE),
    layer("GlobalMaxPooling3D", VOLUME),
    layer("Conv1D", floats(2, 3, 5, 2), filters=2, kernel_size=3, padding="causal"),
]
