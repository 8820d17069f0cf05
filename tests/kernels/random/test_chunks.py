import numpy as np
import pytest

from runnel.kernels.random import bits as random_bits
from runnel.kernels.random import chunks as random_chunks
from runnel.kernels.random import philox
from runnel.kernels.random.chunks import CHUNK, Kind, chunks, filled, spans

STREAM = np.array([5], np.uint64), np.array([2**64 - 9, 2], np.uint64)


@pytest.fixture
def at_once(monkeypatch):
    """Programs are compiled for the first chunk."""
    monkeypatch.setattr(random_chunks, "_WORTH_COMPILING", 0)
    chunks.cache_clear()
    yield
    chunks.cache_clear()


def by_numpy(make, *args):
    size = 4 * CHUNK - 7
    chunks.cache_clear()
    return make(np, *STREAM, (size,), *args)


@pytest.mark.parametrize(
    "make, args",
    [
        (random_bits.uniform, (np.float32,)),
        (random_bits.uniform, (np.float64,)),
        (random_bits.normal, (np.float32,)),
        (random_bits.normal, (np.float16,)),
        (random_bits.truncated_normal, (np.float32,)),
        (random_bits.full_int, (np.int64,)),
        (random_bits.uniform_int, (-5, 100, np.int32)),
    ],
)
def test_compiled_chunks_have_the_same_numbers_to_the_last_bit(make, args, request):
    plain = by_numpy(make, *args)
    request.getfixturevalue("at_once")
    compiled = by_numpy(make, *args)
    assert compiled.dtype == plain.dtype
    assert np.array_equal(compiled, plain)


def test_few_numbers_compile_nothing(at_once, monkeypatch):
    monkeypatch.setattr(random_chunks.xla, "compile", None)
    assert random_bits.normal(np, *STREAM, (CHUNK,), np.float32).shape == (CHUNK,)


def test_a_doubtful_chunk_is_made_by_numpy(at_once):
    def make(xp, bits, dtype):
        return philox.words(xp, bits)

    def columns(columns, dtype):
        return [column + np.uint32(1) for column in columns], np.bool_(True)

    got = filled(np, Kind(make, columns), STREAM, CHUNK, np.uint32)
    assert np.array_equal(got, philox.words(np, philox.successive(np, *STREAM, 0, CHUNK)))


def test_spans_cover_all():
    assert spans(10, 4) == [(0, 4), (4, 4), (8, 2)]
    assert spans(0, 4) == []
