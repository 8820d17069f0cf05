"""Records TensorFlow's message declarations, and messages that it wrote, in `protos.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from google.protobuf import descriptor_pool
from tensorflow.core.framework import variable_pb2  # noqa: F401  importing it declares messages
from tensorflow.core.profiler import tfprof_log_pb2, tfprof_output_pb2  # noqa: F401
from tensorflow.core.protobuf import (
    composite_tensor_variant_pb2,  # noqa: F401
    config_pb2,
    debug_event_pb2,  # noqa: F401
    fingerprint_pb2,  # noqa: F401
    saved_model_pb2,  # noqa: F401
    struct_pb2,
    tensor_bundle_pb2,
    tensorflow_server_pb2,  # noqa: F401
    trackable_object_graph_pb2,
)
from tensorflow.core.util import (
    event_pb2,
    saved_tensor_slice_pb2,  # noqa: F401
    test_log_pb2,  # noqa: F401
)
from tensorflow.python.training import checkpoint_state_pb2  # noqa: F401

ROOTS = """GraphDef OpList SavedModel SavedObjectGraph StructuredValue TrackableObjectGraph
BundleHeaderProto BundleEntryProto Example SequenceExample Event Summary SummaryDescription
ConfigProto FingerprintDef ServerDef VariableDef SavedTensorSlices SerializedDType
CheckpointState DebugEvent RunMetadata CallableOptions BenchmarkEntries
CompositeTensorVariantMetadata""".split()
PROFILES = "GraphNodeProto MultiGraphNodeProto AdviceProto OpLogProto".split()


def facts() -> dict[str, Any]:
    """By message: [number, type, repeated, oneof, class] of each field. By enum: its values."""
    pool = descriptor_pool.Default()
    found: dict[str, Any] = {}
    for root in ROOTS:
        describe(pool.FindMessageTypeByName(f"tensorflow.{root}"), found)
    for root in PROFILES:
        describe(pool.FindMessageTypeByName(f"tensorflow.tfprof.{root}"), found)
    return dict(sorted(found.items()))


def plain(name: str) -> str:
    """The name in a package for all."""
    return name.replace(".tfprof.", ".")


def describe(message: Any, found: dict[str, Any]) -> None:
    name = plain(message.full_name)
    if name in found or not name.startswith("tensorflow."):
        return
    fields = found[name] = {}
    for field in message.fields:
        inner = field.message_type or field.enum_type
        oneof = field.containing_oneof and field.containing_oneof.name
        kind = inner and plain(inner.full_name)
        fields[field.name] = [field.number, field.type, field.is_repeated, oneof, kind]
        if field.message_type is not None:
            describe(field.message_type, found)
        elif field.enum_type is not None:
            values = field.enum_type.values_by_name.items()
            found[field.enum_type.full_name] = {key: value.number for key, value in values}


def written() -> dict[str, bytes]:
    """A message of many kinds each, as TensorFlow writes it, by the name of its class."""

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([], tf.string)])
    def fn(x: Any, s: Any) -> Any:
        return tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2, lambda: -x), s + "!"

    features = {
        "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2, 3])),
        "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x", b""])),
        "c": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5, 1.5])),
    }
    listed = {"l": tf.train.FeatureList(feature=[features["a"], features["c"]])}
    nested = struct_pb2.StructuredValue()
    nested.dict_value.fields["x"].tuple_value.values.add().int64_value = -3
    nested.dict_value.fields["y"].tensor_spec_value.shape.dim.add(size=-1)
    objects = trackable_object_graph_pb2.TrackableObjectGraph()
    node = objects.nodes.add()
    node.children.add(node_id=1, local_name="v")
    node.attributes.add(name="VARIABLE_VALUE", full_name="v", checkpoint_key="v/.ATTRIBUTES")
    node.has_checkpoint_values.value = True
    event = event_pb2.Event(wall_time=1.5, step=3)
    value = event.summary.value.add(tag="loss", simple_value=0.25)
    value.metadata.plugin_data.plugin_name = "scalars"
    config = config_pb2.ConfigProto(intra_op_parallelism_threads=2, device_count={"CPU": 1})
    config.graph_options.rewrite_options.constant_folding = 2
    examples = {
        "GraphDef": fn.get_concrete_function().graph.as_graph_def(add_shapes=True),
        "Example": tf.train.Example(features=tf.train.Features(feature=features)),
        "SequenceExample": tf.train.SequenceExample(
            feature_lists=tf.train.FeatureLists(feature_list=listed)
        ),
        "StructuredValue": nested,
        "TrackableObjectGraph": objects,
        "BundleEntryProto": tensor_bundle_pb2.BundleEntryProto(
            dtype=1, offset=8, size=24, crc32c=0xDEADBEEF
        ),
        "Event": event,
        "ConfigProto": config,
        "TensorProto": tf.make_tensor_proto(np.arange(6, dtype=np.float32).reshape(2, 3)),
        "TensorShapeProto": tf.TensorShape([2, None]).as_proto(),
    }
    return {k: m.SerializeToString(deterministic=True) for k, m in examples.items()}


ARRAYS = """1 1.5 True "a" 1j 2**40 [1,2] [1.5,2.0,2.0] [True,False] ["a","bc"] [] [[1,2],[3,4]]
[1j,2] [[]] np.float16(2.5) np.float64(2.5) np.array([1,2]) np.array(["x","y"]) np.uint16([1,2])
np.int8(-1) np.zeros((2,0)) None [None] [[1],[2,3]] [1,"a"] np.array([b"x",b""]) (1,2)
np.array([[1.5,2.5]]) b"bytes" [b"a","b"] np.bool_(True) np.uint64([2**63]) np.uint32(7)""".split()

OPTIONS = """dtype=tf.float16 dtype=tf.bfloat16 dtype=tf.int8 dtype=tf.uint16 dtype=tf.int64
dtype=tf.uint32 dtype=tf.uint64 dtype=tf.complex64 dtype=tf.string dtype=tf.bool dtype=tf.float64
shape=[2] shape=[3] shape=[2,1] shape=[2],verify_shape=True shape=[2,1],verify_shape=True
shape=[2,2],allow_broadcast=True""".split()


def tensor_protos() -> list[list[str]]:
    """Calls of tf.make_tensor_proto: the message in hexadecimal digits, or the error class."""
    calls = [*ARRAYS, *[f"{a},{o}" for a in ("1", "[1,2]", "[1.5,2.5]") for o in OPTIONS]]
    rows = []
    for call in calls:
        try:
            proto = eval(f"tf.make_tensor_proto({call})", {"tf": tf, "np": np})
            answer = proto.SerializeToString().hex()
        except Exception as error:
            answer = type(error).__name__
        rows.append([call, answer])
    return rows


if __name__ == "__main__":
    record = {
        "declarations": facts(),
        "written": {name: data.hex() for name, data in written().items()},
        "make_tensor_proto": tensor_protos(),
    }
    lines = [
        f'"{part}": {{\n' + ",\n".join(f'"{k}": {json.dumps(v)}' for k, v in rows.items()) + "\n}"
        if isinstance(rows, dict)
        else f'"{part}": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]"
        for part, rows in record.items()
    ]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    Path(__file__).with_name("protos.json").write_text(text)
