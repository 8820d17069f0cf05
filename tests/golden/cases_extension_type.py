"""Programs with types of their own; see `cases.py`."""

import tempfile
import typing


def _tries(*attempts):
    found = []
    for attempt in attempts:
        try:
            found.append(repr(attempt()))
        except Exception as error:
            found.append(type(error).__name__)
    return found


def _types(tf):
    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

    class Many(tf.experimental.ExtensionType):
        x: tf.Tensor
        n: int = 3
        s: str = "a"
        t: typing.Tuple[int, ...] = (1, 2)  # noqa: UP006 (as programs write it)
        d: typing.Mapping[str, tf.Tensor] = {}
        o: typing.Optional[tf.Tensor] = None  # noqa: UP045

    return Masked, Many


def constructors(tf):
    Masked, Many = _types(tf)
    return _tries(
        lambda: Masked([1.0, 2.0], [True, False]),
        lambda: Masked(values=[1], mask=[True]),
        lambda: Masked([1]),
        lambda: Masked([1], [2], [3]),
        lambda: Masked([1], mask=[2], foo=1),
        lambda: Masked([1], [2], values=[3]),
        lambda: Many(1.0),
        lambda: Many(1.0, n="a"),
        lambda: Many(1.0, n=2.5),
        lambda: Many(1.0, n=True),
        lambda: Many(1.0, t=[1, 2]),
        lambda: Many(1.0, t=("a",)),
        lambda: Many(1.0, d={"a": 1}),
        lambda: Many(1.0, d={1: 1}),
        lambda: Many(1.0, o=[1]).o,
    )


def fields_of_all_kinds(tf):
    Masked, _ = _types(tf)

    class Nested(tf.experimental.ExtensionType):
        m: Masked
        r: tf.RaggedTensor

    class Either(tf.experimental.ExtensionType):
        x: typing.Union[int, str, tf.Tensor]  # noqa: UP007

    class Plain(tf.experimental.ExtensionType):
        d: tf.DType
        s: tf.TensorShape
        f: float
        b: bool
        y: bytes

    class Pair(tf.experimental.ExtensionType):
        a: typing.Tuple[int, str]  # noqa: UP006

    rows = tf.ragged.constant([[1], []])
    masked = Masked([1.0], [True])
    return _tries(
        lambda: Nested(masked, rows),
        lambda: Nested(masked, [[1]]),
        lambda: Nested(1, rows),
        lambda: Either(1),
        lambda: Either("a"),
        lambda: Either([1.0]),
        lambda: Plain("int32", tf.TensorShape([1]), 1.5, False, b"x"),
        lambda: Plain(tf.int32, [1, None], 1, True, b"x"),
        lambda: Pair((1, "a")),
        lambda: Pair((1, 2)),
        lambda: Pair((1,)),
    )


def annotations_that_are_refused(tf):
    def declared(hint):
        return lambda: (
            type(
                "Made", (tf.experimental.ExtensionType,), {"__annotations__": {"a": hint}}
            ).__name__
        )

    def without(name, **rest):
        return lambda: (
            type(
                "Made", (tf.experimental.ExtensionType,), {"__annotations__": {name: int}, **rest}
            ).__name__
        )

    return _tries(
        declared(list),
        declared(typing.List[int]),  # noqa: UP006
        declared(object),
        declared(typing.Any),
        declared(tf.Variable),
        declared(int),
        without("_tf_extension_type_x"),
        without("Spec"),
        without("a", a="x"),
        without("a", b=1),
    )


def they_do_not_change(tf):
    Masked, _ = _types(tf)
    x = Masked([1.0], [True])
    return _tries(
        lambda: setattr(x, "values", 1),
        lambda: setattr(x, "other", 1),
        lambda: delattr(x, "values"),
        lambda: hash(x),
    )


def own_constructors_and_checks(tf):
    class Shifted(tf.experimental.ExtensionType):
        a: tf.Tensor

        def __init__(self, a, b=1):
            self.a = tf.convert_to_tensor(a) + b

    class Vector(tf.experimental.ExtensionType):
        x: tf.Tensor

        def __validate__(self):
            self.x.shape.assert_has_rank(1)

    class Wider(Shifted):
        c: int = 7

        def __init__(self, a):
            self.a = tf.convert_to_tensor(a)
            self.c = 8

    return _tries(
        lambda: Shifted([1], b=2), lambda: Vector([1]), lambda: Vector(1), lambda: Wider([1])
    )


