"""What `tf.debugging.enable_check_numerics` finds, and who is blamed."""

from __future__ import annotations

import re

import numpy as np

NAN, INF = float("nan"), float("inf")


def _finding(fn, times=4):
    """What each of several calls says: the op that is blamed, "fine", or another error's class."""
    found = []
    for _ in range(times):
        try:
            fn()
            found.append("fine")
        except Exception as error:
            blamed = re.search(r'of (graph|eagerly-executing) op "(?:b\')?(\w+)', str(error))
            what = re.sub(r"^__inference_.*", "function", blamed.group(2)) if blamed else ""
            found.append(f"{type(error).__name__} {blamed and blamed.group(1)} {what}")
    return found[0] if len(set(found)) == 1 else found


def _checked(tf, programs):
    tf.debugging.enable_check_numerics()
    try:
        return {name: _finding(program) for name, program in programs.items()}
    finally:
        tf.debugging.disable_check_numerics()


def _of_functions(tf, functions, *args):
    def call(fn):
        traced = tf.function(fn, autograph=False)
        return lambda: traced(*args)

    return _checked(tf, {name: call(fn) for name, fn in functions.items()})


def _passed_on(tf):
    return {
        "itself": lambda x: x,
        "identity": tf.identity,
        "reshaped": lambda x: tf.reshape(x, [2, 1]),
        "maximum": lambda x: tf.maximum(x, 1.0),
        "two": lambda x: (x, x),
        "unused": lambda x: tf.constant(1.0),
        "one of it": lambda x: x[1],
        "asked about": tf.math.is_nan,
        "replaced": lambda x: tf.where(tf.math.is_nan(x), 1.0, x),
        "computed": lambda x: -x,
        "not used any more": lambda x: (x * 2.0, tf.constant(1.0))[1],
        "stopped": tf.stop_gradient,
        "times one": lambda x: (x * 1.0)[1],
    }


def arguments_of_functions(tf):
    return _of_functions(tf, _passed_on(tf), tf.constant([NAN, 1.0]))


def arguments_without_fault(tf):
    return _of_functions(tf, _passed_on(tf), tf.constant([2.0, 1.0]))


def constants_in_functions(tf):
    functions = {
        "returned": lambda: tf.constant(NAN),
        "an array": lambda: tf.convert_to_tensor(np.array([np.nan], np.float32)),
        "unused": lambda: (tf.constant(NAN), tf.constant(1.0))[1],
        "to fill with": lambda: tf.fill([2], NAN),
        "to pad with": lambda: tf.pad(tf.ones([2]), [[0, 1]], constant_values=NAN),
        "a bound": lambda: tf.clip_by_value(tf.ones([2]), -INF, 1.0),
        "the logarithm of one": lambda: tf.math.log(tf.constant(0.0)),
        "an unused logarithm": lambda: (tf.math.log(tf.constant(0.0)), tf.constant(1.0))[1],
        "finite": lambda: tf.math.log(tf.constant(1.0)),
        "a scale": lambda: tf.clip_by_global_norm([tf.ones([2])], 1.0)[0],
        "a size": lambda: tf.zeros([tf.cast(tf.sqrt(4.0), tf.int32)]),
        "of whole numbers": lambda: tf.constant([1, 2]),
    }
    return _of_functions(tf, functions)


def eager_values(tf):
    x = tf.constant([NAN, 1.0])
    empty = [tf.zeros([0, 1, 1, 2]), [1.0, 1.0], [1.0, 1.0], [], []]
    names = ["x", "scale", "offset", "mean", "variance"]
    return _checked(
        tf,
        {
            "constant": lambda: tf.constant([NAN]),
            "converted": lambda: tf.convert_to_tensor(np.array([np.nan], np.float32)),
            "filled": lambda: tf.fill([2], NAN),
            "identity": lambda: tf.identity(x),
            "cast": lambda: tf.cast(x, tf.float64),
            "py_function": lambda: tf.py_function(lambda: x, [], tf.float32),
            "in py_function": lambda: tf.py_function(lambda: (-x, 1.0)[1], [], tf.float32),
            "numpy_function": lambda: tf.numpy_function(lambda: np.float32(NAN), [], tf.float32),
            "empty batch": lambda: tf.raw_ops.FusedBatchNormV3(**dict(zip(names, empty))),
        },
    )


def variables(tf):
    v = tf.Variable([NAN, 1.0])
    eager = {
        "made": lambda: tf.Variable([NAN]),
        "read": v.read_value,
        "value": v.value,
        "added": lambda: v + 1.0,
        "converted": lambda: tf.convert_to_tensor(v),
        "numpy": v.numpy,
        "an element": lambda: v[1],
        "gathered": lambda: tf.gather(v, [0]),
        "assigned": lambda: v.assign([NAN, 2.0]),
        "printed": lambda: repr(v),
    }
    functions = {
        "read": v.read_value,
        "read for nothing": lambda: (v.read_value(), tf.constant(1.0))[1],
        "used": lambda: v * 0.0,
        "a good row": lambda: tf.gather(v, [1]),
        "a bad row": lambda: tf.gather(v, [0]),
        "assigned": lambda: v.assign([1.0, 2.0]),
    }
    return [_checked(tf, eager), _of_functions(tf, functions)]


