"""JPEG files: both readers give the same pixels."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from runnel.kernels.images import jpeg
from tests.samples.ops_codecs import FILES

NAMES = sorted(name for name in FILES if name.endswith(".jpg"))


def test_simplejpeg_reads_what_pillow_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("simplejpeg")
    calls = list(product(NAMES, (0, 3), (True, False), (True, False)))
    at_once = [jpeg._decoded_at_once(FILES[name], *rest) for name, *rest in calls]
    assert sum(found is not None for found in at_once) > len(calls) // 2
    monkeypatch.setattr(jpeg, "_simplejpeg", lambda: None)
    for (name, channels, smooth, accurate), found in zip(calls, at_once):
        if found is not None:
            other = jpeg.decode(FILES[name], channels, 1, smooth, False, accurate)
            assert np.array_equal(found, other), (name, channels, smooth, accurate)
