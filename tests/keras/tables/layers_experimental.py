"""Layers of `tf.keras.layers.experimental`."""

from tests.keras.tables import floats, layer

MATRIX = floats(4, 3)

ROWS = [
    layer("experimental.RandomFourierFeatures", MATRIX, output_dim=5),
    layer(
        "experimental.RandomFourierFeatures",
        MATRIX,
        output_dim=2,
        kernel_initializer="laplacian",
        scale=2.0,
        trainable=True,
    ),
    layer("experimental.SyncBatchNormalization", MATRIX, {"training": True}),
    layer("experimental.SyncBatchNormalization", floats(2, 3, 3, 2), {"training": False}, axis=1),
    layer("experimental.EinsumDense", MATRIX, equation="ab,bc->ac", output_shape=2, bias_axes="c"),
]
