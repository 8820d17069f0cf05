"""Every callback against tf_keras: what it logs, prints, writes and changes."""

import inspect
import json
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
