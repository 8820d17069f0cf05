"""Samples of special functions: error function, gamma, Bessel and others."""

import numpy as np

from tests.samples import floats, ints, positive, sample

NAN, INF = np.nan, np.inf
EDGES = np.array([NAN, INF, -INF, 0.0, 1.0, -1.0, 2.0, 0.5], np.float32)
UNIT = floats(3, 4, low=-0.9, high=0.9)
SHARES = floats(3, 4, low=0.05, high=0.95)

INPUTS = {
    "Erf": floats(3, 4),
    "Erfc": floats(3, 4),
    "Erfinv": UNIT,
    "Ndtri": SHARES,
    "Lgamma": positive(3, 4),
    "Digamma": positive(3, 4),
    "Dawsn": floats(3, 4),
    "Expint": positive(3, 4),
    "FresnelCos": floats(3, 4),
    "FresnelSin": floats(3, 4),
    "Spence": positive(3, 4),
    **{f"Bessel{k}": floats(3, 4) for k in ("I0", "I0e", "I1", "I1e", "J0", "J1")},
    **{f"Bessel{k}": positive(3, 4) for k in ("K0", "K0e", "K1", "K1e", "Y0", "Y1")},
}

ROWS = [
    *[
        row
        for name, x in INPUTS.items()
        for row in (
            sample(name, x, tolerance=1e-4),
            sample(name, x.astype(np.float64), tolerance=1e-7),
            sample(name, ints(3)),
        )
    ],
    *[
        sample(name, EDGES, gradient=False, tolerance=1e-4)
        for name in INPUTS
        if name not in ("BesselY1", "Dawsn")  # TensorFlow: NaN at 0 in float32; 0 at infinity
    ],
    *[
        sample(name, INPUTS[name].astype(np.float16), second=False, tolerance=1e-2)
        for name in ("Erf", "Erfc", "Lgamma", "BesselI0e", "BesselI1e")
    ],
    *[
        sample(f"Bessel{k}", np.zeros(2, np.float32), second=False, differences=False)
        for k in ("I1", "I1e", "J1")
    ],
    sample("Spence", np.array([1.0, 2.0], np.float32), second=False),
    sample(
        "Polygamma",
        np.array([0.0, 1.0, 2.0, 3.0], np.float32),
        positive(4),
        tolerance=1e-4,
        differences=False,
    ),
    sample("Polygamma", np.array([1.5, -1.0], np.float32), positive(2), gradient=False),
    sample(
        "Zeta",
        np.array([1.5, 2.0, 3.0, 4.0], np.float32),
        positive(4),
        tolerance=1e-4,
        differences=False,
    ),
    sample(
        "Zeta",
        np.array([2.0, 1.0, 0.5, 3.0, 3.0], np.float32),
        np.array([1.0, 2.0, 1.0, 0.0, -1.0], np.float32),
        gradient=False,
    ),
    sample("Igamma", positive(3, 4), positive(4, seed=1), tolerance=1e-4, second=False),
    sample(
        "Igamma",
        np.array([1, -1, 0, INF, 2, 2], np.float32),
        np.array([2, 1, 0, 1, INF, -1], np.float32),
        gradient=False,
    ),
    sample(
        "Igamma",
        positive(3, dtype="float64"),
        positive(3, dtype="float64", seed=1),
        tolerance=1e-7,
        second=False,
    ),
    sample("Igammac", positive(3, 4), positive(4, seed=1), tolerance=1e-4, second=False),
    sample(
        "Igammac",
        np.array([1, -1, 0, INF, 2, 2], np.float32),
        np.array([2, 1, 0, 1, INF, -1], np.float32),
        gradient=False,
    ),
    sample("IgammaGradA", positive(3, 4), positive(4, seed=1), gradient=False, tolerance=1e-4),
    sample(
        "Betainc",
        positive(3),
        positive(3, seed=1),
        SHARES[0, :3],
        tolerance=1e-4,
        differences=False,
    ),
    sample(
        "Betainc",
        positive(3),
        np.float32(2.0),
        SHARES[0, :3],
        tolerance=1e-4,
        second=False,
        differences=False,
    ),
    sample("Betainc", np.float32(1.5), np.float32(2.0), SHARES, tolerance=1e-4, differences=False),
    sample(
        "Betainc",
        np.array([-1, 0, 2, 2, 2, 2], np.float32),
        np.array([1, 0, 2, 2, 2, 2], np.float32),
        np.array([0.5, 0.5, -1, 2, 0, 1], np.float32),
        gradient=False,
    ),
    sample("Betainc", positive(1, 2), positive(2, 1), np.float32(0.5)),
]
