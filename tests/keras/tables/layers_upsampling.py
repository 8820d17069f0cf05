"""Layers whose outputs are longer than their inputs."""

from tests.keras.tables import floats, layer

SEQUENCE, IMAGE, VOLUME = floats(2, 4, 3), floats(2, 3, 4, 2), floats(1, 2, 3, 2, 2)

ROWS = [
    layer("UpSampling1D", SEQUENCE),
    layer("UpSampling1D", SEQUENCE, size=3),
    layer("UpSampling2D", IMAGE),
    layer("UpSampling2D", IMAGE, size=(2, 3), data_format="channels_first"),
    layer("UpSampling2D", IMAGE, size=(3, 2), interpolation="bilinear"),
    layer("UpSampling2D", IMAGE, interpolation="bicubic"),
    layer("UpSampling2D", IMAGE, interpolation="area", _gradient=False),
    layer("UpSampling3D", VOLUME),
    layer("UpSampling3D", VOLUME, size=(1, 2, 3), data_format="channels_first"),
    layer("Conv1DTranspose", SEQUENCE, filters=2, kernel_size=3),
    layer(
        "Conv1DTranspose",
        SEQUENCE,
        filters=2,
        kernel_size=3,
        strides=2,
        padding="same",
        activation="relu",
    ),
    layer("Conv1DTranspose", SEQUENCE, filters=2, kernel_size=3, strides=2, output_padding=1),
    layer("Conv2DTranspose", IMAGE, filters=3, kernel_size=3),
    layer(
        "Conv2DTranspose",
        IMAGE,
        filters=2,
        kernel_size=(3, 2),
        strides=2,
        padding="same",
        use_bias=False,
        kernel_regularizer="l2",
    ),
    layer("Conv2DTranspose", IMAGE, filters=2, kernel_size=2, strides=(3, 2)),
    layer(
        "Conv2DTranspose",
        IMAGE,
        filters=2,
        kernel_size=3,
        strides=(2, 2),
        padding="same",
        output_padding=(1, 0),
    ),
    layer("Conv2DTranspose", IMAGE, filters=2, kernel_size=2, dilation_rate=2),
    layer("Conv3DTranspose", VOLUME, filters=2, kernel_size=2, strides=2),
    layer(
        "Conv3DTranspose",
        VOLUME,
        filters=3,
        kernel_size=(1, 2, 3),
        strides=(2, 1, 2),
        padding="same",
    ),
    layer("Conv3DTranspose", VOLUME, filters=2, kernel_size=2, dilation_rate=2),
]
