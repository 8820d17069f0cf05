"""Calls of the methods of lookup tables and queues, each on a table or a queue made for it."""

from tests.samples import call, made, symbol, tensor

FILE = "tests/samples/words.txt"
STRING, INT, REAL = symbol("string"), symbol("int64"), symbol("float32")
KEYS = tensor(["a", "b"])
INITIAL = made("lookup.KeyValueTensorInitializer", KEYS, tensor([0, 1], "int64"))


def initializer(*args, **kwargs):
    return made("lookup.TextFileInitializer", FILE, *args, **kwargs)


def static(init, default=-1):
    return made("lookup.StaticHashTable", init, default)


def changing(key, value, default):
    return made("lookup.experimental.MutableHashTable", key, value, default)


def dense(key=INT, value=INT, default=-1, **marks):
    return made("lookup.experimental.DenseHashTable", key, value, default, **marks)


LINES = initializer(STRING, -2, INT, -1)
FIELDS = initializer(STRING, 0, INT, 2)
VOCABULARY = made("lookup.StaticVocabularyTable", INITIAL, 3)
RAGGED = made("ragged.constant", [["a"], [], ["z", "b"]])
SPARSE = made("SparseTensor", [[0, 1]], ["b"], [1, 2])

ROWS = [
    *[
        call("lookup.StaticHashTable.lookup", static(INITIAL), keys)
        for keys in (tensor(["b", "z"]), tensor("a"), tensor([], "string"), RAGGED, SPARSE)
    ],
    call("lookup.StaticHashTable.lookup", static(INITIAL), tensor([1])),
    call("lookup.StaticHashTable.__getitem__", static(INITIAL), tensor([["b"], ["z"]])),
    call("lookup.StaticHashTable.size", static(INITIAL)),
    call("lookup.StaticHashTable.export", static(INITIAL)),
    call("lookup.StaticHashTable.lookup", static(LINES), tensor(["two\t2\t4", "two"])),
    call("lookup.StaticHashTable.lookup", static(FIELDS), tensor(["three", "four"])),
    call(
        "lookup.StaticHashTable.lookup",
        static(initializer(INT, -1, STRING, 0), "?"),
        tensor([0, 2, 3], "int64"),
    ),
    call(
        "lookup.StaticHashTable.lookup",
        static(initializer(STRING, 0, INT, -1, value_index_offset=10)),
        tensor(["one", "three"]),
    ),
    call("lookup.StaticHashTable.size", static(initializer(STRING, 0, INT, -1, vocab_size=2))),
    call("lookup.StaticHashTable.size", static(initializer(STRING, 0, INT, -1, vocab_size=9))),
    call("lookup.StaticHashTable.size", static(initializer(STRING, 5, INT, -1))),
    call("lookup.StaticHashTable.size", static(initializer(INT, 0, STRING, 1), "")),
    call("lookup.StaticHashTable", INITIAL, "x"),
    call("lookup.StaticHashTable", INITIAL, [1, 2]),
    call(
        "lookup.StaticHashTable",
        made("lookup.KeyValueTensorInitializer", ["a", "a"], [1, 2]),
        *[0],
    ),
    call(
        "lookup.StaticHashTable",
        made("lookup.KeyValueTensorInitializer", ["a", "b"], [1]),
        *[0],
    ),
    call(
        "lookup.StaticHashTable", made("lookup.TextFileInitializer", "none", STRING, 0, INT, 1), 0
    ),
    call("lookup.KeyValueTensorInitializer", ["a"], ["b"], key_dtype=INT),
    call("lookup.TextFileInitializer", FILE, STRING, -2, STRING, -1),
    call("lookup.TextFileInitializer", FILE, STRING, -5, INT, -1),
    call("lookup.TextFileInitializer", FILE, STRING, -2, INT, -1, vocab_size=0),
    call("lookup.TextFileInitializer", "", STRING, -2, INT, -1),
    *[
        call("lookup.StaticVocabularyTable.lookup", VOCABULARY, keys)
        for keys in (tensor(["b", "z", "y", "x"]), tensor("a"), RAGGED, SPARSE)
    ],
    call("lookup.StaticVocabularyTable.lookup", VOCABULARY, tensor([1], "int64")),
    call("lookup.StaticVocabularyTable.size", VOCABULARY),
    call(
        "lookup.StaticVocabularyTable.lookup",
        made("lookup.StaticVocabularyTable", None, 5),
        tensor(["a", "b"]),
    ),
    call(
        "lookup.StaticVocabularyTable.lookup",
        made(
            "lookup.StaticVocabularyTable",
            made("lookup.KeyValueTensorInitializer", tensor([7], "int64"), tensor([0], "int64")),
            *[4],
            lookup_key_dtype=symbol("int32"),
        ),
        tensor([7, -8, 9]),
    ),
    call("lookup.StaticVocabularyTable", INITIAL, 0),
    call("lookup.StaticVocabularyTable", made("lookup.KeyValueTensorInitializer", ["a"], [1]), 2),
    call(
        "lookup.StaticVocabularyTable",
        made("lookup.KeyValueTensorInitializer", [1.0], tensor([1], "int64")),
        *[2],
    ),
    call("lookup.experimental.MutableHashTable.lookup", changing(STRING, INT, 7), ["a", "b"]),
    call(
        "lookup.experimental.MutableHashTable.lookup",
        changing(STRING, INT, 7),
        ["a"],
        tensor([9], "int64"),
    ),
    call(
        "lookup.experimental.MutableHashTable.lookup", changing(INT, REAL, [1.0, 2.0]), [[1], [2]]
    ),
    call("lookup.experimental.MutableHashTable.lookup", changing(STRING, INT, 7), tensor([1])),
    call("lookup.experimental.MutableHashTable.insert", changing(STRING, INT, 7), ["a"], [1]),
    call("lookup.experimental.MutableHashTable.insert", changing(STRING, INT, 7), ["a"], [1, 2]),
    call("lookup.experimental.MutableHashTable.insert", changing(STRING, INT, 7), [1], [1]),
    call("lookup.experimental.MutableHashTable.remove", changing(STRING, INT, 7), tensor(["a"])),
    call("lookup.experimental.MutableHashTable.remove", changing(STRING, INT, 7), tensor([1])),
    call("lookup.experimental.MutableHashTable.size", changing(STRING, INT, 7)),
    call("lookup.experimental.MutableHashTable.export", changing(STRING, INT, [7, 8])),
    call("lookup.experimental.DenseHashTable.lookup", dense(empty_key=0, deleted_key=-1), [1, 2]),
    call("lookup.experimental.DenseHashTable.lookup", dense(empty_key=0, deleted_key=-1), [0]),
    call("lookup.experimental.DenseHashTable.insert", dense(empty_key=0, deleted_key=-1), [5], [6]),
    call(
        "lookup.experimental.DenseHashTable.insert", dense(empty_key=0, deleted_key=-1), [-1], [6]
    ),
    call(
        "lookup.experimental.DenseHashTable.lookup",
        dense(empty_key=[0, 0], deleted_key=[-1, -1]),
        [[1, 2], [3, 4]],
    ),
    call(
        "lookup.experimental.DenseHashTable.lookup",
        dense(empty_key=[0, 0], deleted_key=[-1, -1]),
        [1, 2, 3],
    ),
    call(
        "lookup.experimental.DenseHashTable.erase",
        dense(empty_key=0, deleted_key=-1),
        tensor([5], "int64"),
    ),
    call(
        "lookup.experimental.DenseHashTable.export",
        dense(empty_key=0, deleted_key=-1, initial_num_buckets=4),
    ),
    call("lookup.experimental.DenseHashTable", INT, INT, -1, empty_key=1, deleted_key=1),
    call("queue.FIFOQueue", 5, symbol("int32"), shapes=[(None,)]),
    call("queue.FIFOQueue", 5, [symbol("int32")], names=["a", "b"]),
    call("queue.FIFOQueue", 5, [symbol("int32")] * 2, shapes=[()]),
    call("queue.PaddingFIFOQueue", 5, symbol("int32"), None),
    call("queue.RandomShuffleQueue", 2, 5, symbol("int32")),
    call("queue.FIFOQueue.size", made("queue.FIFOQueue", 5, symbol("int32"))),
    call("queue.FIFOQueue.is_closed", made("queue.FIFOQueue", 5, symbol("int32"))),
    call("queue.FIFOQueue.enqueue", made("queue.FIFOQueue", 5, symbol("int32")), {"a": 1}),
    call("queue.FIFOQueue.enqueue", made("queue.FIFOQueue", 5, symbol("int32")), "a"),
    call("queue.FIFOQueue.enqueue", made("queue.FIFOQueue", 5, symbol("int32"), [[2]]), 1),
    call("queue.FIFOQueue.dequeue_many", made("queue.FIFOQueue", 5, symbol("int32"), [[]]), 0),
    call("queue.FIFOQueue.dequeue_many", made("queue.FIFOQueue", 5, symbol("int32"), [[]]), -1),
    call(
        "queue.FIFOQueue.enqueue_many",
        made("queue.FIFOQueue", 5, [symbol("int32")] * 2, [[], []]),
        ([1, 2], [3]),
    ),
    call("queue.QueueBase.from_list", 0, [1]),
]
