"""Records the classes and codes of `tf.errors` in `errors.json`."""

import json

import tensorflow as tf
from expressions import HERE

classes = {
    name: {
        "bases": [base.__name__ for base in cls.__mro__],
        "code": cls(None, None, "message").error_code,
    }
    for name, cls in vars(tf.errors).items()
    if isinstance(cls, type) and issubclass(cls, tf.errors.OpError) and cls is not tf.errors.OpError
}
codes = {name: code for name, code in vars(tf.errors).items() if isinstance(code, int)}
facts = {"classes": classes, "codes": codes}
(HERE / "errors.json").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")
