"""Programs about `tf.io`, and datasets of files; see `cases.py`."""

import gzip
import os
import sqlite3
import struct
import tempfile
import zlib

import numpy as np


def _readable(value):
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, dict):
        return {key: _readable(item) for key, item in sorted(value.items())}
    if isinstance(value, tuple | list):
        return [_readable(item) for item in value]
    if type(value).__name__ == "RaggedTensor":
        return _readable(value.to_list())
    if type(value).__name__ == "SparseTensor":
        return _readable([value.indices.numpy(), value.values.numpy(), value.dense_shape.numpy()])
    if hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, np.ndarray) and value.dtype == object:
        return _readable(value.tolist())
    return float(value) if isinstance(value, float) else value


def _all(dataset):
    return [_readable(element) for element in dataset]


def _feature(tf, values):
    if not values or isinstance(values[0], int):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def _example(tf, **features):
    made = {key: _feature(tf, values) for key, values in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


def _sequence(tf, context, lists):
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={k: _feature(tf, v) for k, v in context.items()}),
        feature_lists=tf.train.FeatureLists(
            feature_list={
                k: tf.train.FeatureList(feature=[_feature(tf, v) for v in steps])
                for k, steps in lists.items()
            }
        ),
    ).SerializeToString()


def _folder():
    return tempfile.mkdtemp()


def example_as_text(tf):
    made = tf.train.Example()
    made.features.feature["x"].float_list.value.extend([0.5, 1.0])
    back = tf.train.Example.FromString(made.SerializeToString())
    return [str(back), made.SerializeToString().hex()]


def fixed_features(tf):
    records = [
        _example(tf, a=[1, -2], b=[0.5], c=[b"x"]),
        _example(tf, a=[3, 2**40], b=[1.5], c=[b"yz"]),
    ]
    features = {
        "a": tf.io.FixedLenFeature([2], tf.int64),
        "b": tf.io.FixedLenFeature([], tf.float32),
        "c": tf.io.FixedLenFeature([1, 1], tf.string),
        "d": tf.io.FixedLenFeature([2], tf.float32, default_value=[7.0, 8.0]),
        "e": tf.io.FixedLenFeature([], tf.string, default_value="none"),
    }
    return [
        _readable(tf.io.parse_example(records, features)),
        _readable(tf.io.parse_single_example(records[1], features)),
        _readable(tf.io.parse_example(records[0], features)),
    ]


def variable_features(tf):
    records = [_example(tf, a=[1, 2, 3]), _example(tf, b=[b"x"]), _example(tf, a=[4])]
    features = {"a": tf.io.VarLenFeature(tf.int64), "b": tf.io.VarLenFeature(tf.string)}
    return [
        _readable(tf.io.parse_example(records, features)),
        _readable(tf.io.parse_single_example(records[0], features)),
        _readable(tf.io.parse_single_example(records[1], features)),
    ]


def ragged_features(tf):
    records = [_example(tf, a=[1, 2, 3]), _example(tf, b=[b"x"]), _example(tf, a=[4])]
    features = {
        "a": tf.io.RaggedFeature(tf.int64),
        "b": tf.io.RaggedFeature(tf.string, row_splits_dtype=tf.int64),
        "again": tf.io.RaggedFeature(tf.int64, value_key="a"),
    }
    return [
        _readable(tf.io.parse_example(records, features)),
        _readable(tf.io.parse_single_example(records[0], features)),
    ]


def ragged_features_with_partitions(tf):
    records = [
        _example(tf, v=[1, 2, 3, 4], n=[1, 3], s=[0, 1, 4], f=[0, 1], e=[1, 4], i=[0, 1, 1, 1]),
        _example(tf, v=[5, 6], n=[2], s=[0, 2], f=[0], e=[2], i=[0, 0]),
    ]
    ragged = tf.io.RaggedFeature
    features = {
        "lengths": ragged(tf.int64, "v", [ragged.RowLengths("n")]),
        "splits": ragged(tf.int64, "v", [ragged.RowSplits("s")]),
        "starts": ragged(tf.int64, "v", [ragged.RowStarts("f")]),
        "limits": ragged(tf.int64, "v", [ragged.RowLimits("e")]),
        "ids": ragged(tf.int64, "v", [ragged.ValueRowIds("i")]),
        "uniform": ragged(tf.int64, "v", [ragged.UniformRowLength(2)]),
    }
    return [
        _readable(tf.io.parse_example(records, features)),
        _readable(tf.io.parse_single_example(records[0], features)),
    ]


