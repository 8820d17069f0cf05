"""Errors one can read: what is printed for common mistakes, line by line."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

import runnel as tf
from tests.mistakes import MISTAKES, Ending, Mistake, ending

RECORDED = json.loads((Path(__file__).parent / "golden" / "mistakes.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def endings(tmp_path_factory) -> dict[str, Ending]:
    folder = str(tmp_path_factory.mktemp("mistakes"))
    with pytest.warns(UserWarning, match="HDF5"):
        return {m.name: ending(m, {"tf": tf, "np": np}, folder) for m in MISTAKES}


def _wrong(mistake: Mistake, end: Ending) -> list[str]:
    unseen = [f"the line {line!r}" for line in mistake.lines if line not in end.printed]
    unsaid = [f"the words {words!r}" for words in mistake.told if words not in end.printed]
    kind = RECORDED[mistake.name]["error"]
    other = [f"a {kind}"] if end.error != kind else []
    missing = unseen + unsaid + other
    return [f"{mistake.name}: {what} expected in\n{end.printed}" for what in missing]


def test_every_mistake_shows_the_users_lines_and_what_to_do(endings):
    wrong = [text for m in MISTAKES for text in _wrong(m, endings[m.name])]
    assert not wrong, "\n".join(wrong)


def test_stacks_are_short(endings):
    assert len(MISTAKES) == 64
    _are_short({name: end.length for name, end in endings.items()}, "lines")


def test_stacks_are_short_in_notebooks():
    pytest.importorskip("IPython", reason="`make test` installs it")
    command = [sys.executable, "-m", "tests.notebook", "runnel"]
    told = subprocess.run(
        command, cwd=Path(__file__).parents[1], capture_output=True, timeout=120, check=True
    )
    _are_short(json.loads(told.stdout.splitlines()[-1]), "notebook")


def _are_short(lengths: dict[str, int], recorded: str) -> None:
    assert not {name: length for name, length in lengths.items() if not 3 <= length <= 25}
    assert sum(lengths.values()) < 0.4 * sum(row[recorded] for row in RECORDED.values())


def test_errors_of_others_are_shown_as_they_are():
    error = None
    try:
        np.linalg.inv(np.zeros([2, 3]))
    except np.linalg.LinAlgError as raised:
        error = raised
    with contextlib.redirect_stderr(io.StringIO()) as printed:
        sys.excepthook(type(error), error, error.__traceback__)
    assert "linalg" in printed.getvalue().splitlines()[-3]


def test_lines_of_the_library_can_be_had():
    tf.debugging.disable_traceback_filtering()
    try:
        with pytest.raises(ValueError, match="incompatible") as raised:
            tf.keras.losses.categorical_crossentropy(tf.ones([2]), tf.ones([2, 3]))
    finally:
        tf.debugging.enable_traceback_filtering()
    assert "_check_shapes" in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize(
    "wrong, meant",
    [
        ("keras.optimizers.Adm", "tf.keras.optimizers.Adam"),
        ("keras.losses.MeanSquareError", "tf.keras.losses.MeanSquaredError"),
        ("metrics.Acuracy", "tf.keras.metrics.Accuracy"),
        ("nn.rellu", "tf.nn.relu"),
        ("train.Exampel", "tf.train.Example"),
        ("config.experimental.list_logical_device", "tf.config.experimental.list_logical_devices"),
        ("raw_ops.MatMull", "tf.raw_ops.MatMul"),
        ("keras.optimizers.Adam(learning_rat=1)", "'learning_rate'"),
        ("keras.layers.Dense(3, activaton='relu')", "'activation'"),
    ],
)
def test_what_was_perhaps_meant(wrong, meant):
    with pytest.raises((AttributeError, TypeError)) as raised:
        eval(f"tf.{wrong}")
    assert f"Did you mean {meant}" in str(raised.value)


def test_loss_that_becomes_nan_is_told_once(caplog):
    x = np.ones([80, 2], "float32")
    x[50] = np.nan
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    with caplog.at_level("WARNING"):
        model.fit(x, x[:, :1], batch_size=1, shuffle=False, epochs=2, verbose=0)
    told = [r.getMessage() for r in caplog.records if "NaN" in r.getMessage()]
    assert len(told) == 1
    assert "batch 51 of epoch 1" in told[0] and "enable_check_numerics" in told[0]
