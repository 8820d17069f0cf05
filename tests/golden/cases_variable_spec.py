"""Programs that look at the types of variables; see `cases.py`."""

import pickle
import tempfile


def _tried(fn):
    """What it returns, as text, or the class of its error."""
    try:
        return repr(fn())
    except Exception as error:
        return type(error).__name__


def _specs(tf):
    """Types of variables, by what is special about them."""
    of = tf.type_spec_from_value
    plain = of(tf.Variable([1.0, 2.0]))
    return {
        "plain": plain,
        "fixed": of(tf.Variable([1.0, 2.0], trainable=False)),
        "any": of(tf.Variable([[1.0]], shape=tf.TensorShape(None))),
        "longer": of(tf.Variable([1.0, 2.0, 3.0])),
        "whole": of(tf.Variable([1, 2])),
        "shared": type(plain)([2], tf.float32, True, 4),
        "other": type(plain)([2], tf.float32, True, 5),
        "tensor": tf.TensorSpec([2]),
    }


def what_they_are(tf):
    found = {key: repr(spec) for key, spec in _specs(tf).items()}
    spec = _specs(tf)["shared"]
    parts = [str(spec.shape), spec.dtype.name, spec.trainable, spec.alias_id, spec.name]
    return found, parts, repr(type(spec)(None)), repr(pickle.loads(pickle.dumps(spec)))


def how_they_compare(tf):
    specs = _specs(tf)
    pairs = [(key, a, other, b) for key, a in specs.items() for other, b in specs.items()]
    return {
        f"{key} {other}": [
            a == b,
            _tried(lambda a=a, b=b: a.is_compatible_with(b)),
            _tried(lambda a=a, b=b: a.is_subtype_of(b)),
            _tried(lambda a=a, b=b: a.most_specific_common_supertype([b])),
        ]
        for key, a, other, b in pairs
    }


def values_that_fit(tf):
    spec = _specs(tf)["plain"]
    values = [tf.Variable([3.0, 4.0]), tf.Variable([1.0]), tf.constant([3.0, 4.0]), 2.0]
    values += [tf.Variable([3.0, 4.0], trainable=False), tf.Variable([1, 2])]
    return [spec.is_compatible_with(value) for value in values]


def leaves_of_nests(tf):
    v = tf.Variable([1.0, 2.0])
    spec = tf.type_spec_from_value(v)
    nested = tf.nest.map_structure(tf.type_spec_from_value, {"a": v, "b": [tf.Variable(1)]})
    flat = tf.nest.flatten([spec, v], expand_composites=True)
    return repr(nested), flat[0] is spec, flat[1] is v, _tried(lambda: tf.type_spec_from_value([v]))


def messages_and_back(tf):
    spec = _specs(tf)["shared"]
    proto = spec.experimental_as_proto()
    return proto.type_spec_class_name, repr(type(spec).experimental_from_proto(proto))


def no_part_of_an_input_signature(tf):
    return tf.function(lambda x: x, input_signature=[_specs(tf)["plain"]])


def traces_for_any_such_variable(tf):
    made = type(_specs(tf)["plain"])

    @tf.function
    def add(a):
        a.assign_add(tf.ones_like(a))
        return a * 2.0

    concrete = add.get_concrete_function(made([None], tf.float32))
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0, 3.0])
    found = [concrete(each) for each in (v, w, v, w, v, w)]
    return repr(concrete.structured_input_signature), found, v.numpy(), w.numpy()


def traces_for_two_variables(tf):
    spec = _specs(tf)["plain"]

    @tf.function
    def add(a, b):
        a.assign_add(b)
        return a.read_value()

    concrete = add.get_concrete_function(spec, spec)
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([10.0, 20.0])
    found = [concrete(*pair) for pair in ((v, w), (w, v)) for _ in range(4)]
    return repr(concrete.structured_input_signature), found


def the_type_while_tracing(tf):
    seen = []

    @tf.function
    def fn(a):
        seen.append(repr(tf.type_spec_from_value(a)))
        return a.read_value()

    fn(tf.Variable([1.0, 2.0]))
    return seen


def _reloaded(tf):
    """A module with functions of variables that was saved and loaded."""

    class Program(tf.Module):
        @tf.function
        def add(self, a, x):
            a.assign_add(x)
            return a.read_value()

        @tf.function
        def double(self, a):
            for _ in tf.range(2):
                a.assign(a * 2.0)
            return a.read_value()

    made, folder = Program(), tempfile.mkdtemp()
    made.add(tf.Variable([1.0, 2.0]), tf.constant([1.0, 1.0]))
    made.double(tf.Variable([1.0, 2.0]))
    tf.saved_model.save(made, folder)
    return tf.saved_model.load(folder)


def functions_of_variables_that_were_saved(tf):
    loaded = _reloaded(tf)
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([5.0, 6.0])
    found = [loaded.add(each, tf.constant([1.0, 1.0])) for each in (v, w, v, w, v)]
    found += [loaded.double(each) for each in (v, w, v, w)]
    signature = loaded.double.concrete_functions[0].structured_input_signature
    return found, v.read_value(), w.read_value(), repr(signature)


def variables_that_no_saved_function_takes(tf):
    loaded = _reloaded(tf)
    given = [tf.Variable([1.0]), tf.Variable([1.0, 2.0], trainable=False), tf.constant([1.0, 2.0])]
    return [_tried(lambda x=x: loaded.double(x)) for x in given]


def no_signature_takes_a_variable(tf):
    module = tf.Module()
    module.fn = tf.function(lambda a: {"y": a * 2.0})
    concrete = module.fn.get_concrete_function(tf.Variable([1.0, 2.0]))
    tf.saved_model.save(module, tempfile.mkdtemp(), signatures=concrete)
