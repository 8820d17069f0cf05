"""`tf.train.Example`s written as JSON: `tf.io.decode_json_example`."""

from __future__ import annotations

import importlib
from typing import Any

from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.protos import messages
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Namespace, TensorLike
from runnel.kernels.text.arrays import each
from runnel.ops.shapes import same


@op("DecodeJSONExample", "json_examples: string -> binary_examples: string", shape=same)
def _decode_json_example(xp: Namespace, json_examples: Array) -> Array:
    json_format: Any = importlib.import_module("google.protobuf.json_format")

    def decoded(text: bytes) -> bytes:
        example = messages.Example()
        try:
            if text.lstrip().startswith(b"["):  # which protobuf takes for nothing if it is empty
                raise json_format.ParseError("a list")
            json_format.Parse(text, example)
        except (json_format.ParseError, UnicodeError):
            want = "be the JSON of a tf.train.Example"
            raise bad_value("DecodeJSONExample", want=want, json_examples=text) from None
        serialized: bytes = example.SerializeToString(deterministic=True)
        return serialized

    return each(decoded, json_examples)


def decode_json_example(json_examples: TensorLike, name: str | None = None) -> Tensor:
    """Examples written as JSON, in the binary form that `tf.io.parse_example` reads.

    >>> text = '{"features": {"feature": {"a": {"int64_list": {"value": [1]}}}}}'
    >>> tf.io.decode_json_example(text).numpy()
    b'\\n\\x0c\\n\\n\\n\\x01a\\x12\\x05\\x1a\\x03\\n\\x01\\x01'
    """
    return raw_ops.DecodeJSONExample(json_examples, name=name)  # type: ignore[no-any-return]