def ragged_features_with_two_partitions(tf):
    records = [
        _example(tf, v=[1, 2, 3, 4, 5], n=[2, 1, 2], m=[1, 2]),
        _example(tf, v=[6], n=[1, 0], m=[2]),
    ]
    ragged = tf.io.RaggedFeature
    features = {"x": ragged(tf.int64, "v", [ragged.RowLengths("m"), ragged.RowLengths("n")])}
    return [
        _readable(tf.io.parse_example(records, features)),
        _readable(tf.io.parse_single_example(records[0], features)),
    ]


def sparse_features(tf):
    records = [
        _example(tf, i=[3, 0], v=[0.5, 1.5]),
        _example(tf, i=[1], v=[2.5]),
    ]
    features = {"x": tf.io.SparseFeature("i", "v", tf.float32, 5)}
    return [
        _readable(tf.io.parse_example(records, features)),
        _readable(tf.io.parse_single_example(records[0], features)),
    ]


def sparse_features_of_a_matrix(tf):
    records = [_example(tf, i=[3, 0], j=[1, 2], v=[0.5, 1.5])]
    features = {"x": tf.io.SparseFeature(["i", "j"], "v", tf.float32, [5, 4])}
    return _readable(tf.io.parse_example(records, features))


def sequence_features(tf):
    records = [_example(tf, a=[1, 2, 3, 4]), _example(tf), _example(tf, a=[5, 6])]
    features = {
        "a": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
        "pairs": tf.io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True),
    }
    single = {"a": tf.io.FixedLenSequenceFeature([2], tf.int64, allow_missing=True)}
    padded = {"a": tf.io.FixedLenSequenceFeature([], tf.int64, True, default_value=-1)}
    return [
        _readable(tf.io.parse_example(records, features)),
        _readable(tf.io.parse_example(records, padded)),
        _readable(tf.io.parse_single_example(records[0], single)),
    ]


def sequence_feature_that_may_not_miss(tf):
    return tf.io.parse_example(
        [_example(tf, a=[1])], {"a": tf.io.FixedLenSequenceFeature([], tf.int64)}
    )


def required_feature_is_missing(tf):
    return tf.io.parse_example([_example(tf, b=[1])], {"a": tf.io.FixedLenFeature([], tf.int64)})


def feature_of_another_type(tf):
    return tf.io.parse_example([_example(tf, a=[1.5])], {"a": tf.io.FixedLenFeature([], tf.int64)})


def feature_of_another_size(tf):
    return tf.io.parse_example([_example(tf, a=[1, 2])], {"a": tf.io.FixedLenFeature([], tf.int64)})


def feature_of_an_odd_type(tf):
    return tf.io.parse_example([_example(tf, a=[1])], {"a": tf.io.FixedLenFeature([], tf.int32)})


def example_that_is_none(tf):
    return tf.io.parse_example([b"nonsense"], {"a": tf.io.FixedLenFeature([], tf.int64)})


def example_cut_short(tf):
    record = _example(tf, a=[1, 2, 3])[:-2]
    return tf.io.parse_example([record], {"a": tf.io.VarLenFeature(tf.int64)})


def features_without_one(tf):
    return tf.io.parse_example([_example(tf, a=[1])], {})


def feature_that_is_none(tf):
    return tf.io.parse_example([_example(tf, a=[1])], {"a": tf.int64})


def values_that_are_not_packed(tf):
    floats = b"\x0d" + struct.pack("<f", 1.5) + b"\x0d" + struct.pack("<f", 2.5)
    ints = b"\x08\x05\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"

    def entry(key, tag, content):
        feature = bytes([tag, len(content)]) + content
        pair = b"\x0a" + bytes([len(key)]) + key + b"\x12" + bytes([len(feature)]) + feature
        return b"\x0a" + bytes([len(pair)]) + pair

    body = entry(b"f", 0x12, floats) + entry(b"i", 0x1A, ints)
    record = b"\x0a" + bytes([len(body)]) + body
    features = {"f": tf.io.VarLenFeature(tf.float32), "i": tf.io.VarLenFeature(tf.int64)}
    return _readable(tf.io.parse_single_example(record, features))


