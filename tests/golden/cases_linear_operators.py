"""Linear operators as values made of tensors; see `cases.py`."""

import tempfile

import numpy as np

MATRIX = np.array([[2.0, 1.0], [1.0, 3.0]], np.float32)


def _operators(tf):
    linalg = tf.linalg
    diag = linalg.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True)
    full = linalg.LinearOperatorFullMatrix(MATRIX)
    low = linalg.LinearOperatorLowerTriangular(MATRIX)
    return [
        diag,
        full,
        low,
        linalg.LinearOperatorIdentity(2),
        linalg.LinearOperatorIdentity(2, batch_shape=[3]),
        linalg.LinearOperatorScaledIdentity(2, tf.constant(3.0)),
        linalg.LinearOperatorZeros(2),
        linalg.LinearOperatorAdjoint(full),
        linalg.LinearOperatorInversion(diag),
        linalg.LinearOperatorBlockDiag([diag, full]),
        linalg.LinearOperatorBlockLowerTriangular([[diag], [full, low]]),
        linalg.LinearOperatorCirculant(tf.constant([1.0, 2.0])),
        linalg.LinearOperatorCirculant2D(tf.constant([[1.0, 2.0]])),
        linalg.LinearOperatorCirculant3D(tf.constant([[[1.0, 2.0]]])),
        linalg.LinearOperatorComposition([diag, full]),
        linalg.LinearOperatorHouseholder([1.0, 0.0]),
        linalg.LinearOperatorKronecker([diag, full]),
        linalg.LinearOperatorLowRankUpdate(diag, MATRIX, [1.0, 2.0]),
        linalg.LinearOperatorPermutation([1, 0]),
        linalg.LinearOperatorToeplitz([1.0, 2.0], [1.0, 3.0]),
        linalg.LinearOperatorTridiag(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), "compact"),
        linalg.LinearOperatorTridiag([[1.0, 0.0], [3.0, 4.0], [0.0, 6.0]], "sequence"),
    ]


def _parts(tf, operator):
    return tf.nest.flatten(operator, expand_composites=True)


def taken_apart(tf):
    return [[type(o).__name__, _parts(tf, o)] for o in _operators(tf)]


def leaves_where_composites_are_not_expanded(tf):
    return [[type(x).__name__ for x in tf.nest.flatten(o)] for o in _operators(tf)]


def put_together(tf):
    found = []
    for operator in _operators(tf):
        again = tf.nest.pack_sequence_as(operator, _parts(tf, operator), expand_composites=True)
        hints = [again.is_positive_definite, again.is_self_adjoint, again.is_non_singular]
        found.append([type(again).__name__, again.to_dense(), again.name, hints])
    return found


def specs(tf):
    found = []
    for operator in _operators(tf):
        parameters, others, static = operator._type_spec._serialize()
        kinds = [[key, str(others[key])] for key in sorted(others)]
        tensors = [str(spec) for spec in tf.nest.flatten(parameters) if "Tensor" in str(type(spec))]
        found.append([type(operator._type_spec).__name__, kinds, tensors, sorted(static)])
    return found


def specs_compared(tf):
    values = ([1.0, 2.0], [3.0, 2.0], [3.0, 2.0, 1.0])
    a, b, c = (tf.type_spec_from_value(tf.linalg.LinearOperatorDiag(x)) for x in values)
    wide = a.most_specific_compatible_type(c)
    return [
        a == b,
        a == c,
        a.is_compatible_with(b),
        a.is_compatible_with(c),
        hash(a) == hash(b),
        wide.is_compatible_with(a),
        wide.is_compatible_with(tf.linalg.LinearOperatorDiag([1.0])),
    ]


def mapped(tf):
    some = _operators(tf)[:3]
    twice = [tf.nest.map_structure(lambda x: x * 2, o, expand_composites=True) for o in some]
    return [o.to_dense() for o in twice]


def is_no_tensor(tf):
    operator = _operators(tf)[0]
    return [tf.is_tensor(operator), tf.nest.is_nested(operator)]


def arguments_of_a_function(tf):
    fn = tf.function(lambda operator: operator.to_dense())
    return [fn(operator) for operator in _operators(tf)]


def traces(tf):
    made = []

    @tf.function
    def fn(operator):
        made.append(1)
        return operator.to_dense()

    diag = tf.linalg.LinearOperatorDiag
    for operator in (diag([1.0, 2.0]), diag([3.0, 2.0]), diag([3.0, 2.0], name="other")):
        fn(operator)
    fn(diag([3.0, 2.0], is_positive_definite=True))
    return len(made)


def results_of_a_function(tf):
    fn = tf.function(lambda x: (tf.linalg.LinearOperatorDiag(x * 2, name="dd"), x))
    operator, _ = fn(tf.constant([1.0, 2.0]))
    return [type(operator).__name__, operator.to_dense(), operator.name, operator.is_self_adjoint]


def results_made_of_operators(tf):
    fn = tf.function(lambda o: (o.inverse(), o.adjoint(), o @ o))
    found = fn(tf.linalg.LinearOperatorFullMatrix(MATRIX))
    return [[type(o).__name__, o.to_dense()] for o in found]


def sizes_known_when_the_function_runs(tf):
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def fn(n):
        return tf.linalg.LinearOperatorIdentity(n), tf.linalg.LinearOperatorZeros(n)

    return [o.to_dense() for o in fn(tf.constant(3))]


