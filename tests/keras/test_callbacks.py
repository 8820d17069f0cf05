"""Every callback against tf_keras: what it logs, prints, writes and changes."""

import inspect
import json
import os
import signal
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib import parse

import numpy as np
import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

CASES = cases("keras_callbacks")
RECORDED = recorded("keras_callbacks")
ELSEWHERE = {
    "TensorBoard",  # test_tensorboard.py
    "RemoteMonitor",  # below: it needs a server
}


@pytest.mark.parametrize("name", CASES)
def test_a_callback_does_what_tf_keras_does(name):
    assert_answer(CASES[name], tf, RECORDED[name], warnings=False)


def test_every_callback_has_a_case():
    spaces = [tf.keras.callbacks, tf.keras.callbacks.experimental]
    classes = {n for space in spaces for n, value in vars(space).items() if inspect.isclass(value)}
    assert classes - set(CASES) == ELSEWHERE


@pytest.fixture
def server():
    got = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            got.append([self.path, self.headers["Content-Type"], self.headers["X-Mine"], body])
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass

    listening = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_port}", got
    listening.shutdown()
    thread.join()
    listening.server_close()


def trained(*callbacks):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 2)), np.ones((4, 1)), epochs=2, verbose=0, callbacks=list(callbacks))
    return model.history.history["loss"]


def test_a_server_is_told_the_metrics_of_each_epoch_as_a_form(server):
    root, got = server
    loss = trained(tf.keras.callbacks.RemoteMonitor(root, headers={"X-Mine": "yes"}))
    assert [entry[:3] for entry in got] == [
        ["/publish/epoch/end/", "application/x-www-form-urlencoded", "yes"]
    ] * 2
    sent = [json.loads(parse.parse_qs(entry[3])["data"][0]) for entry in got]
    assert sent == [{"epoch": i, "loss": value} for i, value in enumerate(loss)]


def test_a_server_is_told_the_metrics_as_json(server):
    root, got = server
    loss = trained(tf.keras.callbacks.RemoteMonitor(root, path="/here", send_as_json=True))
    assert [entry[:2] for entry in got] == [["/here", "application/json"]] * 2
    assert json.loads(got[1][3]) == {"epoch": 1, "loss": loss[1]}


def test_training_goes_on_without_the_server(caplog):
    assert len(trained(tf.keras.callbacks.RemoteMonitor("http://127.0.0.1:9"))) == 2
    assert "Could not reach RemoteMonitor root server" in caplog.text


X, Y = np.linspace(0, 1, 36, dtype=np.float32).reshape(12, 3), np.ones((12, 1), np.float32)


class Steps(tf.keras.callbacks.Callback):
    """Notes the steps of a training, and does something after one."""

    def __init__(self, last=None, then=None):
        super().__init__()
        self.seen, self.last, self.then = [], last, then

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        self.seen.append((self.epoch, batch))
        if self.seen[-1] == self.last:
            self.then()


def interrupted(backup, steps):
    """A training with a backup, until `steps` ends it."""
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    options = {"batch_size": 4, "epochs": 3, "shuffle": False, "verbose": 0}
    model.fit(X, Y, callbacks=[steps, backup], **options)
    return model


def stop():
    raise KeyboardInterrupt


def test_a_backup_of_batches_goes_on_in_the_middle_of_an_epoch(tmp_path):
    first = Steps((1, 1), stop)
    with pytest.raises(KeyboardInterrupt):
        interrupted(tf.keras.callbacks.BackupAndRestore(tmp_path, save_freq=1), first)
    again = Steps()
    model = interrupted(tf.keras.callbacks.BackupAndRestore(tmp_path, save_freq=1), again)
    assert again.seen == [(1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]  # the last saved is (1, 0)
    assert int(model.optimizer.iterations) == 9 and not (tmp_path / "chief").exists()


def test_a_backup_is_made_before_the_machine_is_taken_away(tmp_path):
    def terminate():
        os.kill(os.getpid(), signal.SIGTERM)

    def end(number, frame):
        raise KeyboardInterrupt

    backup = tf.keras.callbacks.BackupAndRestore
    outer = signal.signal(signal.SIGTERM, end)
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted(
                backup(tmp_path, save_freq=False, save_before_preemption=True),
                Steps((1, 1), terminate),
            )
        assert signal.getsignal(signal.SIGTERM) is end
        again = Steps()
        interrupted(backup(tmp_path, save_before_preemption=True), again)
        assert again.seen == [(1, 2), (2, 0), (2, 1), (2, 2)]
        assert signal.getsignal(signal.SIGTERM) is end
    finally:
        signal.signal(signal.SIGTERM, outer)


def test_after_a_broken_training_the_signal_is_not_put_off(tmp_path):
    def end(number, frame):
        raise KeyError

    outer = signal.signal(signal.SIGTERM, end)
    try:
        backup = tf.keras.callbacks.BackupAndRestore(tmp_path, save_before_preemption=True)
        with pytest.raises(KeyboardInterrupt):
            interrupted(backup, Steps((0, 0), stop))
        with pytest.raises(KeyError):
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, outer)


def test_a_backup_that_is_never_made_is_refused(tmp_path):
    with pytest.raises(ValueError, match="save_before_preemption"):
        tf.keras.callbacks.BackupAndRestore(tmp_path, save_freq=False)


def test_rates_are_logged_as_the_variable_has_them():
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.SGD(0.01), "mse")
    callback = tf.keras.callbacks.ReduceLROnPlateau("loss", min_delta=10.0, patience=1)
    found = model.fit(np.ones((2, 1)), np.ones(2), epochs=2, verbose=0, callbacks=[callback])
    assert [type(rate) for rate in found.history["lr"]] == [np.float32, np.float32]


def test_a_schedule_of_the_optimizer_prevails_over_one_by_epochs():
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    schedule = tf.keras.optimizers.schedules.PiecewiseConstantDecay([5], [0.5, 0.25])
    model.compile(tf.keras.optimizers.SGD(schedule), "mse")
    callback = tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.125)
    found = model.fit(np.ones((2, 1)), np.ones(2), verbose=0, callbacks=[callback])
    assert found.history["lr"] == [0.5]
