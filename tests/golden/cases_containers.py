"""Lists and dicts that are tracked, changed before they are saved; see `cases.py`."""

import gc
import tempfile
import weakref

from tests.golden.cases_corners import _tries

# Each is what a program does with the dict; the names are those of `_dict`.
_DICT_CHANGES = (
    "del d['a']",
    "d.pop('a')",
    "d.pop('none', 1)",
    "d.popitem()",
    "d.clear()",
    "d['a'] = d['a']",
    "d['a'] = tf.Variable(3.0)",
    "d['a'] = 4",
    "d['n'] = 4",
    "d['n'] = tf.Variable(4.0)",
    "del d['n']",
    "d.update(c=tf.Variable(3.0))",
    "d.setdefault('c', tf.Variable(3.0))",
    "d.setdefault('a', 3)",
    "d |= {'c': 3}",
    "del d['a']; d['a'] = tf.Variable(9.0)",
    "d[3] = 7",
    "d[3] = tf.Variable(7.0)",
    "d['l'].pop()",
    "d['l'].append(3)",
    "d['e'].pop('x')",
)
_LIST_CHANGES = (
    "l.remove(l[0])",
    "l.remove(3)",
    "l.pop()",
    "l.pop(0)",
    "del l[2]",
    "l.reverse()",
    "l.clear()",
    "l *= 0",
    "l *= 2",
    "l += [tf.Variable(1.0)]",
    "l[2] = 5",
    "l[0] = l[0]",
    "l[:] = l[:]",
    "l.append({'a': tf.Variable(1.0)}); del l[3]['a']",
)


def _dict(tf):
    return {
        "a": tf.Variable(1.0),
        "n": 3,
        "l": [tf.Variable(1.0)],
        "e": {"x": tf.Variable(5.0)},
    }


def _list(tf):
    return [tf.Variable(1.0), tf.Variable(2.0), 3]


def _written(tf, module):
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(m=module).write(f"{folder}/c")
        return sorted(name for name, _ in tf.train.list_variables(path))


def _changed(tf, made, change, *, outside):
    module = tf.Module()
    module.held = made
    held = made if outside else module.held
    exec(change, {"tf": tf, "d": held, "l": held})
    return _written(tf, module)


def saving_dicts_that_were_changed(tf):
    return _tries(
        *[lambda c=c: _changed(tf, _dict(tf), c, outside=False) for c in _DICT_CHANGES],
    )


def saving_dicts_that_were_changed_outside(tf):
    changes = _DICT_CHANGES[:10]
    return _tries(*[lambda c=c: _changed(tf, _dict(tf), c, outside=True) for c in changes])


def saving_lists_that_were_changed(tf):
    return _tries(
        *[lambda c=c: _changed(tf, _list(tf), c, outside=False) for c in _LIST_CHANGES],
    )


def saving_lists_that_were_changed_outside(tf):
    changes = [c for c in _LIST_CHANGES if "l[0]" not in c and "*" not in c][:9]
    return _tries(*[lambda c=c: _changed(tf, _list(tf), c, outside=True) for c in changes])


def restoring_what_was_changed(tf):
    def restored(change):
        with tempfile.TemporaryDirectory() as folder:
            module, other = tf.Module(), tf.Module()
            module.held, other.held = _dict(tf), _dict(tf)
            path = tf.train.Checkpoint(m=module).write(f"{folder}/c")
            exec(change, {"tf": tf, "d": other.held})
            tf.train.Checkpoint(m=other).restore(path).assert_consumed()
        return sorted(other.held)

    changes = "del d['a']", "d.pop('a')", "d['l'].pop()", "d['c'] = tf.Variable(1.0)"
    return _tries(*[lambda c=c: restored(c) for c in changes])


def weak_references_beside_the_root(tf):
    module = tf.Module()
    module.v = tf.Variable(5.0)

    def saved(**kwargs):
        with tempfile.TemporaryDirectory() as folder:
            path = tf.train.Checkpoint(**kwargs).write(f"{folder}/c")
            return sorted(name for name, _ in tf.train.list_variables(path))

    def gone():
        variable = tf.Variable(1.0)
        reference = weakref.ref(variable)
        del variable
        gc.collect()
        return saved(v=reference)

    return _tries(
        lambda: saved(v=weakref.ref(module)),
        lambda: saved(root=module, v=weakref.ref(module)),
        lambda: saved(v=weakref.proxy(module)),
        lambda: type(tf.train.Checkpoint(v=weakref.ref(module)).v).__name__,
        gone,
        lambda: saved(v=lambda: module),
    )
