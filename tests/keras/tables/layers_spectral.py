"""`SpectralNormalization`."""

from tests.keras.tables import floats, inner, layer

ROWS = [
    layer("SpectralNormalization", floats(2, 4), layer=inner("Dense", 3)),
    layer(
        "SpectralNormalization",
        floats(2, 4, 4, 2),
        {"training": True},
        layer=inner("Conv2D", 3, 2),
        power_iterations=2,
        _tolerance=1e-4,
    ),
]
