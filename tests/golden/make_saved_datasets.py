"""Records the files of `Dataset.save`, `snapshot` and `cache` of TensorFlow."""

from __future__ import annotations

import base64
import json
import tempfile
from pathlib import Path
from typing import Any

import tensorflow as tf

Dataset = tf.data.Dataset


def elements() -> Any:
    return Dataset.range(5).map(
        lambda x: {"n": x, "t": (tf.strings.as_string(x), tf.cast(tf.fill([2], x), tf.float32))}
    )


def write(folder: str) -> None:
    elements().save(f"{folder}/plain")
    elements().save(f"{folder}/gzip", compression="GZIP")
    elements().save(f"{folder}/snappy", compression="SNAPPY")
    elements().save(f"{folder}/shards", shard_func=lambda e: e["n"] % 3)
    rows = Dataset.from_tensor_slices(tf.ragged.constant([[["a"]], [["b", "c"], []]]))
    rows.save(f"{folder}/ragged")
    sparse = Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0], [2, 3]]))
    sparse.save(f"{folder}/sparse")
    list(elements().cache(f"{folder}/cache"))
    list(rows.cache(f"{folder}/cache_ragged"))
    list(sparse.cache(f"{folder}/cache_sparse"))
    iterator = iter(Dataset.range(9).map(abs, num_parallel_calls=2).shuffle(3).batch(2).prefetch(1))
    next(iterator)
    model = tf.data.experimental.get_model_proto(iterator)
    Path(folder, "model.pb").write_bytes(model.SerializeToString())
    list(Dataset.range(3).snapshot(f"{folder}/snapshot", shard_func=lambda x: x % 2))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        root = Path(folder)
        found = {
            str(path.relative_to(root)): base64.b64encode(path.read_bytes()).decode()
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }
    text = json.dumps(found, indent=0, sort_keys=True)
    Path(__file__).with_name("saved_datasets.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
