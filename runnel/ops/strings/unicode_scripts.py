"""The scripts in which characters are written, by ICU's numbers: `tf.strings.unicode_script`."""

from __future__ import annotations

import functools
import unicodedata

import numpy as np

from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.values.types import Array, Namespace, TensorLike
from runnel.ops.shapes import same

_POINTS = 0x110000
_POINTS_FOR_TABLE = 1 << 16  # of fewer, those that occur are sorted: a table takes 3 ms
_UNKNOWN = 103
_UNASSIGNED = ("Cn", "Co", "Cs")

# Unicode's property Script in runs: how far after the last one a run begins, and its script, in
# hexadecimal. A run goes on over characters that are not assigned, which `unicodedata` knows.
_RUNS = """
0.0 41.19 1a.0 6.19 1a.0 2f.19 1.0 f.19 1.0 5.19 17.0 1.19 1f.0 1.19 1c1.0 27.19 5.0 5.5 2.0
14.1 70.e 4.0 1.e 9.0 1.e 6.0 1.e 1.0 1.e 5a.7 e.e 10.8 85.1 2.8 aa.3 60.13 6f.2 5.0 1.2 6.0 1.2
e.0 1.2 1.67 1.2 1.0 1.2 20.0 1.2 a.1 b.2 1a.1 1.2 6c.0 1.2 22.22 50.2 30.25 40.57 40.7e 40.54
20.22 10.67 30.2 15.67 1.2 12.67 b.2 f.0 1.2 1d.a 51.1 4.a f.0 2.a 1a.4 81.10 80.f 80.1f 81.23
7e.24 3c.67 1.24 20.67 3.24 20.15 5d.67 1.15 22.1a 81.21 80.26 3e.0 1.26 41.18 7f.27 d5.0 4.27
27.1c a0.c 5b.0 1.c 4.12 100.b 1a0.6 60.28 280.1d 20.20 4b.0 3.20 12.2a d.67 1.2a 7.67 b.2b 15.0
b.2c 20.2d 20.17 80.1b 2.0 2.1b 1.0 1.1b 9.67 1.1b a0.28 50.30 50.34 30.3b 60.17 20.37 20.6a
90.1 11.67 3f.3e 4c.67 4.3e 2d.67 3.71 40.3f 40.52 50.6d 30.8 10.c 30.71 10.1 3.0 1.1 d.0 1.1
7.0 4.1 1.0 6.1 1.0 3.1 2.0 6.19 26.e 5.8 1.19 31.e 5.19 4.e 5.19 d.8 1.19 46.e 1.1 3a.67 1.1
5.19 100.e 100.0 c.1 2.0 63.19 3.0 b.19 1.0 10.19 10.0 20.67 10.1 30.0 26.e 1.0 3.19 2.0 6.19
1.0 1b.19 1.0 11.19 29.0 677.2e 100.0 300.38 2f.67 1.38 2f.67 1.19 20.7 80.c 30.3c 50.b 60.8
20.0 53.67 2d.11 170.0 15.11 1.0 1.11 1.0 19.11 9.1 4.12 2.0 8.11 4.0 5.14 58.1 2.0 2.14 3.0
1.16 5a.0 2.16 8.5 2c.12 5f.0 10.5 20.0 30.16 10.12 20.0 40.12 1f.0 51.16 2f.0 1.16 58.0 a8.11
19c0.0 40.11 51fd.67 3.29 4d0.83 30.63 140.8 60.82 60.0 22.19 66.0 3.19 35.67 2.19 e.67 25.19
b.3a 30.0 10.5a 40.6f 60.a 20.4f 2e.0 1.4f 1.6e 30.12 20.4e 4f.0 1.4e 10.1c 20.42 60.1c 20.7f
60.73 21.b 2f.19 2b.0 1.19 9.e 1.19 4.0 6.6 50.73 40.12 4d00.11 200.19 13.3 a.13 33.2 72.67 11.2
16b.0 2.67 10.2 7f.67 21.2 e.67 2.1 10.0 10.1 e.8 2.0 40.2 8f.0 22.19 1a.0 6.19 1a.0 b.16 a.0
1.16 2d.0 2.12 40.0 20.31 100.0 40.e 50.0 10.e 30.0 2d.1 83.6b 20.68 40.1 1.0 1f.1e 30.d 20.59
30.35 20.3d 60.9 50.33 30.32 30.ab 50.88 30.9f 40.67 90.53 180.67 80.2f 40.74 20.90 20.8f 60.a2
20.5b 20.6c 60.56 20.8d 60.39 60.85 20.8e 40.79 40.75 40.7d 20.7a 20.7b 80.58 80.4c 80.b6 160.2
20.c0 80.b8 30.b7 40.67 40.bd 30.b9 20.41 70.67 f.41 1.78 42.67 b.78 3.98 30.76 50.a0 30.97
61.21 1f.9d 80.a4 30.91 50.89 3b.1 1.89 c4.aa 80.9e 100.a6 80.a3 60.1b 20.99 39.67 7.99 40.a1
40.67 c0.b2 a0.92 60.be a0.bb 60.b1 50.b0 60.67 10.a5 140.a8 70.a9 90.af 60.b3 180.b4 d0.83
10.23 40.65 f90.67 70.47 1400.9c 2400.82 240.95 30.67 60.86 30.4b 340.b5 c0.5c e0.9a 1.96 1.0
2.bf c.11 10.9a 1b00.bf 200.9a 22f0.67 10.16 1.14 11e.67 31.14 14.16 c.96 a90.87 a0.0 1260.67
100.0 167.1 3.0 11.1 8.0 2.1 7.0 1e.1 4.0 3b.67 17.e e0.0 520.70 700.67 100.38 100.ba 190.67
30.bc 520.67 20.8c 100.a7 371.0 18f.2 200.0 200.14 1.0 4dc.67 3.0 110.67 10.0 179.67 1.0 52.67
1.0 ae.67 5.0 29.67 7.0 7.67 9.0 3.67 d.0 7.67 29.0 500.11 a6de.67 22.11 1035.67 b.11 b48c1.0
ff.1
"""

