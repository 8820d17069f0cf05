"""Core layers."""

from tests.keras.tables import floats, inner, ints, layer, made
from tests.keras.tables.own_layers import own_layers

X = floats(2, 4)
SEQUENCE = floats(2, 3, 4)
GAPPY = SEQUENCE.copy()
GAPPY[0, 1] = GAPPY[1, 2] = 0

ROWS = [
    layer("Dense", X, units=3),
    layer("Dense", X, units=3, activation="relu", use_bias=False),
    layer("Dense", SEQUENCE, units=2, activation="softmax", kernel_regularizer="l2"),
    layer("Dense", floats(2, 3, 2, 4), units=2, activation="tanh"),
    layer("Activation", X, activation="gelu"),
    layer("Activation", X, activation="selu"),
    layer("Dropout", X, rate=0.5),
    layer("Dropout", X, {"training": True}, rate=0.5, seed=1, _random=True),
    layer("Dropout", X, {"training": True}, rate=0.0),
    layer("Flatten", SEQUENCE),
    layer("Flatten", SEQUENCE, data_format="channels_first"),
    layer("Flatten", floats(3)),
    layer("Reshape", SEQUENCE, target_shape=(2, 6)),
    layer("Reshape", SEQUENCE, target_shape=(-1, 2)),
    layer("Permute", SEQUENCE, dims=(2, 1)),
    layer("RepeatVector", X, n=3),
    layer("Masking", GAPPY),
    layer("Embedding", ints(2, 3), input_dim=5, output_dim=2),
    layer("Embedding", ints(2, 3), input_dim=5, output_dim=2, mask_zero=True),
    layer("Rescaling", X, scale=0.5, offset=-1.0),
    layer("InputLayer", X, input_shape=(4,)),
    layer("Layer", X),
    layer("Lambda", X, function=made(lambda tf: eval("lambda x: tf.square(x) + 1.0", {"tf": tf}))),
    layer("Lambda", X, function=made(lambda tf: lambda x, by=3.0: x * by), arguments={"by": 2.0}),
    layer("Wrapper", X, layer=inner("Dense", 2)),
    layer("own.Twice", X, layer=inner("Dense", 4, activation="tanh")),
    layer(
        "DenseFeatures",
        {"a": floats(2, 1), "b": floats(2, 1, seed=1)},
        feature_columns=made(lambda tf: [own_layers(tf)["Scaled"](key) for key in "ba"]),
        _beyond=("shape",),  # tf_keras looks for a first shape in the dict
    ),
    layer("Flatten", floats(2, 0, 3)),
]