def branches_and_loops(tf):
    def either(first, second):
        return lambda x, p: tf.cond(p, lambda: first(x), lambda: second(x))

    def repeated(body):
        return lambda x, p: tf.while_loop(lambda i, a: i < 3, body, [0, x])[1][1]

    functions = {
        "not taken": either(lambda x: 1.0, lambda x: x[1] + 0.0),
        "taken": either(lambda x: x[1], lambda x: 1.0),
        "around": repeated(lambda i, a: (i + 1, a)),
        "reshaped": repeated(lambda i, a: (i + 1, tf.reshape(a, [2]))),
    }
    given = tf.constant([NAN, 1.0]), tf.constant(True)
    zero = {
        "in a branch": either(lambda x: tf.math.log(x), lambda x: x),
        "in a loop": repeated(lambda i, a: (i + 1, tf.math.log(a))),
        "in a loop for nothing": lambda x, p: (
            tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.math.log(a)), [0, x]),
            tf.constant(1.0),
        )[1],
    }
    good = tf.constant([0.0, 1.0]), tf.constant(True)
    return [_of_functions(tf, functions, *given), _of_functions(tf, zero, *good)]


def when_it_is_decided(tf):
    """A function is checked if it was traced meanwhile; outside graphs results are looked at."""
    zero, one = tf.constant([0.0]), tf.constant([1.0])
    hidden = lambda x: tf.exp(tf.math.log(x))  # noqa: E731 (an infinity that does not come out)
    before, inner_before = tf.function(tf.math.log), tf.function(hidden)
    before(one), inner_before(one)
    tf.debugging.enable_check_numerics()
    during, inner_during = tf.function(tf.math.log), tf.function(hidden)
    during(one), inner_during(one)
    outer = tf.function(lambda x: inner_before(x) + 1.0)
    answers = {
        "traced before": _finding(lambda: before(zero)),
        "traced before, hidden": _finding(lambda: inner_before(zero)),
        "called by one that is traced meanwhile": _finding(lambda: outer(zero)),
    }
    tf.debugging.disable_check_numerics()
    late, after = tf.function(lambda x: inner_during(x)), tf.function(tf.math.log)
    answers["traced meanwhile"] = _finding(lambda: during(zero))
    answers["called by one that is traced later"] = _finding(lambda: late(zero))
    answers["traced later"] = _finding(lambda: after(zero))
    return answers


def datasets(tf):
    D = tf.data.Dataset
    zero, nan = D.from_tensor_slices([0.0, 1.0]), D.from_tensor_slices([NAN, 1.0])
    log = lambda x: tf.math.log(x)  # noqa: E731
    drop = lambda x: tf.numpy_function(lambda: tf.math.log(0.0).numpy() < 0, [], tf.bool)  # noqa: E731
    tf.debugging.enable_check_numerics()
    made = {
        "elements": nan,
        "batches": nan.batch(2),
        "map": zero.map(log),
        "map side by side": zero.map(log, num_parallel_calls=2),
        "map of batches": zero.batch(2).map(log),
        "map, then batches": zero.map(lambda x: tf.sqrt(x - 1.0)).batch(2),
        "map of nan": nan.map(lambda x: x),
        "map to a constant": zero.map(lambda x: tf.constant(NAN)),
        "filter": zero.filter(lambda x: tf.math.log(x) < 1.0),
        "flat_map": zero.flat_map(lambda x: D.from_tensors(tf.math.log(x))),
        "scan": zero.scan(0.0, lambda a, x: (a, tf.math.log(x))),
        "fine": zero.map(lambda x: x + 1.0),
        "in Python": zero.map(drop),
    }
    answers = {name: _finding(lambda: list(d), 3) for name, d in made.items()}  # noqa: B023
    answers["reduce"] = _finding(lambda: zero.reduce(0.0, lambda a, x: a + tf.math.log(x)))
    tf.debugging.disable_check_numerics()
    answers["after"] = _finding(lambda: list(made["map"]))
    return answers


def python_functions_in_functions(tf):
    """Their results are looked at, and not what they do."""

    def hidden(x):
        tf.math.log(x)
        return tf.constant(1.0)

    functions = {
        "result": lambda x: tf.py_function(lambda: tf.constant(NAN), [], tf.float32),
        "inside": lambda x: tf.py_function(hidden, [x], tf.float32),
        "of NumPy": lambda x: tf.numpy_function(lambda: np.float32(NAN), [], tf.float32),
    }
    return _of_functions(tf, functions, tf.constant([0.0]))
