"""Samples of the ops on lookup tables and queues."""

import numpy as np

from tests.samples import handle, made, sample, strings, symbol, tensor

FILE = "tests/samples/words.txt"  # "one", "two", "three", each with its number and a square
KEYS, VALUES = tensor(["a", "b"]), tensor([1, 2], "int64")
MISSING = np.int64(-1)
INITIAL = made("lookup.KeyValueTensorInitializer", KEYS, VALUES)
STATIC = handle("lookup.StaticHashTable", INITIAL, -1)
WORDS = handle(
    "lookup.experimental.MutableHashTable",
    *[symbol("string"), symbol("int64"), -1],
    calls=[("insert", KEYS, VALUES)],
)
EMPTY = handle("lookup.experimental.MutableHashTable", symbol("string"), symbol("int64"), -1)
PAIRS = handle(
    "lookup.experimental.MutableHashTable",
    *[symbol("int64"), symbol("float32"), [0.0, 0.0]],
    calls=[("insert", tensor([1], "int64"), [[1.5, 2.5]])],
)
DENSE = handle(
    "lookup.experimental.DenseHashTable",
    *[symbol("int64"), symbol("int64"), -1, 0, -1, 4],
    calls=[("insert", tensor([1, 2], "int64"), tensor([10, 20], "int64"))],
)
UNFILLED = {"key_dtype": "string", "value_dtype": "int64"}
NUMBERS = np.array([1, 5])

FIFO = handle("queue.FIFOQueue", 5, symbol("int32"), (), calls=[("enqueue_many", [[1, 2, 3]])])
CLOSED = handle(
    "queue.FIFOQueue",
    *[5, symbol("int32"), ()],
    calls=[("enqueue_many", [[1, 2]]), ("close",)],
)
SHAPELESS = handle("queue.FIFOQueue", 5, symbol("int32"), calls=[("enqueue", 1)])
PADDED = handle(
    "queue.PaddingFIFOQueue",
    *[5, [symbol("int32"), symbol("string")], [(None,), ()]],
    calls=[("enqueue", ([1], "a")), ("enqueue", ([2, 3], "b"))],
)
PRIORITY = handle(
    "queue.PriorityQueue",
    *[5, [symbol("string")], [()]],
    calls=[("enqueue_many", ([3, 1, 2], ["c", "a", "b"]))],
)
SHUFFLED = handle(
    "queue.RandomShuffleQueue",
    *[20, 1, symbol("int32"), ()],
    seed=5,
    calls=[("enqueue_many", [list(range(12))])],
)
ONE = ["int32"]