def many_integers(tf):
    numbers = [0, 1, 127, 128, 300, -1, 2**31, -(2**63), 2**63 - 1] * 7
    record = _example(tf, a=numbers)
    return _readable(tf.io.parse_single_example(record, {"a": tf.io.VarLenFeature(tf.int64)}))


def examples_in_a_map(tf):
    dataset = tf.data.Dataset.from_tensor_slices(
        [_example(tf, a=[1], b=[0.5, 1.5]), _example(tf, a=[2], b=[2.5])]
    )
    features = {"a": tf.io.FixedLenFeature([], tf.int64), "b": tf.io.VarLenFeature(tf.float32)}
    single = dataset.map(lambda x: tf.io.parse_single_example(x, features))
    batched = dataset.batch(2).map(lambda x: tf.io.parse_example(x, features))
    return [_all(single), _all(batched), str(single.element_spec), str(batched.element_spec)]


def sequence_examples(tf):
    records = [
        _sequence(tf, {"n": [7]}, {"x": [[1, 2], [3, 4]], "t": [[b"a"], [b"b", b"c"]]}),
        _sequence(tf, {"n": [8]}, {"x": [[5, 6]], "t": []}),
    ]
    context = {"n": tf.io.FixedLenFeature([], tf.int64)}
    lists = {
        "x": tf.io.FixedLenSequenceFeature([2], tf.int64),
        "t": tf.io.VarLenFeature(tf.string),
    }
    return [
        _readable(tf.io.parse_sequence_example(records, context, lists)),
        _readable(tf.io.parse_single_sequence_example(records[0], context, lists)),
    ]


def sequence_examples_as_ragged(tf):
    records = [
        _sequence(tf, {"c": [1, 2]}, {"t": [[1], [2, 3]]}),
        _sequence(tf, {}, {"t": [[4]]}),
    ]
    context = {"c": tf.io.RaggedFeature(tf.int64)}
    lists = {"t": tf.io.RaggedFeature(tf.int64)}
    return [
        _readable(tf.io.parse_sequence_example(records, context, lists)),
        _readable(tf.io.parse_single_sequence_example(records[0], context, lists)),
    ]


def sequence_example_without_a_list(tf):
    record = _sequence(tf, {}, {})
    return tf.io.parse_single_sequence_example(
        record, sequence_features={"x": tf.io.FixedLenSequenceFeature([], tf.int64)}
    )


def sequence_example_that_may_miss_a_list(tf):
    record = _sequence(tf, {}, {})
    return _readable(
        tf.io.parse_single_sequence_example(
            record,
            sequence_features={"x": tf.io.FixedLenSequenceFeature([2], tf.int64, True)},
        )
    )


def sequence_example_of_another_shape(tf):
    record = _sequence(tf, {}, {"x": [[1], [2, 3]]})
    return tf.io.parse_single_sequence_example(
        record, sequence_features={"x": tf.io.FixedLenSequenceFeature([], tf.int64)}
    )


def records(tf):
    path = os.path.join(_folder(), "a")
    with tf.io.TFRecordWriter(path) as writer:
        for text in (b"first", b"", b"x" * 300):
            writer.write(text)
    with open(path, "rb") as file:
        content = file.read()
    return [content.hex(), _all(tf.data.TFRecordDataset(path))]


def compressed_records(tf):
    found = []
    for kind in ("GZIP", "ZLIB"):
        path = os.path.join(_folder(), "a")
        with tf.io.TFRecordWriter(path, kind) as writer:
            writer.write(b"first")
            writer.write(b"second")
        with open(path, "rb") as file:
            content = file.read()
        plain = gzip.decompress(content) if kind == "GZIP" else zlib.decompress(content)
        found.append([plain.hex(), _all(tf.data.TFRecordDataset(path, kind))])
    return found


def records_of_several_files(tf):
    folder = _folder()
    for name in "ab":
        with tf.io.TFRecordWriter(os.path.join(folder, name)) as writer:
            for i in range(3):
                writer.write(f"{name}{i}".encode())
    paths = [os.path.join(folder, name) for name in "ab"]
    names = tf.data.Dataset.from_tensor_slices(paths)
    return [
        _all(tf.data.TFRecordDataset(paths)),
        _all(tf.data.TFRecordDataset(names)),
        _all(tf.data.TFRecordDataset(paths, num_parallel_reads=2)),
        _all(names.flat_map(tf.data.TFRecordDataset)),
        _all(names.interleave(lambda p: tf.data.TFRecordDataset(p), cycle_length=2)),
    ]


