"""`EinsumDense`, and normalizations that keep no statistics."""

from tests.keras.tables import floats, layer

X, SEQUENCE = floats(2, 4), floats(2, 3, 4)

ROWS = [
    layer("EinsumDense", X, equation="ab,bc->ac", output_shape=3),
    layer("EinsumDense", X, equation="ab,bc->ac", output_shape=3, bias_axes="c", activation="relu"),
    layer(
        "EinsumDense",
        SEQUENCE,
        equation="abc,cd->abd",
        output_shape=(None, 5),
        bias_axes="d",
    ),
    layer(
        "EinsumDense",
        SEQUENCE,
        equation="...x,xy->...y",
        output_shape=5,
        bias_axes="y",
    ),
    layer(
        "EinsumDense", SEQUENCE, equation="abc,cde->abde", output_shape=(3, 2, 2), bias_axes="de"
    ),
    layer("UnitNormalization", SEQUENCE),
    layer("UnitNormalization", SEQUENCE, axis=(1, 2)),
    layer("GroupNormalization", floats(2, 3, 3, 4), groups=2),
    layer("GroupNormalization", SEQUENCE, groups=-1),
    layer("GroupNormalization", SEQUENCE, groups=1, axis=1, epsilon=0.1, scale=False),
    layer("GroupNormalization", floats(2, 3, 3, 4), groups=4, center=False),
]
