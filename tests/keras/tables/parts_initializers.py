"""Rows of `tf.keras.initializers`: the same seed gives the same numbers."""

from typing import Any

from tests.keras.tables.parts import Row, again, config, spread

RANDOM = """GlorotUniform GlorotNormal HeUniform HeNormal LecunUniform LecunNormal RandomNormal
RandomUniform TruncatedNormal VarianceScaling Orthogonal glorot_uniform glorot_normal he_uniform
he_normal lecun_uniform lecun_normal random_normal random_uniform truncated_normal
variance_scaling orthogonal""".split()
CONSTANT = "Zeros Ones Constant Identity zeros ones constant identity".split()


def _drawn(tf: Any, kind: Any, row: Row) -> Any:
    made = kind(**row.kwargs)
    shape, options = row.inputs
    return [
        spread(made(shape, **options)),
        spread(again(made)(shape, **options)),
        config(tf, made),
        made.get_config(),
    ]


def drawn(name: str, shape: Any, _call: Any = None, **kwargs: Any) -> Row:
    """An initializer, called with a shape and perhaps a dtype."""
    return Row(name, kwargs, (shape, _call or {}), _drawn, tolerance=1e-6)


ROWS = [
    *[drawn(name, (4, 3), seed=7) for name in RANDOM],
    *[drawn(name, (4, 3), {"dtype": "float64"}, seed=7) for name in RANDOM],
    *[drawn(name, (2, 3, 2, 4), seed=1) for name in RANDOM],
    *[drawn(name, (5,), {"dtype": "float16"}, seed=1) for name in RANDOM[:9]],
    *[drawn(name, (3, 3)) for name in CONSTANT],
    *[drawn(name, (3, 2), {"dtype": "int32"}) for name in CONSTANT],
    drawn("Zeros", (2,), {"dtype": "string"}),
    drawn("Ones", (2,), {"dtype": "bool"}),
    drawn("Constant", (2, 2), value=1.5),
    drawn("Constant", (2, 2), {"dtype": "bool"}, value=1),
    drawn("Constant", (2, 2), value=[1.0, 2.0, 3.0, 4.0]),
    drawn("Constant", (2, 2), value=[1.0, 2.0, 3.0]),
    drawn("Identity", (3, 2), gain=2.0),
    drawn("Identity", (3,)),
    drawn("Identity", (3, 3, 3)),
    drawn("RandomNormal", (3, 2), mean=5.0, stddev=0.5, seed=3),
    drawn("RandomUniform", (3, 2), minval=-1.0, maxval=3.0, seed=3),
    drawn("RandomUniform", (3, 2), {"dtype": "int32"}, minval=-5, maxval=30, seed=3),
    drawn("RandomNormal", (3, 2), {"dtype": "int32"}, seed=3),
    drawn("TruncatedNormal", (3, 2), mean=5.0, stddev=0.5, seed=3),
    *[
        drawn("VarianceScaling", (3, 2, 4), scale=2.0, mode=mode, distribution=shape, seed=7)
        for mode in ("fan_in", "fan_out", "fan_avg")
        for shape in ("untruncated_normal", "truncated_normal", "uniform", "normal")
    ],
    drawn("VarianceScaling", (3, 2), scale=-1.0),
    drawn("VarianceScaling", (3, 2), mode="fan"),
    drawn("VarianceScaling", (3, 2), distribution="cauchy"),
    drawn("GlorotUniform", (3, 2), {"dtype": "int32"}, seed=1),
    drawn("GlorotUniform", (), seed=1),
    drawn("GlorotUniform", (3,), seed=1),
    drawn("GlorotUniform", (3, 0), seed=1),
    drawn("Orthogonal", (3, 4), gain=2.0, seed=2),
    drawn("Orthogonal", (3,), seed=2),
    drawn("GlorotUniform", (3, 2), {"partition_shape": (2, 2), "partition_offset": (0, 0)}, seed=1),
    drawn("Zeros", (3, 2), {"partition_shape": (2, 2), "partition_offset": (0, 0)}),
    drawn("Zeros", (3, 2), {"color": 1}),
]
