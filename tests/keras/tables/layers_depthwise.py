"""Convolutions of each channel by itself."""

from tests.keras.tables import floats, layer

LINE = floats(2, 7, 3)
IMAGE = floats(2, 6, 5, 3)

ROWS = [
    layer("DepthwiseConv1D", LINE, kernel_size=3),
    layer("DepthwiseConv1D", LINE, kernel_size=2, strides=2, padding="same", depth_multiplier=2),
    layer("DepthwiseConv2D", IMAGE, kernel_size=3),
    layer("DepthwiseConv2D", IMAGE, kernel_size=3, strides=2, padding="same", activation="relu"),
    layer("DepthwiseConv2D", IMAGE, kernel_size=2, depth_multiplier=2, use_bias=False),
    layer("DepthwiseConv2D", IMAGE, kernel_size=2, dilation_rate=2),
    layer("SeparableConv1D", LINE, filters=4, kernel_size=3),
    layer("SeparableConv1D", LINE, filters=4, kernel_size=3, padding="causal"),
    layer("SeparableConv2D", IMAGE, filters=4, kernel_size=3, padding="same"),
    layer("SeparableConv2D", IMAGE, filters=2, kernel_size=2, strides=2, depth_multiplier=2),
]
