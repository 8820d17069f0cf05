"""TensorBoard's pages, as a browser shows what was written.

An extra: it needs `pip install '.[browser]'`, Chromium and its driver, and is skipped without.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.children import run

selenium = pytest.importorskip("selenium.webdriver", reason="needs selenium")
waiting = pytest.importorskip("selenium.webdriver.support.ui", reason="needs selenium")
pytest.importorskip("tensorboard", reason="needs tensorboard")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # selenium and tensorboard have theirs
    pytest.mark.skipif(not shutil.which("chromedriver"), reason="needs Chromium's driver"),
]

FLAGS = """--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --disable-quic --window-size=1400,1000"""
# All text of a page, and the kinds of elements on it, through the roots of its components.
SEEN = """
    const texts = [];
    const walk = (node) => {
        if (node.nodeType === Node.TEXT_NODE) texts.push(node.textContent);
        if (node.tagName === "IMG" && node.naturalWidth > 1) texts.push("<picture>");
        if (node.shadowRoot) node.shadowRoot.childNodes.forEach(walk);
        if (node.tagName !== "STYLE" && node.tagName !== "SCRIPT") node.childNodes.forEach(walk);
    };
    walk(document.body);
    return texts.join(" ");
"""
PLUGINS = """
import sys
import numpy as np
import tensorflow as tf
from tensorboard.plugins.hparams import api as hp
from tensorboard.plugins.pr_curve import summary as curves

units = hp.HParam("units", hp.Discrete([4, 8]))
for value in (4, 8):
    with tf.summary.create_file_writer(f"{sys.argv[1]}/hparams/{value}").as_default():
        hp.hparams({units: value})
        tf.summary.scalar("accuracy", 0.8, step=1)
labels, guesses = np.array([True, False, True]), np.array([0.9, 0.4, 0.6])
curve = curves.pb("my_curve", labels, guesses, num_thresholds=5).SerializeToString()
with tf.summary.create_file_writer(f"{sys.argv[1]}/curves").as_default():
    tf.summary.experimental.write_raw_pb(curve, step=0)
"""


def write_logs(folder: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(1, name="my_layer")])
    model.compile("sgd", "mse")
    board = tf.keras.callbacks.TensorBoard(folder / "keras", histogram_freq=1)
    model.fit(np.ones((4, 3)), np.ones((4, 1)), verbose=0, epochs=2, callbacks=[board])
    with tf.summary.create_file_writer(folder / "own").as_default():
        tf.summary.scalar("my_number", 0.5, step=1)
        tf.summary.image("my_image", tf.random.uniform([1, 8, 8, 3]), step=1)
        tf.summary.text("my_text", "some *words*", step=1)
    run(f"import runnel.as_tensorflow\n{PLUGINS}", str(folder), check=True)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("logs")
    write_logs(folder)
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(folder), "--port", "0"]
    command += ["--host", "localhost", "--load_fast", "false"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        deadline = threading.Timer(120, server.kill)
        deadline.start()
        try:
            assert server.stderr
            lines = (re.search(r"http://localhost:\d+", line) for line in server.stderr)
            yield next(found[0] for found in lines if found)
        finally:
            deadline.cancel()
            server.terminate()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    options = selenium.ChromeOptions()
    for flag in FLAGS.split():
        options.add_argument(flag)
    service = selenium.ChromeService(shutil.which("chromedriver"))
    driver = selenium.Chrome(options=options, service=service)
    yield driver
    driver.quit()


@pytest.mark.parametrize(
    ("page", "texts"),
    {
        "graphs": ["Main Graph", "sequential"],
        "scalars": ["epoch_loss", "my_number"],
        "histograms": ["my_layer/kernel_0/histogram"],
        "images": ["my_image", "<picture>"],
        "text": ["my_text", "words"],
        "hparams": ["units", "accuracy"],
        "pr_curves": ["my_curve"],
    }.items(),
)
def test_a_page_shows_what_was_written(
    page: str, texts: list[str], address: str, browser: Any
) -> None:
    browser.get(f"{address}/#{page}")
    browser.refresh()
    wait = waiting.WebDriverWait(browser, 30)
    wait.until(lambda b: all(text in b.execute_script(SEEN) for text in texts))
    assert "failed" not in browser.execute_script(SEEN)
