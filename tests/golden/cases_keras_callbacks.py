"""Callbacks: what they log, print, write and change, and when they stop a training."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from typing import Any

import numpy as np

X = np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4)
Y = X.sum(axis=1, keepdims=True) * 0.5 + 1.0


def _model(tf: Any, rate: float = 0.1, **options: Any) -> Any:
    dense = tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(4,))
    model = tf.keras.Sequential([dense])
    model.compile(tf.keras.optimizers.SGD(rate), "mse", **options)
    return model


def _fit(tf: Any, callbacks: Any, model: Any = None, **options: Any) -> Any:
    """The history of a small training as arrays, and what was printed, without times."""
    model = _model(tf) if model is None else model
    options = {"epochs": 6, "batch_size": 4, "shuffle": False, "verbose": 0, **options}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        history = model.fit(X, Y, callbacks=callbacks, **options)
    numbers = {k: np.float32(v) for k, v in history.history.items()}
    return {"epochs": history.epoch, "history": numbers, "printed": _lines(printed.getvalue())}


def _lines(text: str) -> list[str]:
    """What was printed, without what differs from run to run: times, folders, redrawn bars."""
    text = re.sub(r"[^\n]*\r|\x08", "", text)
    text = re.sub(r"- +\d+m?s(?: \d+[mun]?s/(?:step|epoch))?", "- time", text)
    text = re.sub(r"/tmp/\w+/", "", text)
    text = re.sub(r"(\d\.\d{3})\d+", r"\1", text)
    return [line for line in text.split("\n") if line.strip()]


def _worse(tf: Any) -> Any:
    """A model whose loss grows."""
    return _model(tf, rate=0.9)


class _Notes:
    """Notes every call of a hook."""

    def __init__(self, tf: Any) -> None:
        self.notes: list[Any] = []
        notes = self.notes

        def noting(name: str) -> Any:
            def hook(self: Any, *args: Any, logs: Any = None) -> None:
                *place, found = args if args and isinstance(args[-1], dict) else (*args, logs)
                notes.append([name, *place, sorted(found or {})])

            return hook

        hooks = [name for name in dir(tf.keras.callbacks.Callback) if name.startswith("on_")]
        self.callback = type(
            "Noting", (tf.keras.callbacks.Callback,), {name: noting(name) for name in hooks}
        )()


def Callback(tf: Any) -> Any:
    noted = _Notes(tf)
    model = _model(tf, metrics=["mae"])
    _fit(tf, [noted.callback], model, epochs=2, validation_data=(X, Y))
    model.evaluate(X, Y, batch_size=4, verbose=0, callbacks=[noted.callback])
    model.predict(X, batch_size=4, verbose=0, callbacks=[noted.callback])
    params = {k: v for k, v in noted.callback.params.items() if k in ("epochs", "steps")}
    return noted.notes, params, noted.callback.model is model


def callbacks_of_older_programs(tf: Any) -> Any:
    seen = []

    class Old(tf.keras.callbacks.Callback):
        def on_batch_begin(self, batch: int, logs: Any = None) -> None:
            seen.append(["begin", batch])

        def on_batch_end(self, batch: int, logs: Any = None) -> None:
            seen.append(["end", batch, sorted(logs)])

    _fit(tf, [Old()], epochs=1)
    return seen


def stopping_from_a_callback(tf: Any) -> Any:
    class Stop(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if self.model.optimizer.iterations.numpy() >= 5:
                self.model.stop_training = True

    model = _model(tf)
    return _fit(tf, [Stop()], model)["epochs"], model.optimizer.iterations


def CallbackList(tf: Any) -> Any:
    noted = _Notes(tf)
    model = _model(tf)
    model.train_on_batch(X, Y)
    callbacks = tf.keras.callbacks.CallbackList(
        [noted.callback], add_history=True, add_progbar=False, model=model, epochs=1, steps=2
    )
    callbacks.on_train_begin()
    callbacks.on_epoch_begin(0)
    for batch in range(2):
        callbacks.on_train_batch_begin(batch)
        callbacks.on_train_batch_end(batch, callbacks.make_logs(model, {}, [1.0], "train"))
    callbacks.on_epoch_end(0, {"loss": 2.0})
    callbacks.on_train_end()
    kinds = [type(c).__name__ for c in callbacks]
    logs = callbacks.make_logs(model, {"a": 1}, [3], "predict")
    return noted.notes, kinds, model.history.history, callbacks.params, logs


def History(tf: Any) -> Any:
    model = _model(tf, metrics=["mae"])
    history = tf.keras.callbacks.History()
    first = _fit(tf, [history], model, epochs=2, validation_split=0.25)
    second = _fit(tf, [history], model, epochs=4, initial_epoch=3)
    return first, second, history.epoch, sorted(history.params), model.history is history


def BaseLogger(tf: Any) -> Any:
    logger = tf.keras.callbacks.BaseLogger(stateful_metrics=["acc"])
    logger.set_params({"metrics": ["loss", "acc", "other"]})
    logger.on_epoch_begin(0)
    logger.on_batch_end(0, {"size": 3, "loss": 1.0, "acc": 0.5})
    logger.on_batch_end(1, {"size": 1, "loss": 5.0, "acc": 0.25, "num_steps": 1})
    logs: dict[str, Any] = {"val_loss": 1.0}
    logger.on_epoch_end(0, logs)
    return logs, logger.seen


def _stopping(tf: Any, model: Any = None, **options: Any) -> Any:
    model = _model(tf) if model is None else model
    stop = tf.keras.callbacks.EarlyStopping(**options)
    found = _fit(tf, [stop], model, epochs=12, validation_data=(X, Y + 0.2))
    state = [stop.stopped_epoch, stop.wait, stop.best_epoch, np.float32(stop.best)]
    return found["epochs"], found["printed"], state, model.get_weights()


def EarlyStopping(tf: Any) -> Any:
    return [
        _stopping(tf, min_delta=0.05, verbose=1),
        _stopping(tf, monitor="loss", min_delta=0.02, patience=2),
        _stopping(tf, _worse(tf), patience=2, restore_best_weights=True, verbose=1),
        _stopping(tf, monitor="val_loss", mode="max", patience=3),
        _stopping(tf, monitor="loss", baseline=0.0001, patience=2, verbose=1),
        _stopping(tf, monitor="loss", min_delta=10, start_from_epoch=4, patience=1),
        _stopping(tf, _worse(tf), baseline=1e9, patience=1, restore_best_weights=True),
    ]


def stopping_early_by_an_unknown_metric(tf: Any) -> Any:
    return _stopping(tf, monitor="accuracy")[0]


def stopping_early_in_an_unknown_mode(tf: Any) -> Any:
    return _stopping(tf, mode="sideways")[0]


def _plateau(tf: Any, model: Any = None, **options: Any) -> Any:
    model = _worse(tf) if model is None else model
    reduce = tf.keras.callbacks.ReduceLROnPlateau(monitor="loss", **options)
    found = _fit(tf, [reduce], model, epochs=8)
    return found["printed"], found["history"]["lr"], sorted(found["history"])


def ReduceLROnPlateau(tf: Any) -> Any:
    return [
        _plateau(tf, factor=0.5, patience=1, verbose=1),
        _plateau(tf, factor=0.1, patience=2, cooldown=2),
        _plateau(tf, factor=0.1, patience=1, min_lr=0.01),
        _plateau(tf, _model(tf), factor=0.5, patience=1, min_delta=10.0),
        _plateau(tf, _model(tf), factor=0.5, patience=1, mode="max"),
    ]


def raising_the_rate_on_a_plateau(tf: Any) -> Any:
    return tf.keras.callbacks.ReduceLROnPlateau(factor=1.0)


def LearningRateScheduler(tf: Any) -> Any:
    scheduler = tf.keras.callbacks.LearningRateScheduler
    return [
        _fit(tf, [scheduler(lambda epoch: 0.1 / (epoch + 1), verbose=1)], epochs=3),
        _fit(tf, [scheduler(lambda epoch, rate: rate * 0.5)], epochs=3),
    ]


def a_schedule_of_words(tf: Any) -> Any:
    return _fit(tf, [tf.keras.callbacks.LearningRateScheduler(lambda epoch: "slow")])


def TerminateOnNaN(tf: Any) -> Any:
    model = _model(tf, rate=1e25)
    found = _fit(tf, [tf.keras.callbacks.TerminateOnNaN()], model, epochs=5)
    return found["epochs"], found["printed"], list(found["history"])


def LambdaCallback(tf: Any) -> Any:
    calls: list[Any] = []
    callback = tf.keras.callbacks.LambdaCallback(
        on_epoch_begin=lambda epoch, logs: calls.append(["epoch begins", epoch]),
        on_epoch_end=lambda epoch, logs: calls.append(["epoch ends", epoch, sorted(logs)]),
        on_batch_begin=lambda batch, logs: calls.append(["batch begins", batch]),
        on_batch_end=lambda batch, logs: calls.append(["batch ends", batch]),
        on_train_begin=lambda logs: calls.append(["training begins"]),
        on_train_end=lambda logs: calls.append(["training ends"]),
    )
    _fit(tf, [callback], epochs=2)
    return calls


def _rows(path: str) -> Any:
    """The cells of a file, numbers as such."""
    with open(path) as file:
        lines = [re.split("[,;]", line) for line in file.read().split()]
    return [[c if c.isidentifier() else np.float32(c) for c in line] for line in lines]


def CSVLogger(tf: Any) -> Any:
    logger = tf.keras.callbacks.CSVLogger
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.csv")
        _fit(tf, [logger(path)], _model(tf, metrics=["mae"]), epochs=2, validation_data=(X, Y))
        first = _rows(path)
        _fit(tf, [logger(path, append=True)], epochs=1)
        appended = [len(row) for row in _rows(path)]
        _fit(tf, [logger(path, separator=";")], epochs=1)
        return first, appended, _rows(path)


def _saved(tf: Any, pattern: str, **options: Any) -> Any:
    """The files that a training leaves, what it printed, and the best value."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        path = os.path.join(folder, pattern)
        save = tf.keras.callbacks.ModelCheckpoint(path, **options)
        model = _worse(tf) if options.get("save_best_only") else _model(tf)
        found = _fit(tf, [save], model, epochs=3, validation_data=(X, Y))
        names = sorted(os.listdir(folder))
        kept = [name for name in names if not name.startswith("variables")]
        return kept, found["printed"], np.float32(save.best)


