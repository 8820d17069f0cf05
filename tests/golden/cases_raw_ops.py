"""Programs of ops that no public function makes, with handles and files; see `cases.py`."""

import os
import tempfile


def _file():
    return os.path.join(tempfile.mkdtemp(), "saved")


def a_checkpoint_of_the_first_kind(tf):
    path = _file()
    tf.raw_ops.Save(
        filename=path,
        tensor_names=["b", "a"],
        data=[tf.constant([[1.5, 2.5]]), tf.constant([1, 2, 3], tf.int64)],
    )
    read = lambda name, dt: tf.raw_ops.Restore(file_pattern=path, tensor_name=name, dt=dt)  # noqa: E731
    with open(path, "rb") as file:
        return read("a", tf.int64), read("b", tf.float32), file.read(120).hex()


def parts_in_a_checkpoint_of_the_first_kind(tf):
    path = _file()
    x = tf.reshape(tf.range(12.0), [4, 3])
    tf.raw_ops.SaveSlices(
        filename=path,
        tensor_names=["x", "x", "words"],
        shapes_and_slices=["4 3 0,1:-", "4 3 1,3:-", ""],
        data=[x[:1], x[1:], tf.constant(["a", "bc"])],
    )
    part = lambda text: tf.raw_ops.RestoreSlice(  # noqa: E731
        file_pattern=path, tensor_name="x", shape_and_slice=text, dt=tf.float32
    )
    words = tf.raw_ops.Restore(file_pattern=path, tensor_name="words", dt=tf.string)
    with open(path, "rb") as file:
        texts = [word.decode() for word in words.numpy()]
        return part(""), part("4 3 1,2:0,2"), texts, file.read(200).hex()


def many_dtypes_in_a_checkpoint_of_the_first_kind(tf):
    path = _file()
    kinds = [tf.float64, tf.int32, tf.uint8, tf.int8, tf.int16, tf.bool, tf.complex64, tf.float16]
    names = [kind.name for kind in kinds]
    data = [tf.cast([0, 1, 1], kind) for kind in kinds]
    tf.raw_ops.Save(filename=path, tensor_names=names, data=data)
    return [
        tf.raw_ops.Restore(file_pattern=path, tensor_name=name, dt=kind)
        for name, kind in zip(names, kinds)
    ]


def _restored(tf, name="x", dt="float32", text="", save=True):
    path = _file()
    if save:
        tf.raw_ops.Save(filename=path, tensor_names=["x"], data=[tf.constant([1.0, 2.0])])
    return tf.raw_ops.RestoreSlice(file_pattern=path, tensor_name=name, shape_and_slice=text, dt=dt)


def restoring_what_is_not_there(tf):
    return _restored(tf, save=False)


def restoring_an_unknown_name(tf):
    return _restored(tf, name="y")


def restoring_another_dtype(tf):
    return _restored(tf, dt="int32")


def restoring_a_part_of_another_shape(tf):
    return _restored(tf, text="3 0,1")


def restoring_a_part_that_is_not_inside(tf):
    return _restored(tf, text="2 1,4")


def restoring_nonsense(tf):
    return _restored(tf, text="abc")


def saving_too_few_names(tf):
    return tf.raw_ops.Save(filename=_file(), tensor_names=["x"], data=[1.0, 2.0])


def _vocabularies(old, new):
    paths = [_file(), _file()]
    for path, words in zip(paths, (old, new)):
        with open(path, "w") as file:
            file.writelines(f"{word}\n" for word in words.split())
    return paths


def _remapping(tf, old="a b c d", new="d x a b", **options):
    paths = _vocabularies(old, new)
    how = {"new_vocab_offset": 0, "num_new_vocab": 4} | options
    return tf.raw_ops.GenerateVocabRemapping(
        new_vocab_file=paths[1], old_vocab_file=paths[0], **how
    )


def a_vocabulary_in_another_order(tf):
    return _remapping(tf)