def records_that_are_damaged(tf):
    path = os.path.join(_folder(), "a")
    with tf.io.TFRecordWriter(path) as writer:
        writer.write(b"first")
        writer.write(b"second")
    with open(path, "r+b") as file:
        file.seek(30)
        file.write(b"?")
    return _all(tf.data.TFRecordDataset(path))


def records_that_are_cut_short(tf):
    path = os.path.join(_folder(), "a")
    with tf.io.TFRecordWriter(path) as writer:
        writer.write(b"first")
    with open(path, "r+b") as file:
        file.truncate(18)
    return _all(tf.data.TFRecordDataset(path))


def records_of_no_file(tf):
    return _all(tf.data.TFRecordDataset("/nowhere/at/all"))


def record_that_is_none(tf):
    with tf.io.TFRecordWriter(os.path.join(_folder(), "a")) as writer:
        writer.write(5)


def compression_that_does_not_exist(tf):
    return tf.io.TFRecordOptions("LZ77")


def lines(tf):
    path = os.path.join(_folder(), "a")
    with open(path, "wb") as file:
        file.write(b"one\ntwo\r\n\nlast")
    packed = os.path.join(_folder(), "b")
    with open(packed, "wb") as file:
        file.write(gzip.compress(b"a\nb\n"))
    return [
        _all(tf.data.TextLineDataset(path)),
        _all(tf.data.TextLineDataset([path, path]).skip(3)),
        _all(tf.data.TextLineDataset(packed, compression_type="GZIP")),
    ]


def fixed_length_records(tf):
    path = os.path.join(_folder(), "a")
    with open(path, "wb") as file:
        file.write(b"HEADabcdefFOOT")
    return _all(tf.data.FixedLengthRecordDataset(path, 2, header_bytes=4, footer_bytes=4))


def fixed_length_records_that_do_not_fit(tf):
    path = os.path.join(_folder(), "a")
    with open(path, "wb") as file:
        file.write(b"abcde")
    return _all(tf.data.FixedLengthRecordDataset(path, 2))


def _csv(content):
    path = os.path.join(_folder(), "a.csv")
    with open(path, "wb") as file:
        file.write(content)
    return path


def csv_rows(tf):
    path = _csv(b'1,a,0.5\n2,"b, ""c""",\n3,"two\nlines",1e3\n')
    dataset = tf.data.experimental.CsvDataset
    return [
        _all(dataset(path, [tf.int32, tf.string, 8.5])),
        _all(dataset(path, [tf.int64], select_cols=[0])),
        _all(dataset(path, [tf.string], exclude_cols=[0, 2])),
        str(dataset(path, [tf.int32, tf.string, 8.5]).element_spec),
    ]


def csv_rows_with_a_header(tf):
    path = _csv(b"x;y\n1;NA\n3;4\n")
    return _all(
        tf.data.experimental.CsvDataset(
            path,
            [tf.int32, tf.constant([7], tf.int32)],
            header=True,
            field_delim=";",
            na_value="NA",
        )
    )


def csv_without_a_field(tf):
    return _all(tf.data.experimental.CsvDataset(_csv(b"1,\n"), [tf.int32, tf.int32]))


def csv_with_a_field_more(tf):
    return _all(tf.data.experimental.CsvDataset(_csv(b"1,2,3\n"), [tf.int32, tf.int32]))


def csv_with_another_type(tf):
    return _all(tf.data.experimental.CsvDataset(_csv(b"1,x\n"), [tf.int32, tf.int32]))


def _rows_and_errors(tf, content, kinds, **settings):
    rows = iter(tf.data.experimental.CsvDataset(_csv(content), kinds, **settings))
    found = []
    while True:
        try:
            found.append([str(_readable(field))[:9] for field in next(rows)])
        except StopIteration:
            return found
        except tf.errors.InvalidArgumentError:
            found.append("InvalidArgumentError")