def nests_of_operators(tf):
    diag, full = _operators(tf)[:2]
    fn = tf.function(lambda d: {"a": d["a"] @ d["b"][0], "b": d["b"][0].diag_part()})
    found = fn({"a": diag, "b": [full]})
    return [type(found["a"]).__name__, found["a"].to_dense(), found["b"]]


def branches(tf):
    a, b = tf.linalg.LinearOperatorDiag([1.0, 2.0]), tf.linalg.LinearOperatorDiag([5.0, 2.0])
    fn = tf.function(lambda p: tf.cond(p, lambda: a, lambda: b))
    return [fn(tf.constant(p)).to_dense() for p in (True, False)]


def branches_of_autograph(tf):
    @tf.function
    def fn(p, operator):
        if p:
            found = tf.linalg.LinearOperatorDiag(operator.diag * 2)
        else:
            found = operator
        return found

    diag = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    return [fn(tf.constant(p), diag).to_dense() for p in (True, False)]


def loops(tf):
    def loop(operator):
        return tf.while_loop(
            lambda i, o: i < 3,
            lambda i, o: (i + 1, tf.linalg.LinearOperatorDiag(o.diag * 2)),
            (0, operator),
        )[1]

    diag = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    return [loop(diag).to_dense(), tf.function(loop)(diag).to_dense()]


def loops_of_autograph(tf):
    @tf.function
    def fn(operator):
        for _ in tf.range(3):
            operator = tf.linalg.LinearOperatorFullMatrix(operator.matmul(operator.to_dense()))
        return operator

    return fn(tf.linalg.LinearOperatorFullMatrix(MATRIX)).to_dense()


def signatures(tf):
    spec = tf.type_spec_from_value(tf.linalg.LinearOperatorDiag([1.0, 2.0]))
    fn = tf.function(lambda o: o.to_dense(), input_signature=[spec])
    return fn(tf.linalg.LinearOperatorDiag([5.0, 2.0]))


def signatures_of_another_operator(tf):
    spec = tf.type_spec_from_value(tf.linalg.LinearOperatorDiag([1.0, 2.0]))
    fn = tf.function(lambda o: o.to_dense(), input_signature=[spec])
    return fn(tf.linalg.LinearOperatorFullMatrix(MATRIX))


def gradients_by_an_operator(tf):
    operator = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(operator)
        y = tf.function(lambda o: tf.reduce_sum(o.to_dense() ** 2))(operator)
    found = tape.gradient(y, operator)
    return [type(found).__name__, found.to_dense()]


def operators_with_variables(tf):
    v = tf.Variable([1.0, 2.0])
    operator = tf.linalg.LinearOperatorDiag(v)
    fn = tf.function(lambda o: o.to_dense())
    first = fn(operator)
    v.assign([3.0, 4.0])
    made = tf.function(lambda: tf.linalg.LinearOperatorDiag(v))()
    kept = "Variable" in type(_parts(tf, operator)[0]).__name__
    return [first, fn(operator), made.to_dense(), kept, len(operator.trainable_variables)]


def saved_and_loaded(tf):
    module = tf.Module()
    module.fn = tf.function(lambda o, x: (o.matvec(x), o.adjoint()))
    x = tf.constant([1.0, 1.0])
    first, second = (
        tf.linalg.LinearOperatorComposition([tf.linalg.LinearOperatorDiag(d), _operators(tf)[1]])
        for d in ([1.0, 2.0], [3.0, 4.0])
    )
    module.fn(first, x)
    folder = tempfile.mkdtemp()
    tf.saved_model.save(module, folder)
    product, adjoint = tf.saved_model.load(folder).fn(second, x)
    return [product, adjoint.to_dense()]


def elements_of_datasets(tf):
    dataset = tf.data.Dataset.from_tensors(tf.linalg.LinearOperatorDiag([1.0, 2.0]))
    return [type(dataset.element_spec).__name__, [o.to_dense() for o in dataset]]


def mapping_over_an_operator(tf):
    operator = tf.linalg.LinearOperatorDiag([[1.0, 2.0], [3.0, 4.0]])
    return tf.map_fn(lambda o: o.trace(), operator, fn_output_signature=tf.float32)


def functions_of_matrices(tf):
    a = tf.linalg.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True, is_self_adjoint=True)
    linalg = tf.linalg
    return [
        linalg.inv(a).to_dense(),
        linalg.inv(a, adjoint=True).to_dense(),
        linalg.det(a),
        linalg.logdet(a),
        linalg.trace(a),
        linalg.diag_part(a),
        linalg.cholesky(a).to_dense(),
        linalg.solve(a, MATRIX),
        linalg.solve(a, MATRIX, adjoint=True),
        linalg.matvec(a, [1.0, 1.0]),
        linalg.adjoint(a).to_dense(),
        tf.matmul(a, MATRIX),
        tf.matmul(a, MATRIX, adjoint_b=True),
        tf.matmul(MATRIX, a),
        linalg.matmul(a, a, adjoint_a=True).to_dense(),
    ]


def functions_that_an_operator_has_not(tf):
    a = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    found = []
    for call in (
        lambda: tf.linalg.cholesky(a),
        lambda: tf.linalg.logdet(a),
        lambda: tf.matmul(a, MATRIX, transpose_a=True),
        lambda: tf.linalg.matvec(a, [1.0, 2.0], transpose_a=True),
        lambda: tf.linalg.eigvals(a),
        lambda: tf.convert_to_tensor(a),
    ):
        try:
            found.append(call())
        except Exception as error:
            found.append(type(error).__name__)
    return found