def ModelCheckpoint(tf: Any) -> Any:
    return [
        _saved(tf, "model.keras"),
        _saved(tf, "{epoch:02d}-{val_loss:.2f}.h5", save_weights_only=True, verbose=1),
        _saved(tf, "weights-{epoch}", save_weights_only=True),
        _saved(tf, "{epoch}.keras", save_best_only=True, verbose=1),
        _saved(tf, "{epoch}.keras", save_best_only=True, monitor="loss", mode="max"),
        _saved(tf, "{epoch}.keras", save_best_only=True, initial_value_threshold=1e-9),
        _saved(tf, "{epoch}-{batch}.h5", save_freq=3, save_weights_only=True),
        _saved(tf, "{epoch}.h5", save_weights_only=True, period=2),
    ]


def a_checkpoint_now_and_then(tf: Any) -> Any:
    return tf.keras.callbacks.ModelCheckpoint("x", save_freq="batch")


def a_checkpoint_named_by_an_unknown_metric(tf: Any) -> Any:
    return _saved(tf, "{accuracy:.2f}.h5", save_weights_only=True)


def weights_of_a_checkpoint(tf: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "best.h5")
        save = tf.keras.callbacks.ModelCheckpoint(
            path, monitor="loss", save_best_only=True, save_weights_only=True
        )
        _fit(tf, [save], _worse(tf), epochs=3)
        model = _model(tf)
        model.load_weights(path)
        return model.get_weights()