def a_part_of_a_vocabulary(tf):
    return _remapping(tf, new_vocab_offset=1, num_new_vocab=2, old_vocab_size=1)


def too_few_new_words(tf):
    return _remapping(tf, new_vocab_offset=2, num_new_vocab=3)


def an_old_word_that_stands_twice(tf):
    return _remapping(tf, old="a b a")


def no_vocabulary_file(tf):
    return tf.raw_ops.GenerateVocabRemapping(
        new_vocab_file=_file(), old_vocab_file=_file(), new_vocab_offset=0, num_new_vocab=1
    )


def _matrix(tf, rows, columns, values, **options):
    path = _file()
    tf.raw_ops.SaveV2(
        prefix=path,
        tensor_names=["x"],
        shape_and_slices=[""],
        tensors=[tf.reshape(tf.range(12.0), [4, 3])],
    )
    how = {"num_rows": len(rows), "num_cols": 3} | options
    return tf.raw_ops.LoadAndRemapMatrix(
        ckpt_path=path,
        old_tensor_name="x",
        row_remapping=tf.constant(rows, tf.int64),
        col_remapping=tf.constant(columns, tf.int64),
        initializing_values=tf.constant(values, tf.float32),
        **how,
    )


def a_matrix_with_its_rows_in_another_order(tf):
    return _matrix(tf, [2, -1, 0], [], [7.0, 8.0, 9.0])


def a_matrix_with_other_columns(tf):
    return _matrix(tf, [3, -1], [-1, 1], [5.0, 6.0, 7.0], num_cols=2, max_rows_in_memory=1)


def a_matrix_with_too_few_values(tf):
    return _matrix(tf, [2, -1, 0], [], [7.0])


def a_matrix_with_a_row_twice(tf):
    return _matrix(tf, [2, 2], [], [])


def a_matrix_with_a_row_that_is_not_there(tf):
    return _matrix(tf, [4], [], [])


def a_mutex_is_held_until_it_is_consumed(tf):
    mutex = tf.raw_ops.MutexV2()
    for _ in range(2):
        tf.raw_ops.ConsumeMutexLock(mutex_lock=tf.raw_ops.MutexLock(mutex=mutex))
    return 1


def a_mutex_that_is_forgotten(tf):
    mutex = tf.raw_ops.MutexV2(shared_name="mutex of two")
    lock = tf.raw_ops.MutexLock(mutex=mutex)
    del lock
    return tf.raw_ops.MutexLock(mutex=tf.raw_ops.MutexV2(shared_name="mutex of two")).shape.rank


def a_map_of_tensors(tf):
    ops = tf.raw_ops
    empty = ops.EmptyTensorMap()
    one = ops.TensorMapInsert(input_handle=empty, key=1, value=[1.5])
    two = ops.TensorMapInsert(input_handle=one, key=2, value=[2.5])
    again = ops.TensorMapInsert(input_handle=two, key=1, value=[9.0])
    less = ops.TensorMapErase(input_handle=again, key=2, value_dtype=tf.float32)
    look = lambda held, key: ops.TensorMapLookup(  # noqa: E731
        input_handle=held, key=key, value_dtype=tf.float32
    )
    keys = ops.TensorMapStackKeys(input_handle=two, key_dtype=tf.int32)
    return {
        "sizes": [ops.TensorMapSize(input_handle=m) for m in (empty, one, two, again, less)],
        "values": [look(one, 1), look(two, 2), look(again, 1), look(two, 1)],
        "keys": tf.sort(keys),
        "has": [ops.TensorMapHasKey(input_handle=m, key=2) for m in (one, two, less)],
    }


def a_key_that_a_map_has_not(tf):
    return tf.raw_ops.TensorMapLookup(
        input_handle=tf.raw_ops.EmptyTensorMap(), key=1, value_dtype=tf.float32
    )