_CSV_TEXTS = [
    b"1,a\n2,b\n",
    b"1,a\r\n2,b\r\n",
    b"1,a\r2,b\r",
    b"1,a\n\n2,b",
    b"",
    b"\n",
    b"1,a\n,b\n3,\n",
    b'1,a\n2,"b\nc"\n3,d\n',
    b'1,a"x\n2,b\n',
    b"x,a\n2,b\n3,c,d\n4,e\n",
    b"99999999999,a\n1,b\n",
    b" 1,a\n+1 ,b\n1e3,c\n",
    b"1,a\0b\n2,\0\n",
    b"1,a\n2,b\r\n3,c\n4,d\r",
    b'1,"a""q"\n2,""\n3,"\n',
    b"1,\xc3\xa9\n2,NA\n3,na\n",
]


def csv_texts(tf):
    return [_rows_and_errors(tf, text, [tf.int32, tf.string]) for text in _CSV_TEXTS]


def csv_texts_with_defaults(tf):
    return [_rows_and_errors(tf, text, [[7], ["z"]], na_value="é") for text in _CSV_TEXTS]


def csv_texts_with_a_header(tf):
    return [_rows_and_errors(tf, text, [[7], ["z"]], header=True) for text in _CSV_TEXTS]


def csv_texts_of_one_column(tf):
    return [_rows_and_errors(tf, text, [["z"]], select_cols=[1]) for text in _CSV_TEXTS]


def csv_texts_without_quotes(tf):
    kinds = [tf.string, tf.string]
    return [_rows_and_errors(tf, text, kinds, use_quote_delim=False) for text in _CSV_TEXTS]


def csv_fields_longer_than_a_buffer(tf):
    text = b"1," + b"x" * 200_000 + b'\n2,"' + b'y""\n' * 100_000 + b'"\n3,"a"\n4,' + b"z" * 300_000
    return _rows_and_errors(tf, text, [tf.int32, tf.string])


def csv_columns(tf):
    path = _csv(b"x,y,name,big\n1,0.5,a,5000000000\n2,1.5,b,2\n3,2.5,c,3\n")
    make = tf.data.experimental.make_csv_dataset
    plain = make(path, 2, num_epochs=1, shuffle=False)
    labelled = make(path, 2, label_name="y", num_epochs=1, shuffle=False, select_columns=["x", "y"])
    return [
        [{k: _readable(v) for k, v in batch.items()} for batch in plain],
        [[{k: _readable(v) for k, v in x.items()}, _readable(y)] for x, y in labelled],
        str(plain.element_spec),
    ]


def csv_columns_with_defaults(tf):
    path = _csv(b"1,,a\n2,5,\n")
    made = tf.data.experimental.make_csv_dataset(
        path,
        2,
        column_names=["a", "b", "c"],
        column_defaults=[tf.int64, 1.5, "none"],
        header=False,
        num_epochs=1,
        shuffle=False,
    )
    return [{k: _readable(v) for k, v in batch.items()} for batch in made]


def csv_columns_without_a_label(tf):
    return tf.data.experimental.make_csv_dataset(_csv(b"x,y\n1,2\n"), 2, label_name="z")


def _tried(call):
    """What a call gives, or the name of the class that it raises."""
    try:
        return call()
    except Exception as error:
        return type(error).__name__


_LINES = {
    "plain": [f"{i},{i}.25,n{i}" for i in range(40)],
    "empty fields": [f"{i},{i}.5,n{i}" if i % 7 else ",," for i in range(40)],
    "another word for missing": [f"{i},{i}.5,n{i}" if i % 7 else "NA,NA,NA" for i in range(40)],
    "quotes": [f'{i},"{i}.5","a, ""{i}"""' for i in range(40)],
    "quotes in one": [*[f"{i},1,n" for i in range(40)], '7,2,"x,y"'],
    "a quote within": [*[f"{i},1,n" for i in range(40)], '7,2,x"y'],
    "a field less": [*[f"{i},1,n" for i in range(40)], "7,2"],
    "a field more": [*[f"{i},1,n" for i in range(40)], "7,2,3,4"],
    "no number": [*[f"{i},1,n" for i in range(40)], "7,x,3"],
    "ends of lines": [f"{i},{i}.5,n\n" for i in range(40)],
    "long numbers": [f"{i},{i}.123456789012345678,n" for i in range(40)],
    "signs and exponents": [f"-{i},{i}e-2,n" for i in range(40)],
    "long words": [f"{i},1,{'n' * i}" for i in range(40)],
}


