"""Where tensors and variables are on logical devices of the CPU; see `make_devices.py`.

Each function gets the module, whose CPU is split into three.
"""

import contextlib
import copy
import pickle
from typing import Any


def split(tf: Any) -> None:
    cpu = tf.config.list_physical_devices("CPU")[0]
    parts = [tf.config.LogicalDeviceConfiguration()] * 3
    tf.config.set_logical_device_configuration(cpu, parts)


def _at(*tensors: Any) -> list[str]:
    return [t.device.rpartition("device:")[2] for t in tensors]


def _made(tf: Any) -> list[Any]:
    with tf.device("CPU:1"):
        floats, integers = tf.constant([1.0, 2.0]), tf.constant([1, 2])
        text, truth, long = tf.constant("a"), tf.constant(True), tf.constant([1, 2], tf.int64)
        return [floats, integers, text, truth, long, tf.zeros([2]), tf.random.normal([2])]


def _two(tf: Any) -> tuple[Any, Any]:
    with tf.device("CPU:1"):
        return tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])


def what_is_made_under_a_device_is_there(tf: Any) -> Any:
    made = _made(tf)
    memory = [t.backing_device.rpartition("device:")[2] for t in made]
    with tf.device("CPU:1"):
        ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
    return _at(*made), memory, _at(ragged.values, ragged.row_splits, (ragged + 1.0).values)


def ops_run_where_the_program_is(tf: Any) -> Any:
    x, integers, *_ = _made(tf)
    left = _at(x + 1, x + x, integers + integers, tf.identity(x), -x, x[0], *x)
    with tf.device("CPU:2"):
        here = [tf.identity(x), x + 1, tf.shape(x), tf.reshape(x, [1, 2]), tf.cast(x, tf.int32)]
        same = [tf.convert_to_tensor(x), tf.constant(x)]
        text = tf.strings.length(tf.constant("abc"))
        return left, _at(*here, text, tf.where([True, False])), _at(*same), here[1], here[3]


def variables_stay_where_they_were_made(tf: Any) -> Any:
    x, v = _two(tf)
    read = _at(v, v.handle, v.value(), v.read_value(), v + 1.0, tf.convert_to_tensor(v))
    with tf.device("CPU:2"):
        under = _at(v + 1.0, v.value(), tf.identity(v))
        v.assign([3.0, 3.0])
        v.assign_add(x)
        more = [tf.Variable(x), tf.Variable(v)]
    return read, under, _at(v, *more, more[0].value()), v, more[1], _at(v.assign_add(x)), v


def functions_give_results_where_they_are_called(tf: Any) -> Any:
    x, v = _two(tf)
    one = tf.function(lambda a: (a + 1.0, tf.shape(a), a))
    read = tf.function(lambda: (v * 2.0, v.read_value()))

    @tf.function
    def add(a: Any) -> Any:
        v.assign_add(a)
        with tf.device("CPU:2"):
            b = a * 2.0
        return b, b + v, a

    found = [_at(*one(x)), _at(*read()), _at(*add(x)), _at(*add(tf.constant([1.0, 1.0])))]
    with tf.device("CPU:2"):
        found += [_at(*one(x)), _at(*read()), _at(*add(x))]
    return found, add(x), _at(v), v, read()


def gradients_are_where_they_are_asked_for(tf: Any) -> Any:
    x, v = _two(tf)
    with tf.device("CPU:1"), tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * v
    found = tape.gradient(y, [x, v])
    with tf.device("CPU:2"):
        more = tape.gradient(y, [x, v])
    return _at(y, *found, *more), found, more


def slots_are_with_their_variables(tf: Any) -> Any:
    _, v = _two(tf)
    optimizer = tf.keras.optimizers.SGD(0.5, momentum=0.5)
    for _ in range(2):
        optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v)])
    return [_at(s) for s in optimizer.variables if "momentum" in s.name], _at(v), v


def layers_train_where_they_were_built(tf: Any) -> Any:
    with tf.device("CPU:1"):
        model = tf.keras.Sequential(
            [tf.keras.layers.Dense(2, input_shape=(2,), kernel_initializer="ones")]
        )
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    before = _at(*model.weights, model(x))
    model.fit(x, x, batch_size=1, shuffle=False, verbose=0)
    return before, _at(*model.weights), model.get_weights(), model.predict(x, verbose=0)


def elements_of_datasets(tf: Any) -> Any:
    with tf.device("CPU:1"):
        found = [*tf.data.Dataset.range(2).batch(2), next(iter(tf.data.Dataset.range(3)))]
    return _at(*found), _at(*tf.data.Dataset.range(2))


def python_and_control_flow(tf: Any) -> Any:
    x, _ = _two(tf)
    with tf.device("CPU:1"):
        python = [tf.py_function(lambda a: a + 1, [x], tf.float32)]
        python.append(tf.numpy_function(lambda a: a + 1, [x], tf.float32))
        python.append(tf.cond(x[0] > 0.0, lambda: x + 1, lambda: x))
        python += tf.while_loop(lambda a: a < 3, lambda a: [a + 1], [tf.constant(0)])
    return _at(*python), python


def copies(tf: Any) -> Any:
    x, v = _two(tf)
    pickled = pickle.loads(pickle.dumps(x))
    return _at(copy.deepcopy(x), copy.deepcopy(v), pickled, x.cpu()), x.cpu(), float(x[0]), repr(x)


def devices_that_are_not_there(tf: Any) -> Any:
    found = []
    for name in ("CPU:9", "GPU:0"):
        with tf.device(name):
            found.append(_at(tf.constant(1.0), tf.constant(1.0) + 1.0, tf.Variable(1.0)))
    try:
        tf.constant(1.0).gpu()
    except RuntimeError:
        found.append("refused")
    return found


def inputs_from_other_devices(tf: Any) -> Any:
    x, v = _two(tf)
    c, found = tf.constant([1.0, 2.0]), []
    programs = {
        "sum": lambda: x + c,
        "identity": lambda: tf.identity(x),
        "read": lambda: v + c,
        "assign": lambda: v.assign(c) is not None,
        "same": lambda: v.assign_add(x) is not None,
        "function": lambda: tf.function(lambda a: a + 1.0)(x),
    }
    for policy in ("silent", "explicit", "silent_for_int32"):
        tf.config.experimental.set_device_policy(policy)
        for name, program in programs.items():
            with contextlib.ExitStack() as stack:
                stack.callback(found.append, (policy, name))
                try:
                    program()
                except tf.errors.InvalidArgumentError:
                    found.append("refused")
    tf.config.experimental.set_device_policy("silent")
    return found


def what_is_too_late(tf: Any) -> Any:
    cpu = tf.config.list_physical_devices("CPU")[0]
    config, found = tf.config, []
    for late in (
        lambda: config.set_visible_devices([], "CPU"),
        lambda: config.set_logical_device_configuration(cpu, []),
        lambda: config.set_visible_devices(cpu, "GPU"),
        lambda: config.experimental.set_memory_growth(cpu, True),
        lambda: config.experimental.get_memory_growth(cpu),
    ):
        try:
            found.append(late())
        except Exception as error:
            found.append(type(error).__name__)
    return found