def erasing_a_key_that_a_map_has_not(tf):
    return tf.raw_ops.TensorMapErase(
        input_handle=tf.raw_ops.EmptyTensorMap(), key=1, value_dtype=tf.float32
    )


def a_map_in_a_function(tf):
    @tf.function
    def run(x):
        held = tf.raw_ops.TensorMapInsert(
            input_handle=tf.raw_ops.EmptyTensorMap(), key="k", value=x
        )
        return tf.raw_ops.TensorMapLookup(input_handle=held, key="k", value_dtype=tf.float32) + 1.0

    return run(tf.constant([1.0, 2.0]))


def _list(tf, *parts, shape=(-1,)):
    made = tf.raw_ops.EmptyTensorList(
        element_shape=tf.constant(shape, tf.int32), max_num_elements=-1, element_dtype=tf.float32
    )
    for part in parts:
        made = tf.raw_ops.TensorListPushBack(input_handle=made, tensor=part)
    return made


def a_list_concatenated_the_old_way(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        joined = tf.raw_ops.TensorListConcat(
            input_handle=_list(tf, x, x[:1] * 3.0), element_dtype=tf.float32, element_shape=[None]
        )
    return joined, tape.gradient(joined.tensor, x, tf.constant([1.0, 2.0, 3.0]))


def a_list_scattered_the_old_way(tf):
    x = tf.constant([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        made = tf.raw_ops.TensorListScatter(tensor=x, indices=[2, 0], element_shape=[1])
        item = tf.raw_ops.TensorListGetItem(
            input_handle=made, index=2, element_shape=[1], element_dtype=tf.float32
        )
    size = tf.raw_ops.TensorListLength(input_handle=made)
    return size, item, tape.gradient(item, x)


def two_lists_in_one(tf):
    joined = tf.raw_ops.TensorListConcatLists(
        input_a=_list(tf, [1.0]), input_b=_list(tf, [2.0], [3.0]), element_dtype=tf.float32
    )
    return tf.raw_ops.TensorListStack(
        input_handle=joined, element_shape=[1], element_dtype=tf.float32
    )


def pushing_to_no_batch(tf):
    pushed = tf.raw_ops.TensorListPushBackBatch(input_handles=_list(tf, [1.0]), tensor=[5.0])
    return tf.raw_ops.TensorListStack(
        input_handle=pushed, element_shape=[1], element_dtype=tf.float32
    )


def pushing_another_dtype(tf):
    return tf.raw_ops.TensorListPushBackBatch(input_handles=_list(tf, [1.0]), tensor=[5])


# The type spec of a sparse tensor, as a serialized CompositeTensorVariantMetadata.
_SPARSE = "0a020801"


def the_parts_of_a_composite_value(tf):
    spec = bytes.fromhex(_SPARSE)
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        encoded = tf.raw_ops.CompositeTensorVariantFromComponents(
            components=[x * 3.0, tf.constant([1])], metadata=spec
        )
        parts = tf.raw_ops.CompositeTensorVariantToComponents(
            encoded=encoded, metadata=spec, Tcomponents=[tf.float32, tf.int32]
        )
        y = tf.reduce_sum(parts[0] * [1.0, 10.0])
    return parts, tape.gradient(y, x)


def the_parts_of_another_value(tf):
    encoded = tf.raw_ops.CompositeTensorVariantFromComponents(
        components=[1.0], metadata=bytes.fromhex(_SPARSE)
    )
    return tf.raw_ops.CompositeTensorVariantToComponents(
        encoded=encoded, metadata=bytes.fromhex("0a020803"), Tcomponents=[tf.float32]
    )


def parts_of_another_dtype(tf):
    spec = bytes.fromhex(_SPARSE)
    encoded = tf.raw_ops.CompositeTensorVariantFromComponents(components=[1.0], metadata=spec)
    return tf.raw_ops.CompositeTensorVariantToComponents(
        encoded=encoded, metadata=spec, Tcomponents=[tf.int32]
    )


def a_mutex_in_a_function(tf):
    mutex, v = tf.raw_ops.MutexV2(), tf.Variable(1)

    @tf.function
    def run():
        lock = tf.raw_ops.MutexLock(mutex=mutex)
        with tf.control_dependencies([lock]):
            read = v.assign_add(1)
        with tf.control_dependencies([read]):
            tf.raw_ops.ConsumeMutexLock(mutex_lock=lock)
        return read

    return run(), run()


def _dataset(tf, *args):
    return tf.data.Dataset.range(*args or (6,))


def _numbers(tf, variant, *specs):
    spec = specs[0] if specs else tf.TensorSpec([], tf.int64)
    return list(tf.data.experimental.from_variant(variant, spec))


_SCALARS = {"output_types": ["int64"], "output_shapes": [[]]}


def a_dataset_as_a_graph_and_back(tf):
    variant = tf.data.experimental.to_variant(_dataset(tf).skip(1).batch(2))
    graph = tf.raw_ops.DatasetToGraphV2(input_dataset=variant)
    again = tf.raw_ops.DatasetFromGraph(graph_def=graph)
    return _numbers(tf, again, tf.TensorSpec([None], tf.int64))


def a_mapped_dataset_as_a_graph_and_back(tf):
    variant = tf.data.experimental.to_variant(
        _dataset(tf).map(lambda x: x * 2).filter(lambda x: x > 3)
    )
    graph = tf.raw_ops.DatasetToGraph(input_dataset=variant)
    return _numbers(tf, tf.raw_ops.DatasetFromGraph(graph_def=graph))


def a_dataset_of_no_graph(tf):
    return tf.raw_ops.DatasetFromGraph(graph_def=b"\xff\xff")


def a_dataset_inside_a_variant(tf):
    variant = tf.data.experimental.to_variant(_dataset(tf, 3))
    wrapped = tf.raw_ops.WrapDatasetVariant(input_handle=variant)
    return _numbers(tf, tf.raw_ops.UnwrapDatasetVariant(input_handle=wrapped))


def an_element_by_its_number(tf):
    variant = tf.data.experimental.to_variant(_dataset(tf).map(lambda x: x * 10))
    return tf.raw_ops.GetElementAtIndex(dataset=variant, index=3, **_SCALARS)


def an_element_that_is_not_there(tf):
    variant = tf.data.experimental.to_variant(_dataset(tf))
    return tf.raw_ops.GetElementAtIndex(dataset=variant, index=6, **_SCALARS)


def records_of_a_dataset(tf):
    path = _file()
    words = tf.data.Dataset.from_tensor_slices(["a", "bc"])
    tf.raw_ops.DatasetToTFRecord(
        input_dataset=tf.data.experimental.to_variant(words), filename=path, compression_type=""
    )
    return [record.numpy().decode() for record in tf.data.TFRecordDataset(path)]


def records_of_numbers(tf):
    return tf.raw_ops.DatasetToTFRecord(
        input_dataset=tf.data.experimental.to_variant(_dataset(tf)),
        filename=_file(),
        compression_type="",
    )


def shuffles_the_old_way(tf):
    variant = tf.data.experimental.to_variant(_dataset(tf, 9))
    how = {"input_dataset": variant, "buffer_size": 4, "seed": 3, "seed2": 7, **_SCALARS}
    once = tf.raw_ops.ShuffleDataset(reshuffle_each_iteration=False, **how)
    twice = tf.raw_ops.ShuffleAndRepeatDataset(count=2, reshuffle_each_iteration=False, **how)
    return _numbers(tf, once), _numbers(tf, twice)


def caches_the_old_way(tf):
    variant = tf.data.experimental.to_variant(_dataset(tf, 3))
    made = tf.raw_ops.CacheDataset(input_dataset=variant, filename="", **_SCALARS)
    return _numbers(tf, made)


def names_of_older_versions(tf):
    ops, found = tf.raw_ops, {}
    variant = tf.data.experimental.to_variant(tf.data.Dataset.from_tensor_slices([1, 1, 2, 3, 3]))
    how = {"input_dataset": variant, "output_types": ["int32"], "output_shapes": [[]]}
    spec = tf.TensorSpec([], tf.int32)
    for name in ("Unique", "IgnoreErrors", "NonSerializable"):
        found[name] = _numbers(tf, getattr(ops, f"Experimental{name}Dataset")(**how), spec)
    found["pool"] = _numbers(
        tf, ops.ExperimentalPrivateThreadPoolDataset(num_threads=1, **how), spec
    )
    found["fastest"] = _numbers(
        tf,
        ops.ChooseFastestDataset(
            input_datasets=[variant, variant],
            num_experiments=1,
            output_types=["int32"],
            output_shapes=[[]],
        ),
        spec,
    )
    found["size"] = ops.ExperimentalDatasetCardinality(input_dataset=variant)
    rows = tf.data.experimental.to_variant(_dataset(tf, 4).batch(2))
    found["rows"] = _numbers(tf, ops.ExperimentalUnbatchDataset(input_dataset=rows, **_SCALARS))
    return found


def files_that_match(tf):
    folder = os.path.dirname(_file())
    for name in ("b.txt", "a.txt", "c.bin"):
        with open(os.path.join(folder, name), "w") as file:
            file.write(name)
    made = tf.raw_ops.MatchingFilesDataset(patterns=[os.path.join(folder, "*.txt")])
    return [
        os.path.basename(path.numpy()).decode()
        for path in _numbers(tf, made, tf.TensorSpec([], tf.string))
    ]


def tables_the_old_way(tf):
    path = _file()
    with open(path, "w") as file:
        file.write("a,b\n1,2.5\n3,\n")
    made = tf.raw_ops.CSVDataset(
        filenames=path,
        compression_type="",
        buffer_size=100,
        header=True,
        field_delim=",",
        use_quote_delim=True,
        na_value="",
        select_cols=tf.constant([], tf.int64),
        record_defaults=[tf.constant([0]), tf.constant([9.0])],
        output_shapes=[[], []],
    )
    spec = (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32))
    return _numbers(tf, made, spec)


def _array(tf, size=3, **options):
    return tf.raw_ops.TensorArrayV3(size=size, dtype=tf.float32, **options)


def an_array_of_tensors(tf):
    handle, flow = _array(tf)
    for i in range(3):
        flow = tf.raw_ops.TensorArrayWriteV3(
            handle=handle, index=i, value=[float(i), 1.0], flow_in=flow
        )
    how = {"handle": handle, "flow_in": flow}
    size = tf.raw_ops.TensorArraySizeV3(**how)
    one = tf.raw_ops.TensorArrayReadV3(index=1, dtype=tf.float32, **how)
    rest = tf.raw_ops.TensorArrayGatherV3(indices=[2, 0], dtype=tf.float32, **how)
    tf.raw_ops.TensorArrayCloseV3(handle=handle)
    return size, one, rest, flow


def rows_of_an_array_of_tensors(tf):
    handle, flow = _array(tf, clear_after_read=False)
    flow = tf.raw_ops.TensorArrayScatterV3(
        handle=handle, indices=[2, 0, 1], value=[[1.0], [2.0], [3.0]], flow_in=flow
    )
    joined = tf.raw_ops.TensorArrayConcatV3(handle=handle, flow_in=flow, dtype=tf.float32)
    again = tf.raw_ops.TensorArrayGatherV3(
        handle=handle, indices=[0, 1, 2], flow_in=flow, dtype=tf.float32
    )
    return joined, again


def parts_of_an_array_of_tensors(tf):
    handle, flow = _array(tf, 2)
    flow = tf.raw_ops.TensorArraySplitV3(
        handle=handle, value=[1.0, 2.0, 3.0], lengths=tf.constant([1, 2], tf.int64), flow_in=flow
    )
    read = lambda i: tf.raw_ops.TensorArrayReadV3(  # noqa: E731
        handle=handle, index=i, flow_in=flow, dtype=tf.float32
    )
    return read(0), read(1)


def an_array_of_tensors_that_grows(tf):
    handle, flow = _array(tf, 0, dynamic_size=True, element_shape=[2])
    flow = tf.raw_ops.TensorArrayWriteV3(handle=handle, index=2, value=[1.0, 2.0], flow_in=flow)
    read = lambda i: tf.raw_ops.TensorArrayReadV3(  # noqa: E731
        handle=handle, index=i, flow_in=flow, dtype=tf.float32
    )
    return tf.raw_ops.TensorArraySizeV3(handle=handle, flow_in=flow), read(0), read(2)


def an_element_that_is_read_twice(tf):
    handle, flow = _array(tf)
    tf.raw_ops.TensorArrayWriteV3(handle=handle, index=0, value=1.0, flow_in=flow)
    for _ in range(2):
        tf.raw_ops.TensorArrayReadV3(handle=handle, index=0, flow_in=flow, dtype=tf.float32)


def an_element_that_is_written_twice(tf):
    handle, flow = _array(tf)
    for _ in range(2):
        tf.raw_ops.TensorArrayWriteV3(handle=handle, index=0, value=1.0, flow_in=flow)


def an_element_that_was_not_written(tf):
    handle, flow = _array(tf)
    tf.raw_ops.TensorArrayReadV3(handle=handle, index=0, flow_in=flow, dtype=tf.float32)


def an_element_behind_the_end(tf):
    handle, flow = _array(tf)
    tf.raw_ops.TensorArrayWriteV3(handle=handle, index=3, value=1.0, flow_in=flow)


def an_element_of_another_shape(tf):
    handle, flow = _array(tf, element_shape=[2])
    tf.raw_ops.TensorArrayWriteV3(handle=handle, index=0, value=[1.0], flow_in=flow)


def an_element_of_another_dtype(tf):
    handle, flow = _array(tf)
    tf.raw_ops.TensorArrayWriteV3(handle=handle, index=0, value=1, flow_in=flow)


def a_staging_area(tf):
    ops, how = tf.raw_ops, {"shared_name": "area", "dtypes": ["float32", "int32"]}
    for i in range(3):
        ops.Stage(values=[float(i), i * 10], shared_name="area")
    found = [ops.StageSize(**how), ops.StagePeek(index=1, **how), ops.Unstage(**how)]
    found += [ops.StageSize(**how), ops.Unstage(**how)]
    ops.StageClear(**how)
    return found, ops.StageSize(**how)


def more_than_a_staging_area_may_hold(tf):
    tf.raw_ops.Stage(values=[[1.0, 2.0, 3.0]], memory_limit=8, shared_name="small area")


def _staged_by_number(tf, stage, peek, unstage, unstage_any, size, incomplete_size, clear):
    put = {"shared_name": "by number", "dtypes": ["float32", "int32"]}
    key = lambda number: tf.constant(number, tf.int64)  # noqa: E731
    stage(key=key(3), indices=[0, 1], values=[4.5, 3], **put)
    stage(key=key(9), indices=[1], values=[7], **put)
    sizes = [size(**put), incomplete_size(**put)]
    found = [tf.nest.flatten(unstage_any(indices=[0, 1], **put))]
    stage(key=key(9), indices=[0], values=[0.5], **put)
    stage(key=key(5), indices=[0, 1], values=[7.5, 5], **put)
    found.append(peek(key=key(9), indices=[0, 1], **put))
    found.append(unstage(key=key(9), indices=[1], **put | {"dtypes": ["int32"]}))
    sizes += [size(**put), incomplete_size(**put)]
    clear(**put)
    return sizes, found, size(**put)


def a_staging_area_by_number(tf):
    ops = tf.raw_ops
    steps = (ops.MapStage, ops.MapPeek, ops.MapUnstage, ops.MapUnstageNoKey)
    return _staged_by_number(tf, *steps, ops.MapSize, ops.MapIncompleteSize, ops.MapClear)


def a_staging_area_in_order(tf):
    ops = tf.raw_ops
    steps = (ops.OrderedMapStage, ops.OrderedMapPeek, ops.OrderedMapUnstage)
    sizes = (ops.OrderedMapSize, ops.OrderedMapIncompleteSize, ops.OrderedMapClear)
    return _staged_by_number(tf, *steps, ops.OrderedMapUnstageNoKey, *sizes)


def a_key_that_is_staged_twice(tf):
    how = {"shared_name": "twice", "dtypes": ["float32"], "indices": [0], "values": [1.0]}
    for _ in range(2):
        tf.raw_ops.MapStage(key=tf.constant(1, tf.int64), **how)


def an_element_that_comes_at_once(tf):
    how = {"shared_name": "one", "dtypes": ["float32"], "indices": [1], "values": [1.0]}
    tf.raw_ops.MapStage(key=tf.constant(1, tf.int64), **how)


def an_accumulator(tf):
    ops, found = tf.raw_ops, []
    step = lambda number: tf.constant(number, tf.int64)  # noqa: E731
    for reduction in ("MEAN", "SUM"):
        handle = ops.ResourceConditionalAccumulator(
            dtype=tf.float32, shape=[2], reduction_type=reduction
        )
        for number, gradient in ((0, [1.0, 2.0]), (0, [3.0, 5.0])):
            ops.ResourceAccumulatorApplyGradient(
                handle=handle, local_step=step(number), gradient=gradient
            )
        found.append(ops.ResourceAccumulatorNumAccumulated(handle=handle))
        take = {"handle": handle, "num_required": 1, "dtype": tf.float32}
        found.append(ops.ResourceAccumulatorTakeGradient(**take))
        ops.ResourceAccumulatorApplyGradient(
            handle=handle, local_step=step(0), gradient=[9.0, 9.0]
        )  # of a step that is over
        found.append(ops.ResourceAccumulatorNumAccumulated(handle=handle))
        ops.ResourceAccumulatorSetGlobalStep(handle=handle, new_global_step=step(5))
        for number in (4, 5):
            ops.ResourceAccumulatorApplyGradient(
                handle=handle, local_step=step(number), gradient=[float(number), 1.0]
            )
        found.append(ops.ResourceAccumulatorTakeGradient(**take))
    return found


def a_first_gradient_of_any_shape(tf):
    handle = tf.raw_ops.ResourceConditionalAccumulator(dtype=tf.float32, shape=[2])
    tf.raw_ops.ResourceAccumulatorApplyGradient(
        handle=handle, local_step=tf.constant(0, tf.int64), gradient=[1.0]
    )


def a_gradient_of_another_dtype(tf):
    handle = tf.raw_ops.ResourceConditionalAccumulator(dtype=tf.float32, shape=[2])
    tf.raw_ops.ResourceAccumulatorApplyGradient(
        handle=handle, local_step=tf.constant(0, tf.int64), gradient=[1, 2]
    )


def a_stack(tf):
    ops = tf.raw_ops
    handle = ops.StackV2(max_size=2, elem_type=tf.float32)
    found = [ops.StackPushV2(handle=handle, elem=float(i)) for i in range(2)]
    found += [ops.StackPopV2(handle=handle, elem_type=tf.float32) for _ in range(2)]
    ops.StackCloseV2(handle=handle)
    return found


def a_stack_that_is_full(tf):
    handle = tf.raw_ops.StackV2(max_size=1, elem_type=tf.float32)
    for _ in range(2):
        tf.raw_ops.StackPushV2(handle=handle, elem=1.0)


def a_stack_that_is_empty(tf):
    handle = tf.raw_ops.StackV2(max_size=1, elem_type=tf.float32)
    tf.raw_ops.StackPopV2(handle=handle, elem_type=tf.float32)


def a_stack_of_another_dtype(tf):
    handle = tf.raw_ops.StackV2(max_size=1, elem_type=tf.float32)
    tf.raw_ops.StackPushV2(handle=handle, elem=1)


def summaries_as_strings(tf):
    ops = tf.raw_ops
    parts = [
        ops.ScalarSummary(tags=["a", "b"], values=[1.5, 2.5]),
        ops.HistogramSummary(tag="h", values=[1.0, -2.0, 2.05, 0.0, 1e30]),
        ops.TensorSummaryV2(tag="t", tensor=[1, 2], serialized_summary_metadata=b""),
        ops.AudioSummaryV2(tag="s", tensor=[[0.5, -0.5]], sample_rate=8000.0),
    ]
    picture = tf.function(lambda: tf.compat.v1.summary.image("i", tf.ones([2, 1, 1, 3]), 1))()
    merged = ops.MergeSummary(inputs=[parts[0], parts[2]])
    assert "image" in str(picture.numpy()) and ops.ImageSummary
    return [[int(b) for b in part.numpy()] for part in [*parts, merged]]


def a_tag_twice_in_merged_summaries(tf):
    one = tf.raw_ops.ScalarSummary(tags="a", values=1.0)
    return tf.raw_ops.MergeSummary(inputs=[one, one])


def a_histogram_of_infinite_numbers(tf):
    return tf.raw_ops.HistogramSummary(tag="h", values=[float("inf")])


def printing_hands_on_its_input(tf):
    return tf.raw_ops.Print(input=[1.0, 2.0], data=[[1, 2]], message="x")


def readers_of_files_that_a_queue_names(tf):
    import os
    import tempfile

    ops, path = tf.raw_ops, os.path.join(tempfile.mkdtemp(), "f")
    with open(path, "w") as file:
        file.write("ab\ncd\nef\n")
    found = []
    for reader in (
        ops.TextLineReaderV2(skip_header_lines=1),
        ops.WholeFileReaderV2(),
        ops.FixedLengthRecordReaderV2(record_bytes=3),
        ops.IdentityReaderV2(),
    ):
        queue = ops.FIFOQueueV2(component_types=[tf.string], shared_name=f"names{len(found)}")
        ops.QueueEnqueueV2(handle=queue, components=[path])
        key, value = ops.ReaderReadV2(reader_handle=reader, queue_handle=queue)
        found.append(tf.strings.regex_replace(key, ".*/f", "f"))
        found.append(tf.strings.regex_replace(value, ".*/f", "f"))
        found.append(ops.ReaderNumRecordsProducedV2(reader_handle=reader))
    ops.ReaderResetV2(reader_handle=reader)
    found.append(ops.ReaderNumWorkUnitsCompletedV2(reader_handle=reader))
    return [x.numpy().decode() if x.dtype == tf.string else x for x in found]


def records_that_a_queue_names(tf):
    import os
    import tempfile

    ops, path = tf.raw_ops, os.path.join(tempfile.mkdtemp(), "f")
    with tf.io.TFRecordWriter(path) as writer:
        writer.write(b"one")
        writer.write(b"two")
    queue = ops.FIFOQueueV2(component_types=[tf.string], shared_name="names")
    ops.QueueEnqueueV2(handle=queue, components=[path])
    reader = ops.TFRecordReaderV2()
    found = ops.ReaderReadUpToV2(reader_handle=reader, queue_handle=queue, num_records=5)
    return [text.decode() for text in found.values.numpy()]


def readers_keep_no_state_in_strings(tf):
    return tf.raw_ops.ReaderSerializeStateV2(reader_handle=tf.raw_ops.TFRecordReaderV2())


def readers_take_no_state_from_strings(tf):
    reader = tf.raw_ops.TFRecordReaderV2()
    return tf.raw_ops.ReaderRestoreStateV2(reader_handle=reader, state=b"x")
