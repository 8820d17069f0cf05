"""Losses, metrics, initializers, regularizers, constraints and activations against tf_keras."""

import functools
import json
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.keras.saving.serialization import deserialize_keras_object, serialize_keras_object
from tests.keras.tables.parts import AREAS, Row, answer, rows, spread, tensors
from tests.tables import table

GOLDEN = Path(__file__).parent.parent / "golden" / "keras_parts"
RECORDED = {area: json.loads((GOLDEN / f"{area}.json").read_text()) for area in AREAS}
TABLE = [(area, row) for area in AREAS for row in rows(area)]


def assert_close(got: Any, want: Any, close: float, where: str) -> None:
    """Equal numbers in lists of equal shape, which may be ragged."""
    if isinstance(want, list) and any(isinstance(row, list) for row in want):
        assert len(got) == len(want), where
        for mine, other in zip(got, want, strict=True):
            assert_close(mine, other, close, where)
        return
    assert np.shape(got) == np.shape(want), where
    np.testing.assert_allclose(got, want, rtol=close, atol=close, err_msg=where)


def assert_same(got: Any, want: Any, tolerance: float, where: str) -> None:
    if isinstance(want, dict) and want.keys() == {"dtype", "value"}:
        assert got["dtype"] == want["dtype"], where
        close = {"float16": 2e-3, "bfloat16": 2e-2}.get(want["dtype"], tolerance)
        assert_close(got["value"], want["value"], close, where)
    elif isinstance(want, dict):
        assert isinstance(got, dict) and list(got) == list(want), f"{where}: {got}, want {want}"
        for key in want:
            assert_same(got[key], want[key], tolerance, f"{where}[{key!r}]")
    elif isinstance(want, list):
        assert len(got) == len(want), f"{where}: {got}, want {want}"
        for place, (mine, other) in enumerate(zip(got, want, strict=True)):
            assert_same(mine, other, tolerance, f"{where}[{place}]")
    else:
        assert type(got) is type(want) and got == want, f"{where}: {got!r}, want {want!r}"


@table("area, row", TABLE, ids=lambda pair: pair[1].id, by=lambda area, row: area)
@pytest.mark.filterwarnings("ignore")
def test_the_answer_is_tf_keras_answer(area: str, row: Row) -> None:
    want = RECORDED[area]["answers"][row.id]
    got = json.loads(json.dumps(answer(tf, area, row)))
    assert_same(got, want, row.tolerance, row.id)


def without_error(area: str, kind: type) -> list[Row]:
    """The rows of an area that are classes, or functions, and can be called."""
    module, recorded = getattr(tf.keras, area), RECORDED[area]["answers"]
    found = [row for row in rows(area) if "error" not in recorded[row.id]]
    return [row for row in found if isinstance(getattr(module, row.name), type) is (kind is type)]


def traced(fn: Any, row: Row, inputs: Any) -> Any:
    """What a function gives inside a `tf.function` that leaves the size of the batch open."""
    inputs = [tf.constant(x) if isinstance(x, list | float | int) else x for x in inputs]
    specs = [tf.type_spec_from_value(x) for x in inputs]
    if row.open_batch:
        specs = [_open_batch(spec) for spec in specs]
    return tf.function(fn, input_signature=specs)(*inputs)


def _open_batch(spec: Any) -> Any:
    if not isinstance(spec, tf.TensorSpec) or not spec.shape.rank:
        return spec
    return tf.TensorSpec([None, *spec.shape[1:]], spec.dtype)


def parametrized(found: list[Row]) -> Any:
    return table("row", found, ids=lambda row: row.id, by=lambda row: row.name[0])


@parametrized(without_error("metrics", type))
@pytest.mark.filterwarnings("ignore")
def test_a_metric_is_the_same_inside_a_function_and_made_again(row: Row) -> None:
    kwargs = dict(row.kwargs)
    if "fn" in kwargs:
        kwargs["fn"] = getattr(tf.keras.losses, kwargs["fn"])
    first = getattr(tf.keras.metrics, row.name)(**kwargs)
    metric = deserialize_keras_object(serialize_keras_object(first))
    assert str(metric) == str(first)

    def told(*batch: Any) -> Any:
        metric.update_state(*batch)
        return metric.result()

    want = RECORDED["metrics"]["answers"][row.id]["results"]
    for place, batch in enumerate(row.inputs[:2]):
        result = spread(traced(told, row, tensors(tf, batch)))
        assert_same(result, want[place], row.tolerance, f"batch {place}")


@parametrized(without_error("losses", type))
def test_a_loss_is_the_same_inside_a_function_and_made_again(row: Row) -> None:
    first = getattr(tf.keras.losses, row.name)(**row.kwargs)
    loss = deserialize_keras_object(serialize_keras_object(first))
    assert loss.get_config() == first.get_config()
    truth, guess, weights = row.inputs
    for place, weight in enumerate(weights):
        batch = tensors(tf, (truth, guess) if weight is None else (truth, guess, weight))
        want = RECORDED["losses"]["answers"][row.id]["auto"][place]
        assert_same(spread(traced(loss, row, batch)), want, row.tolerance, f"weights {place}")


FUNCTIONS = [
    pytest.param(area, row, id=f"{area}-{row.id}")
    for area in ("activations", "losses", "metrics")
    for row in without_error(area, types.FunctionType)
]


@table("area, row", FUNCTIONS, by=lambda area, row: area)
@pytest.mark.filterwarnings("ignore")
def test_a_function_is_the_same_inside_a_function(area: str, row: Row) -> None:
    fn = functools.partial(getattr(getattr(tf.keras, area), row.name), **row.kwargs)
    want = RECORDED[area]["answers"][row.id][0]
    assert_same(spread(traced(fn, row, tensors(tf, row.inputs))), want, row.tolerance, row.id)


@pytest.mark.parametrize("area", AREAS)
def test_every_public_name_has_a_row(area: str) -> None:
    assert set(RECORDED[area]["names"]) <= {row.name for row in rows(area)}