def equality(tf):
    Masked, Many = _types(tf)
    x = Masked([1.0, 2.0], [True, False])
    return [
        x == Masked([1.0, 2.0], [True, False]),
        x == Masked([1.0, 3.0], [True, False]),
        x != x,
        x == Many(1.0),
        x == 1,
    ]


def inheritance_and_methods(tf):
    Masked, _ = _types(tf)

    class More(Masked):
        extra: int = 5

        @property
        def twice(self):
            return self.values * 2

        def __add__(self, other):
            return More(self.values + other.values, self.mask, self.extra)

    x = More([1], [True])
    return [repr(x), x.twice, repr(x + x), repr(More([1], [True], 7))]


def specs(tf):
    Masked, Many = _types(tf)
    x = Masked([1.0, 2.0], [True, False])
    spec = x._type_spec
    made = Masked.Spec(tf.TensorSpec([2]), tf.TensorSpec([2], tf.bool))
    return [
        repr(spec).split(".")[-2:],
        made == spec,
        repr(made.values),
        spec.value_type is Masked,
        spec.is_compatible_with(x),
        repr(spec._component_specs),
        repr(Many(1.0)._type_spec._component_specs),
        repr(tf.type_spec_from_value(x) == spec),
        _tries(lambda: Masked.Spec(tf.TensorSpec([2])), lambda: Masked.Spec(1, 2)),
        repr(tf.experimental.extension_type.as_dict(x)),
        tf.is_tensor(x),
    ]


def nests_functions_and_loops(tf):
    Masked, Many = _types(tf)
    x = Masked([1.0, 2.0], [True, False])

    @tf.function
    def tenfold(x):
        return Masked(x.values * 10.0, x.mask)

    @tf.function
    def grown(x, n):
        for _ in tf.range(n):
            x = Masked(x.values + 1.0, x.mask)
        if n > 1:
            x = Masked(-x.values, x.mask)
        return x

    other = Masked([3.0, 4.0], [False, False])
    return [
        len(tf.nest.flatten(x)),
        tf.nest.flatten(x, expand_composites=True),
        tf.nest.flatten(Many(1.0), expand_composites=True),
        tf.nest.map_structure(lambda t: t, x, expand_composites=True).values,
        tenfold(x).values,
        grown(x, tf.constant(2)).values,
        tf.function(lambda x: x)([x, {"a": x}])[1]["a"].mask,
        tf.identity(x).values,
        tf.cond(tf.constant(False), lambda: x, lambda: other).values,
        tf.while_loop(
            lambda i, x: i < 2, lambda i, x: (i + 1, Masked(x.values + 1, x.mask)), (0, x)
        )[1].values,
        _tries(lambda: tf.convert_to_tensor(x)),
    ]


def gradients_flow_through_them(tf):
    Masked, _ = _types(tf)
    with tf.GradientTape() as tape:
        x = tf.constant([1.0, 2.0])
        tape.watch(x)
        y = tf.reduce_sum(Masked(x * x, [True, False]).values)
    return tape.gradient(y, x)


def batches(tf):
    class Pair(tf.experimental.BatchableExtensionType):
        x: tf.Tensor
        y: tf.Tensor

    pairs = Pair(tf.constant([[1, 2], [3, 4]]), tf.constant([5, 6]))
    spec = pairs._type_spec
    encoder = tf.experimental.ExtensionTypeBatchEncoder()
    scalar = Pair.Spec(tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))
    made = tf.map_fn(lambda v: Pair(v, v + 1), tf.constant([1, 2]), fn_output_signature=scalar)
    return [
        repr(spec._batch(3)._component_specs),
        repr(spec._unbatch()._component_specs),
        tf.map_fn(lambda p: Pair(p.x * 2, p.y), pairs).x,
        tf.map_fn(lambda p: p.x + p.y, pairs, fn_output_signature=tf.int32),
        made.y,
        repr(encoder.batch(spec, 2)._component_specs),
        repr(encoder.encoding_specs(spec)),
        list(encoder.encode(spec, pairs)),
        encoder.decode(spec, [pairs.x, pairs.y]).y,
    ]