def many_lines_of_csv(tf):
    def decode(lines):
        columns = tf.io.decode_csv(lines, [[-1], [-2.0], ["none"]], na_value="NA")
        return [_readable(column) for column in columns]

    return {name: _tried(lambda lines=lines: decode(lines)) for name, lines in _LINES.items()}


def chosen_columns_of_many_lines(tf):
    lines = [f"{i},x,{i}.5" for i in range(20)]
    defaults = [[0], [0.0]]
    columns = tf.io.decode_csv(lines, defaults, select_cols=[0, 2])
    return [_readable(column) for column in columns]


def csv_in_a_map(tf):
    def parse(line):
        *numbers, name = tf.io.decode_csv(line, [[0.0], [0.0], [""]])
        return tf.stack(numbers), tf.strings.upper(name)

    lines = tf.data.Dataset.from_tensor_slices([f"{i},{i}.5,n{i}" for i in range(5)])
    return _all(lines.map(parse)), _all(lines.map(parse).batch(2)), str(lines.map(parse))


_FILES = {
    "a word with a quote": b'c,1\na"b,2\nd,3\n',
    "an open quote": b'c,1\n"ab,2\nd,3\n',
    "no number": b"c,1\nx,y\nd,3\n",
    "a field less": b"c,1\nx\nd,3\n",
    "an underscore": b"c,1\nx,1_0\nd,3\n",
    "hexadecimal": b"c,1\nx,0x10\nd,3\n",
}


def csv_rows_after_an_error(tf):
    def rows(text):
        return tf.data.experimental.CsvDataset(_csv(text), [tf.string, tf.float32])

    return {
        name: [_tried(lambda text=text: _all(rows(text))), _all(rows(text).ignore_errors())]
        for name, text in _FILES.items()
    }


def csv_with_columns_for_other_defaults(tf):
    path = _csv(b"1,2\n")
    return _all(tf.data.experimental.CsvDataset(path, [tf.int32] * 2, select_cols=[1]))


def csv_with_numbers_for_dtypes(tf):
    return _all(tf.data.experimental.CsvDataset(_csv(b"1,2\n"), [3, 7]))


def empty_files_that_should_be_compressed(tf):
    path = _csv(b"")
    return [
        _all(tf.data.TFRecordDataset(path, "GZIP")),
        _all(tf.data.TextLineDataset(path, "ZLIB")),
        _all(tf.data.FixedLengthRecordDataset(path, 4, compression_type="GZIP")),
    ]


def readers_with_small_integers(tf):
    path, three = _csv(b"abc"), tf.constant(3)
    return [
        _tried(lambda: _all(tf.data.TextLineDataset(path, buffer_size=three))),
        _tried(lambda: _all(tf.data.TextLineDataset(path, num_parallel_reads=three))),
        _tried(lambda: _all(tf.data.FixedLengthRecordDataset(path, three))),
        _tried(lambda: _all(tf.data.FixedLengthRecordDataset(path, tf.cast(three, tf.int64)))),
    ]


def rows_of_a_database(tf):
    path = os.path.join(_folder(), "a.db")
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (name TEXT, age INTEGER, size REAL)")
        connection.execute("INSERT INTO t VALUES ('Ada', 36, 1.5), ('Bob', -1, 2.0)")
    connection.close()
    query = "SELECT name, age, size FROM t ORDER BY name"
    kinds = (tf.string, tf.int32, tf.float64)
    return _all(tf.data.experimental.SqlDataset("sqlite", path, query, kinds))


def listed_files(tf):
    folder = _folder()
    for name in ("b.txt", "a.txt", "c.csv", "d.txt"):
        open(os.path.join(folder, name), "w").close()
    short = len(folder) + 1
    list_files = tf.data.Dataset.list_files
    return [
        [x[short:] for x in _all(list_files(folder + "/*.txt", shuffle=False))],
        [x[short:] for x in _all(list_files(folder + "/*", seed=7))],
        [x[short:] for x in _all(list_files([folder + "/a.*", folder + "/c*"], shuffle=False))],
        len(list_files(folder + "/*")),
    ]


def listed_files_that_are_none(tf):
    return tf.data.Dataset.list_files("/nowhere/*.txt")


