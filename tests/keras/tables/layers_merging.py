"""Layers of several inputs."""

from tests.keras.tables import floats, layer

A, B, C = floats(2, 3), floats(2, 3, seed=1), floats(2, 3, seed=2)

ROWS = [
    layer("Add", [A, B, C]),
    layer("Add", [floats(2, 4, 3), floats(2, 1, 3, seed=1)]),
    layer("Subtract", [A, B]),
    layer("Multiply", [A, B, C]),
    layer("Average", [A, B, C]),
    layer("Maximum", [A, B, C]),
    layer("Minimum", [A, B]),
    layer("Concatenate", [A, B]),
    layer("Concatenate", [floats(2, 3, 4), floats(2, 2, 4, seed=1)], axis=1),
    layer("Dot", [A, B], axes=1),
    layer("Dot", [A, B], axes=1, normalize=True),
    layer("Dot", [floats(2, 3, 4), floats(2, 5, 4, seed=1)], axes=2),
    layer("Dot", [floats(2, 3, 4), floats(2, 4, 5, seed=1)], axes=(2, 1)),
]