def datasets_slice_and_batch_them(tf):
    class Rows(tf.experimental.BatchableExtensionType):
        x: tf.Tensor
        r: tf.RaggedTensor

    rows = Rows([1, 2, 3], tf.ragged.constant([[1], [2, 3], []]))
    slices = tf.data.Dataset.from_tensor_slices(rows)
    return [
        [element.r for element in slices],
        [repr(batch.r) for batch in slices.batch(2)],
        [element.x for element in tf.data.Dataset.from_tensors(rows)],
        tf.experimental.Optional.from_value(rows).get_value().x,
    ]


def saved_models_take_and_return_them(tf):
    class Named(tf.experimental.ExtensionType):
        __name__ = "tests.Named"
        v: tf.Tensor
        n: int = 2

    class Model(tf.Module):
        @tf.function(input_signature=[Named.Spec(tf.TensorSpec([None]), 2)])
        def twice(self, x):
            return Named(x.v * 2.0, x.n)

    folder = tempfile.mkdtemp()
    tf.saved_model.save(Model(), folder)
    result = tf.saved_model.load(folder).twice(Named([1.0, 2.0]))
    return [result.v, result.n, type(result) is Named]


def values_that_can_be_stacked_are_mapped_at_once(tf):
    class Point(tf.experimental.BatchableExtensionType):
        x: tf.Tensor
        y: tf.Tensor

    points = Point(tf.constant([1.0, 2.0]), tf.constant([[1], [2]]))
    shifted = tf.vectorized_map(lambda p: p.x + 1.0, points)
    nested = tf.vectorized_map(lambda e: e[0].x * e[1], (points, tf.constant([10.0, 20.0])))
    return [shifted, nested]


def the_first_kind_of_a_union_that_fits_takes_a_value(tf):
    class Either(tf.experimental.ExtensionType):
        x: typing.Union[tf.Tensor, str, None]  # noqa: UP007
        y: typing.Union[str, tf.Tensor] = "a"  # noqa: UP007

    found = [Either("q"), Either(None), Either(1, "b"), Either(1, 2)]
    return [repr(each) for each in found]


def _network(tf):
    class Network(tf.experimental.BatchableExtensionType):
        shape: tf.TensorShape  # of a batch; one network has none
        work: tf.Tensor
        bandwidth: tf.Tensor

        def __init__(self, work, bandwidth):
            self.work, self.bandwidth = tf.convert_to_tensor(work), tf.convert_to_tensor(bandwidth)
            self.shape = self.work.shape[:-1].merge_with(self.bandwidth.shape[:-2])

    return Network([[5.0, 3.0], [0.0, 1.0], [2.0, 2.0]], tf.reshape(tf.range(12), [3, 2, 2]))


def datasets_of_types_with_shapes(tf):
    networks = _network(tf)
    slices = tf.data.Dataset.from_tensor_slices(networks)
    iterator = iter(slices)
    made = {
        "slices": slices,
        "batches": slices.batch(2),
        "whole batches": slices.batch(2, drop_remainder=True),
        "unbatched": slices.batch(2).unbatch(),
        "as one": tf.data.Dataset.from_tensors(networks),
        "again": slices.concatenate(slices).shuffle(9, seed=1).batch(4),
    }
    found = {
        name: [str(d.element_spec), [[str(n.shape), n.work, n.bandwidth] for n in d]]
        for name, d in made.items()
    }
    found["next"] = [next(iterator).work, iterator.get_next().work, str(iterator.element_spec)]
    found["optional"] = iterator.get_next_as_optional().get_value().work
    found["size"] = int(slices.cardinality())
    return found


def datasets_of_types_have_no_arrays(tf):
    return tf.data.Dataset.from_tensor_slices(_network(tf)).as_numpy_iterator()


def loops_over_types_with_sparse_tensors(tf):
    class Sparse(tf.experimental.BatchableExtensionType):
        s: tf.SparseTensor

    rows = Sparse(tf.sparse.from_dense([[1, 0], [0, 2], [3, 0]]))
    batches = tf.data.Dataset.from_tensor_slices(rows).batch(2)

    @tf.function
    def total():
        found = 0
        for batch in batches:
            found += tf.sparse.reduce_sum(batch.s)
        return found

    return total()