def whole_files(tf):
    folder = _folder()
    path = os.path.join(folder, "new", "a.txt")
    tf.io.write_file(path, "hello")
    tf.io.write_file(path, "again")
    return [
        _readable(tf.io.read_file(path)),
        [x[len(folder) :] for x in _readable(tf.io.matching_files(folder + "/*/a*"))],
        _readable(tf.io.matching_files(folder + "/nothing*")),
    ]


def file_that_is_missing(tf):
    return tf.io.read_file("/nowhere/at/all")


def files_in_a_map(tf):
    folder = _folder()
    for name in "ab":
        tf.io.write_file(os.path.join(folder, name), name * 3)
    dataset = tf.data.Dataset.list_files(folder + "/*", shuffle=False)
    return _all(dataset.map(tf.io.read_file))


def saved_and_loaded(tf):
    path = os.path.join(_folder(), "saved")
    dataset = tf.data.Dataset.from_tensor_slices(({"a": [1, 2, 3]}, ["x", "y", "z"]))
    dataset.save(path)
    loaded = tf.data.Dataset.load(path)
    return [_all(loaded), str(loaded.element_spec), len(loaded)]


def loaded_from_nowhere(tf):
    return tf.data.Dataset.load("/nowhere/at/all")


def cached_in_a_file(tf):
    path = os.path.join(_folder(), "cache")
    calls = []

    def note(x):
        calls.append(int(x))
        return x

    dataset = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(note, [x], tf.int64))
    cached = dataset.cache(path)
    return [_all(cached), _all(cached), len(calls), bool(os.listdir(os.path.dirname(path)))]


def snapshots(tf):
    path = _folder()
    calls = []

    def note(x):
        calls.append(int(x))
        return x

    dataset = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(note, [x], tf.int64))
    kept = dataset.snapshot(path)
    return [_all(kept), _all(kept), len(calls)]


def lines_with_carriage_returns(tf):
    texts = [b"a\rb\nc\r\r\n\rd", b"\r\n", b"\r", b"a\r", b"\r\r\nx"]
    found = []
    for text in texts:
        path = os.path.join(_folder(), "lines")
        tf.io.write_file(path, text)
        found.append(_all(tf.data.TextLineDataset(path)))
    return found


def nothing_decompressed(tf):
    kinds = ("", "GZIP", "ZLIB")
    return [_readable(tf.io.decode_compressed([b"", b""], kind)) for kind in kinds]


def kept_by_functions(tf):
    path = os.path.join(_folder(), "rows")
    Dataset = tf.data.Dataset

    @tf.function
    def write(n):
        rows = Dataset.range(n).map(lambda x: (x, tf.RaggedTensor.from_row_lengths([x], [1])))
        rows.save(path, shard_func=lambda x, y: x % 2)
        return n

    @tf.function
    def read(**options):
        return Dataset.load(path, **options).reduce(np.int64(0), lambda s, x: s * 10 + x[0])

    @tf.function
    def keep(n, folder):
        return Dataset.range(n).snapshot(folder).reduce(np.int64(0), lambda s, x: s * 10 + x)

    write(tf.constant(5, tf.int64))
    shards = Dataset.load(path, reader_func=lambda shards: shards.flat_map(lambda x: x).take(3))
    folder = tf.constant(_folder())
    found = [int(keep(tf.constant(n, tf.int64), folder)) for n in (4, 4, 5)]
    return [int(read()), len(shards), _all(shards.map(lambda x, y: x)), repr(shards)[:14], found]


def serialized_tensors(tf):
    tensor = tf.constant([[1, 2], [3, 4]])
    return _readable(tf.io.parse_tensor(tf.io.serialize_tensor(tensor), tf.int32))


def _steps(tf, steps):
    """A record whose feature lists are values, and how they are cut."""
    example = tf.train.SequenceExample()
    lists = example.feature_lists.feature_list
    for values, cuts in steps:
        lists["v"].feature.add().int64_list.value.extend(values)
        lists["n"].feature.add().int64_list.value.extend(cuts)
    return example.SerializeToString()