class _Interrupted(Exception):
    pass


def _interrupted(tf: Any, **options: Any) -> Any:
    class Interrupt(tf.keras.callbacks.Callback):
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            if epoch == 2:
                raise _Interrupted

    with tempfile.TemporaryDirectory() as folder:
        backup = os.path.join(folder, "backup")
        keep = tf.keras.callbacks.BackupAndRestore(backup, **options)
        with contextlib.suppress(_Interrupted):
            _fit(tf, [keep, Interrupt()])
        saved = os.path.isdir(backup)
        model = _model(tf)
        again = _fit(tf, [tf.keras.callbacks.BackupAndRestore(backup, **options)], model)
        return saved, again, model.get_weights(), os.path.isdir(backup)


def BackupAndRestore(tf: Any) -> Any:
    return [_interrupted(tf), _interrupted(tf, delete_checkpoint=False)]


def ProgbarLogger(tf: Any) -> Any:
    with_metrics = {"metrics": ["mae"]}
    return [
        _fit(tf, [], _model(tf, **with_metrics), epochs=2, verbose=2)["printed"],
        _fit(tf, [], epochs=1, verbose=2, validation_data=(X, Y))["printed"],
        _fit(tf, [tf.keras.callbacks.ProgbarLogger("steps")], epochs=1, verbose=2)["printed"],
    ]


def a_bar_of_unknown_units(tf: Any) -> Any:
    return tf.keras.callbacks.ProgbarLogger("epochs")


def SidecarEvaluatorModelExport(tf: Any) -> Any:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        model = _model(tf)
        checkpoint = tf.train.Checkpoint(model=model)
        manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
        for _ in range(3):
            manager.save()
        export = tf.keras.callbacks.SidecarEvaluatorModelExport(
            os.path.join(folder, "best-{epoch}.keras"),
            os.path.join(folder, "ckpt-{epoch}"),
            monitor="loss",
        )
        model.evaluate(X, Y, verbose=0, callbacks=[export])
        first = export.export_index
        model.evaluate(X, Y + 5, verbose=0, callbacks=[export])
        exported = sorted(name for name in os.listdir(folder) if name.startswith("best"))
        return first, exported, np.float32(export.best)


def UpdateEmbeddingCallback(tf: Any) -> Any:
    words = tf.constant(["wolf", "zebra"])
    layer = tf.keras.layers.experimental.DynamicEmbedding(
        2, 3, words, embedding_initializer="ones", name="dynamic_embedding"
    )
    update = tf.keras.callbacks.experimental.UpdateEmbeddingCallback(layer, interval=60)
    model = tf.keras.Sequential([layer, tf.keras.layers.Flatten(), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    names = np.array([["owl", "owl"], ["wolf", "owl"]])
    model.fit(names, np.ones((2, 1)), verbose=0, callbacks=[update])
    before = [word.decode() for word in layer.get_vocabulary().numpy()]
    update.on_interval()
    return before, [word.decode() for word in layer.get_vocabulary().numpy()], update.is_alive()
