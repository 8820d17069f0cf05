"""Asks TensorFlow which ranks inputs may have while a graph is built; run by `make golden`.

All inputs are placeholders; nothing is known of them but the rank of one, or the size of a vector.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import tensorflow as tf

from tests.samples import Handle, Held, Sample, families, rows
from tests.samples.answers import _attr, _flat, _input_names, op_defs, tensors_of

_MOST = 6  # ranks, and sizes of a vector
_LEFT_OUT = (
    "FakeQuantWithMinMaxVarsPerChannelGradient",  # TensorFlow crashes
    "DeserializeManySparse",  # takes other ranks in a run
    "RaggedTensorToTensor SoftmaxCrossEntropyWithLogits Conv2DBackpropInputV2 "
    "Conv2DBackpropFilterV2",  # depends on what is known of the others
    "QuantizeV2 Dequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 "
    "QuantizeAndDequantizeV4 QuantizeAndDequantizeV4Grad FusedBatchNormGradV3",  # or attributes
)


def main() -> None:
    """Write the ranks and the sizes that some input may not have."""
    found: dict[str, Any] = {}
    for family in families("ops_"):
        for row in rows(family):
            if row.op not in found and row.op in op_defs() and hasattr(tf.raw_ops, row.op):
                found[row.op] = _ranks(row)
    left_out = " ".join(_LEFT_OUT).split()
    told = {op: found[op] for op in sorted(found) if found[op] and op not in left_out}
    path = Path(__file__).with_name("ranks.json")
    path.write_text(
        "{\n" + ",\n".join(f"{json.dumps(o)}: {json.dumps(told[o])}" for o in told) + "\n}\n"
    )


def _ranks(row: Sample) -> dict[str, Any]:
    flat = [v for each in row.inputs for v in (each if isinstance(each, list | tuple) else [each])]
    if row.op in " ".join(_LEFT_OUT) or any(isinstance(v, Held | Handle) for v in flat):
        return {}
    given = [tensors_of(tf, value) for value in row.inputs]
    if any(t.dtype in (tf.resource, tf.variant) for t in _flat(given)) or not _takes(
        row, given, {}
    ):
        return {}
    found = {}
    for place, name in enumerate(_input_names(row.op)):
        ranks = [n for n in range(_MOST) if _takes(row, given, {place: [None] * n})]
        sizes = [n for n in range(_MOST) if _takes(row, given, {place: [n]})]
        if 0 < len(ranks) < _MOST:
            found[name] = {"ranks": ranks, **({"sizes": sizes} if len(sizes) == 1 else {})}
    return found


def _takes(row: Sample, given: list[Any], shapes: dict[int, Any]) -> bool:
    def unknown(value: Any, shape: Any) -> Any:
        if isinstance(value, list | tuple):
            return [unknown(item, shape) for item in value]
        return tf.compat.v1.placeholder(value.dtype, shape)

    attrs = {key: _attr(tf, key, value) for key, value in row.attrs.items()}
    with tf.Graph().as_default():
        inputs = [unknown(value, shapes.get(place)) for place, value in enumerate(given)]
        try:
            getattr(tf.raw_ops, row.op)(**dict(zip(_input_names(row.op), inputs)), **attrs)
        except (TypeError, ValueError, NotImplementedError):
            return False
    return True


if __name__ == "__main__":
    main()
