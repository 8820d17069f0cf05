"""Public functions of sets."""

import numpy as np

from tests.samples import call, made, tensor


def sparse(indices, values, shape):
    return made("SparseTensor", indices, values, shape)


a, b = tensor([[1, 2, 2], [3, 4, 5]]), tensor([[2, 3, 1], [5, 9, 9]])
A = sparse([[0, 0], [0, 1], [1, 0], [1, 1]], [1, 2, 2, 3], [2, 2])
B = sparse([[0, 0], [1, 0], [1, 1]], [2, 3, 9], [2, 3])
WORDS = sparse([[0, 0], [0, 1]], tensor(["a", "b"]), [1, 2])
UNSORTED = sparse([[1, 0], [0, 0]], [1, 2], [2, 2])
OUTSIDE = sparse([[0, 5]], [1], [2, 2])

ROWS = [
    row
    for name in ("sets.difference", "sets.intersection", "sets.union")
    for row in (
        call(name, a, b),
        call(name, a, B),
        call(name, A, B),
        call(name, A, b),
        call(name, WORDS, tensor([["b", "c"]])),
        call(name, [[1, 2]], [[2, 3]]),
        call(name, tensor(np.zeros((2, 0), np.int32)), b),
        call(name, tensor([[[1, 2]], [[3, 4]]]), tensor([[[1]], [[4]]])),
        call(name, a, B, validate_indices=False),
        call(name, a, tensor([[1], [2]], "int64")),
        call(name, tensor([[1.0]]), tensor([[1.0]])),
        call(name, [1, 2], [2, 3]),
        call(name, a, tensor([[1, 2]])),
        call(name, UNSORTED, B),
        call(name, OUTSIDE, B),
    )
] + [
    call("sets.difference", a, b, aminusb=False),
    call("sets.difference", A, B, aminusb=False),
    call("sets.difference", A, b, aminusb=False),
    call("sets.size", A),
    call("sets.size", sparse([[0, 0], [0, 1]], [1, 1], [2, 2])),
    call("sets.size", sparse([[0, 0, 0], [1, 1, 1]], tensor(["a", "b"]), [2, 2, 3])),
    call("sets.size", a),
    call("sets.size", sparse([[0, 0]], [1.0], [2, 2])),
    call("sets.size", UNSORTED),
]