ROWS = [
    sample("HashTableV2", **UNFILLED),
    sample("HashTableV2", shared_name="shared by two", **UNFILLED),
    sample("AnonymousHashTable", **UNFILLED),
    sample("MutableHashTableV2", **UNFILLED),
    sample("AnonymousMutableHashTable", **UNFILLED),
    sample("MutableHashTableOfTensorsV2", value_shape=[2], **UNFILLED),
    sample("MutableHashTableOfTensorsV2", value_shape=[None], **UNFILLED),
    sample("AnonymousMutableHashTableOfTensors", value_shape=[2], **UNFILLED),
    sample("MutableDenseHashTableV2", np.int64(0), np.int64(1), value_dtype="int64"),
    sample("MutableDenseHashTableV2", np.int64(0), np.int64(0), value_dtype="int64"),
    sample(
        *("MutableDenseHashTableV2", np.int64(0), np.int64(1)),
        value_dtype="int64",
        initial_num_buckets=3,
    ),
    sample("AnonymousMutableDenseHashTable", np.int64(0), np.int64(1), value_dtype="int64"),
    sample("LookupTableFindV2", STATIC, strings("b", "z"), MISSING),
    sample("LookupTableFindV2", STATIC, strings("b", "z")[:, None], MISSING),
    sample("LookupTableFindV2", STATIC, np.array([1]), MISSING),
    sample("LookupTableFindV2", STATIC, strings("b"), np.int32(1)),
    sample("LookupTableFindV2", STATIC, tensor([], "string"), MISSING),
    sample("LookupTableFindV2", WORDS, strings("b", "z"), MISSING),
    sample("LookupTableFindV2", WORDS, strings("b", "z"), np.array([7, 8])),
    sample("LookupTableFindV2", WORDS, strings("b", "z"), np.array([7, 8, 9])),
    sample("LookupTableFindV2", PAIRS, NUMBERS, np.array([0.5, 0.5], np.float32)),
    sample("LookupTableFindV2", DENSE, NUMBERS, MISSING),
    sample("LookupTableFindV2", DENSE, np.array([0]), MISSING),
    sample("LookupTableFindV2", DENSE, np.array([-1]), MISSING),
    sample("LookupTableInsertV2", WORDS, strings("c"), np.array([3])),
    sample("LookupTableInsertV2", WORDS, strings("c"), np.array([3, 4])),
    sample("LookupTableInsertV2", WORDS, strings("c"), np.array([3], np.int32)),
    sample("LookupTableInsertV2", STATIC, strings("c"), np.array([3])),
    sample("LookupTableInsertV2", DENSE, np.array([0]), np.array([3])),
    sample("LookupTableRemoveV2", WORDS, strings("a", "nothing")),
    sample("LookupTableRemoveV2", WORDS, np.array([1])),
    sample("LookupTableRemoveV2", DENSE, np.array([1])),
    sample("LookupTableSizeV2", STATIC),
    sample("LookupTableSizeV2", EMPTY),
    sample("LookupTableSizeV2", DENSE),
    sample("LookupTableExportV2", STATIC, Tkeys="string", Tvalues="int64"),
    sample("LookupTableExportV2", EMPTY, Tkeys="string", Tvalues="int64"),
    sample("LookupTableExportV2", PAIRS, Tkeys="int64", Tvalues="float32"),
    sample("LookupTableImportV2", WORDS, strings("c"), np.array([3])),
    sample("LookupTableImportV2", STATIC, strings("c"), np.array([3])),
    sample("LookupTableImportV2", EMPTY, strings("c"), np.array([3, 4])),
    sample("InitializeTableV2", STATIC, strings("a"), np.array([1])),
    sample(
        *("InitializeTableFromTextFileV2", STATIC, strings(FILE)[0]), key_index=-2, value_index=-1
    ),
    sample(*("InitializeTableFromTextFileV2", STATIC, strings(FILE)), key_index=-2, value_index=-1),
    sample("FIFOQueueV2", component_types=["int32"]),
    sample("FIFOQueueV2", component_types=["int32"], shapes=[[], []]),
    sample("PaddingFIFOQueueV2", component_types=["int32"], shapes=[[None]]),
    sample("PriorityQueueV2", component_types=["int32"], shapes=[[]]),
    sample("RandomShuffleQueueV2", component_types=["int32"], capacity=5, min_after_dequeue=1),
    sample("RandomShuffleQueueV2", component_types=["int32"], capacity=5, min_after_dequeue=6),
    sample("QueueEnqueueV2", FIFO, [np.int32(1)]),
    sample("QueueEnqueueV2", FIFO, [np.int32(1), np.int32(1)]),
    sample("QueueEnqueueV2", FIFO, [np.float32(1)]),
    sample("QueueEnqueueV2", FIFO, [np.array([1], np.int32)]),
    sample("QueueEnqueueV2", CLOSED, [np.int32(1)]),
    sample("QueueEnqueueManyV2", FIFO, [np.array([4, 5], np.int32)]),
    sample("QueueEnqueueManyV2", FIFO, [np.int32(4)]),
    sample("QueueEnqueueManyV2", PADDED, [np.zeros((2, 3), np.int32), strings("x")]),
    sample("QueueEnqueueManyV2", CLOSED, [np.array([4, 5], np.int32)]),
    sample("QueueDequeueV2", FIFO, component_types=ONE),
    sample("QueueDequeueV2", FIFO, component_types=["int64"]),
    sample("QueueDequeueV2", PRIORITY, component_types=["int64", "string"]),
    sample("QueueDequeueV2", SHUFFLED, component_types=ONE),
    sample("QueueDequeueManyV2", FIFO, np.int32(2), component_types=ONE),
    sample("QueueDequeueManyV2", FIFO, np.int32(0), component_types=ONE),
    sample("QueueDequeueManyV2", FIFO, np.int32(-1), component_types=ONE),
    sample("QueueDequeueManyV2", CLOSED, np.int32(3), component_types=ONE),
    sample("QueueDequeueManyV2", SHAPELESS, np.int32(1), component_types=ONE),
    sample("QueueDequeueManyV2", PADDED, np.int32(2), component_types=["int32", "string"]),
    sample("QueueDequeueManyV2", PRIORITY, np.int32(3), component_types=["int64", "string"]),
    sample("QueueDequeueManyV2", SHUFFLED, np.int32(11), component_types=ONE),
    sample("QueueDequeueUpToV2", CLOSED, np.int32(5), component_types=ONE),
    sample("QueueDequeueUpToV2", FIFO, np.int32(2), component_types=ONE),
    sample("QueueDequeueUpToV2", FIFO, np.int32(-2), component_types=ONE),
    sample("QueueCloseV2", FIFO),
    sample("QueueCloseV2", CLOSED),
    sample("QueueCloseV2", FIFO, cancel_pending_enqueues=True),
    sample("QueueSizeV2", FIFO),
    sample("QueueSizeV2", PADDED),
    sample("QueueIsClosedV2", FIFO),
    sample("QueueIsClosedV2", CLOSED),
]