# What Unicode 15 and 16 have assigned since, as far as newer Pythons know: TensorFlow has Unicode
# 14. How far after the last run one begins, and how long it is, in hexadecimal.
_LATER = """
897.1 45b.1 1da.1 c7f.2 2f.1 109.2 79c.3 bd2.4 1e4.c 75db.3 c.3 5de3.34 74c.50 132.3e 33f.3 13e.63
2ed.14 41c.fa 306.5b 14d4.1 9.fc2 1d05.3a c06.3a 1f85.1 2432.1 22.1 1aaa.2b4 40c.14 c51.6 105.60
440.130 10dc.1 97.c 59.1 d8.10 1b3.3 f.9 1d.3 b.5 6.a a.6 8.2 d.2 d2.25 bb49.1 34b6.26e 24f2.1060
"""


@functools.cache
def _later() -> tuple[Array, Array]:
    """Where each run of characters that came later begins, and where it ends."""
    ends = np.cumsum([int(n, 16) for pair in _LATER.split() for n in pair.split(".")])
    return ends[::2], ends[1::2]


@functools.cache
def _runs() -> tuple[Array, Array]:
    """Where each run begins, and its script."""
    pairs = [pair.split(".") for pair in _RUNS.split()]
    steps, scripts = zip(*[(int(step, 16), int(script, 16)) for step, script in pairs], strict=True)
    return np.cumsum(steps), np.array(scripts, np.int32)


@functools.lru_cache(4096)
def _script(point: int) -> int:
    if unicodedata.category(chr(point)) in _UNASSIGNED:
        return _UNKNOWN
    starts, ends = _later()
    place = np.searchsorted(starts, point, "right") - 1
    if place >= 0 and point < ends[place]:
        return _UNKNOWN
    starts, scripts = _runs()
    return int(scripts[np.searchsorted(starts, point, "right") - 1])


@op("UnicodeScript", "input: int32 -> output: int32", host=True, shape=same)
def _unicode_script(xp: Namespace, input: Array) -> Array:
    inside = (input >= 0) & (input < _POINTS)
    points = np.where(inside, input, _POINTS)
    if points.size < _POINTS_FOR_TABLE:
        found, place = np.unique(points, return_inverse=True)
        scripts = [-1 if point == _POINTS else _script(point) for point in found.tolist()]
        return np.array(scripts, np.int32)[place].reshape(input.shape)
    table = np.zeros(_POINTS + 1, np.int32)  # of the code points that occur
    table[points] = 1
    table[_POINTS] = 0
    present = np.flatnonzero(table)
    table[present] = list(map(_script, present.tolist()))
    table[_POINTS] = -1
    return table[points]


def unicode_script(input: TensorLike, name: str | None = None) -> Tensor:
    """The script of each code point, as ICU numbers them; -1 for what is no code point.

    >>> tf.strings.unicode_script([ord("a"), ord("ж"), ord("1"), -5]).numpy()
    array([25,  8,  0, -1], dtype=int32)
    """
    return raw_ops.UnicodeScript(input, name=name)  # type: ignore[no-any-return]
