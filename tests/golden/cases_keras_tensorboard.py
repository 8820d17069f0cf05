"""Event files of `tf.keras.callbacks.TensorBoard`; see `cases.py`.

TensorFlow needs the package `tensorboard` here.
"""

import contextlib
import glob
import io
import os
import tempfile

import numpy as np


def _messages(tf):
    if tf.__name__ == "tensorflow":
        return tf.compat.v1.Event
    from runnel.core.protos import messages

    return messages.Event


def _events(tf, folder):
    """For each folder: the step and the tag, plugin and dtype of each summary, in order."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "**/*tfevents*"), recursive=True)):
        kept = found.setdefault(os.path.relpath(os.path.dirname(path), folder), [])
        for record in tf.data.TFRecordDataset(path).as_numpy_iterator():
            event = _messages(tf).FromString(record)
            kind = event.WhichOneof("what")
            if kind == "summary":
                kept += [
                    [event.step, v.tag, _metadata(v), v.tensor.dtype] for v in event.summary.value
                ]
            else:
                kept.append(kind)
    return found


def _metadata(value):
    return value.metadata.SerializeToString(deterministic=True).decode("latin-1")


def _logged(tf, fit=None, compile=None, layers=None, optimizer="sgd", **options):
    folder = tempfile.mkdtemp()
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential(layers or [_dense(tf, 3, input_shape=(2,)), _dense(tf, 1)])
    model.compile(optimizer, "mse", metrics=["mae"], **(compile or {}))
    board = tf.keras.callbacks.TensorBoard(folder, **options)
    shape = (8, *model.input_shape[1:])
    x, y = np.ones(shape, np.float32), np.ones((8, *model.output_shape[1:]), np.float32)
    with contextlib.redirect_stdout(io.StringIO()):
        given = {"batch_size": 2, "epochs": 2, "verbose": 0, **(fit or {})}
        model.fit(x, y, callbacks=[board], **given)
    return _events(tf, folder)


def _dense(tf, *args, **kwargs):
    return tf.keras.layers.Dense(*args, **kwargs)


def by_default(tf):
    return _logged(tf)


def with_a_progress_bar(tf):
    return _logged(tf, fit={"verbose": 1})


def with_a_line_for_each_epoch(tf):
    return _logged(tf, fit={"verbose": 2})


def every_second_batch(tf):
    return _logged(tf, fit={"verbose": 1}, update_freq=2)


def every_batch_of_executions_of_two(tf):
    return _logged(tf, {"verbose": 1}, {"steps_per_execution": 2}, update_freq="batch")


def with_validation(tf):
    data = (np.ones((4, 2), np.float32), np.ones((4, 1), np.float32))
    fit = {"validation_data": data, "verbose": 1}
    return _logged(tf, fit, update_freq=1, write_steps_per_second=True)


def with_validation_by_default(tf):
    return _logged(tf, {"validation_split": 0.5})


def weights(tf):
    return _logged(tf, histogram_freq=1, write_images=True, write_graph=False)


def weights_of_every_second_epoch(tf):
    return _logged(tf, {"epochs": 3}, histogram_freq=2)


def weights_of_convolutions(tf):
    k = tf.keras.layers
    layers = [
        k.Conv2D(2, 3, input_shape=(5, 5, 1), name="conv2d"),
        k.Conv2D(3, 2, name="conv2d_1"),
        k.BatchNormalization(name="batch_normalization"),
        k.Flatten(name="flatten"),
        k.Dense(2, name="dense_2"),
    ]
    return _logged(tf, layers=layers, histogram_freq=1, write_images=True)


def a_schedule(tf):
    rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    return _logged(tf, optimizer=tf.keras.optimizers.SGD(rate))


def two_runs(tf):
    folder = tempfile.mkdtemp()
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential([_dense(tf, 1)])
    model.compile("sgd", "mse")
    board = tf.keras.callbacks.TensorBoard(folder, update_freq=1, write_graph=False)
    x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
    with contextlib.redirect_stdout(io.StringIO()):
        for epoch in range(2):
            model.fit(x, y, 2, epoch + 1, 1, [board], initial_epoch=epoch)
        model.evaluate(x, y, verbose=0, callbacks=[board])
    return _events(tf, folder)


def eagerly(tf):
    return _logged(tf, {"verbose": 1}, {"run_eagerly": True}, update_freq=3)


def bad_options(tf):
    board, found = tf.keras.callbacks.TensorBoard, []
    for options in ({"what": 1}, {"write_grads": True}, {"profile_batch": 0}):
        try:
            board(**options)
            found.append("nothing")
        except Exception as error:
            found.append(type(error).__name__)
    return found
