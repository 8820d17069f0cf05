"""Ops on variables."""

from __future__ import annotations

import numpy as np

from tests.samples import floats, ints, sample, strings, variable

ROWS_OF = np.array([2, 0, 2], np.int32)
N = np.array([[0, 1], [2, 0], [0, 1]], np.int32)

SCATTERS = [
    row
    for name in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")
    for row in (
        sample(f"ResourceScatter{name}", variable(floats(3, 2)), ROWS_OF, floats(3, 2, seed=1)),
        sample(f"ResourceScatter{name}", variable(floats(3, 2)), ROWS_OF[:1], np.float32(2.0)),
        sample(
            f"ResourceScatter{name}",
            variable(ints(3)),
            ROWS_OF.astype(np.int64),
            ints(3, low=1, seed=1),
        ),
        sample(f"ResourceScatter{name}", variable(floats(3)), ROWS_OF + 1, floats(3)),
        sample(f"ResourceScatter{name}", variable(floats(3)), ROWS_OF, floats(2)),
    )
]

SCATTERS_ND = [
    row
    for name in ("Update", "Add", "Sub", "Min", "Max")
    for row in (
        sample(f"ResourceScatterNd{name}", variable(floats(3, 2)), N, floats(3, seed=1)),
        sample(
            f"ResourceScatterNd{name}",
            variable(floats(3, 2)),
            N[:2, :1].astype(np.int64),
            floats(2, 2),
        ),
        sample(f"ResourceScatterNd{name}", variable(floats(3, 2)), N + 1, floats(3)),
    )
]

ROWS = [
    sample("ReadVariableOp", variable(floats(2, 3)), dtype="float32"),
    sample("ReadVariableOp", variable(floats(2, 3)), dtype="int32"),
    sample("AssignAddVariableOp", variable(strings("a")), strings("b")),
    sample("AssignSubVariableOp", variable(np.array([True])), np.array([True])),
    sample("AssignVariableOp", variable(floats(2)), floats(2, seed=1)),
    sample("AssignVariableOp", variable(strings("a")), strings("b")),
    sample("AssignAddVariableOp", variable(floats(2)), floats(2, seed=1)),
    sample("AssignAddVariableOp", variable(floats(2)), floats(3)),
    sample("AssignAddVariableOp", variable(floats(2)), ints(2)),
    sample("AssignSubVariableOp", variable(ints(2)), ints(2, seed=1)),
    *SCATTERS,
    *SCATTERS_ND,
    sample(
        "ResourceStridedSliceAssign",
        variable(floats(4, 2)),
        ROWS_OF[:1] - 1,
        ROWS_OF[:1] + 1,
        ROWS_OF[:1] - 1,
        floats(2, 2),
    ),
    sample("ResourceGather", variable(floats(3, 2)), ROWS_OF, dtype="float32"),
    sample("ResourceGather", variable(floats(3, 2)), ROWS_OF + 1, dtype="float32"),
    sample(
        "ResourceGather",
        variable(floats(2, 3)),
        np.array([[2], [0]], np.int64),
        dtype="float32",
        batch_dims=1,
    ),
    sample("ResourceGatherNd", variable(floats(3, 2)), N, dtype="float32"),
    sample("ResourceGatherNd", variable(floats(3, 2)), N[:, :1], dtype="float32"),
    sample("VariableShape", variable(floats(3, 2))),
    sample("VariableShape", variable(floats(3, 2)), out_type="int64"),
    sample("VarIsInitializedOp", variable(floats(2))),
    sample("ResourceCountUpTo", variable(np.int32(3)), limit=5, T="int32"),
    sample("ResourceCountUpTo", variable(np.int32(5)), limit=5, T="int32"),
    sample(
        "VarHandleOp", dtype="float32", shape=[2], judged=False
    ),  # a handle has no value to record
    sample("DisableCopyOnRead", variable(floats(2))),
    sample("DestroyResourceOp", variable(floats(2)), judged=False),
]