def _cut_lists(tf, partitions, records):
    feature = tf.io.RaggedFeature(tf.int64, value_key="v", partitions=partitions)
    serialized = [_steps(tf, steps) for steps in records]
    _, lists, lengths = tf.io.parse_sequence_example(serialized, sequence_features={"r": feature})
    _, single = tf.io.parse_single_sequence_example(serialized[0], sequence_features={"r": feature})
    found = [lists["r"], single["r"]]
    return [[_readable(r), r.shape.as_list(), r.row_splits.dtype.name] for r in found], len(lengths)


def lists_cut_by_row_lengths(tf):
    records = [[([1, 2, 3], [2, 1]), ([4], [0, 1])], [([], []), ([5, 6], [2])]]
    return _cut_lists(tf, [tf.io.RaggedFeature.RowLengths("n")], records)


def lists_cut_by_row_splits(tf):
    records = [[([1, 2, 3], [0, 2, 3]), ([4], [0, 0, 1])], [([5, 6], [0, 2])]]
    return _cut_lists(tf, [tf.io.RaggedFeature.RowSplits("n")], records)


def lists_cut_by_row_limits(tf):
    records = [[([1, 2, 3], [2, 3]), ([4], [0, 1])], [([5, 6], [2])]]
    return _cut_lists(tf, [tf.io.RaggedFeature.RowLimits("n")], records)


def lists_cut_by_row_starts(tf):
    records = [[([1, 2, 3], [0, 2]), ([4], [0])], [([5, 6], [0])]]
    return _cut_lists(tf, [tf.io.RaggedFeature.RowStarts("n")], records)


def lists_cut_by_row_ids(tf):
    records = [[([1, 2, 3], [0, 0, 1]), ([4], [1])], [([5, 6], [0, 0])]]
    return _cut_lists(tf, [tf.io.RaggedFeature.ValueRowIds("n")], records)


def lists_cut_by_one_length(tf):
    records = [[([1, 2, 3, 4], []), ([5, 6], [])], [([7, 8], [])]]
    return _cut_lists(tf, [tf.io.RaggedFeature.UniformRowLength(2)], records)


def lists_cut_twice(tf):
    records = [[([1, 2, 3, 4], [1, 3]), ([5, 6], [1, 1])], [([7, 8], [2, 0])]]
    kinds = tf.io.RaggedFeature
    return _cut_lists(tf, [kinds.UniformRowLength(2), kinds.RowLengths("n")], records)


def features_cut_by_one_length(tf):
    feature = tf.io.RaggedFeature(
        tf.int64, value_key="v", partitions=[tf.io.RaggedFeature.UniformRowLength(2)]
    )
    records = [
        tf.train.Example(features=tf.train.Features(feature={"v": _feature(tf, values)}))
        for values in ([1, 2, 3, 4], [5, 6])
    ]
    found = tf.io.parse_example([r.SerializeToString() for r in records], {"r": feature})["r"]
    return [_readable(found), found.shape.as_list(), found.ragged_rank]


def snapshots_read_by_a_function(tf):
    def reader(shards):
        return shards.interleave(lambda shard: shard, cycle_length=3, block_length=2)

    kept = tf.data.Dataset.range(10).snapshot(
        _folder(), reader_func=reader, shard_func=lambda x: x % 3
    )
    return [_all(kept), _all(kept)]


def parallel_batches(tf):
    dataset = tf.data.Dataset.range(5).batch(2, num_parallel_calls=2, deterministic=False)
    return [repr(dataset), sorted(_all(dataset), key=str)]


def paths_are_cleaned(tf):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.rec")
        with tf.io.TFRecordWriter(f"{folder}//a.rec/") as writer:
            writer.write("x")
        with tf.io.gfile.GFile(f"{folder}/./b.txt/", "w") as file:
            file.write("one\ntwo")
        tf.io.write_file(f"{folder}//c.txt", "three")
        return {
            "names": sorted(os.listdir(folder)),
            "records": [
                [r.decode() for r in tf.data.TFRecordDataset(each).as_numpy_iterator()]
                for each in (path, f"{path}/", f"{folder}//a.rec", f"{folder}/d/../a.rec//")
            ],
            "lines": [
                line.decode()
                for line in tf.data.TextLineDataset(f"{folder}/b.txt/").as_numpy_iterator()
            ],
            "whole": [
                tf.io.read_file(f"{folder}//c.txt/").numpy().decode(),
                tf.io.gfile.GFile(f"{folder}/c.txt/").read(),
            ],
        }
