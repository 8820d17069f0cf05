"""Tables of rows as one test, or as one for each group of rows, that lists all wrong rows.

    @table("expression, want", recorded("shape"))
    def test_answers_are_those_of_tensorflow(expression, want):
        assert answer(expression, NAMES) == want

It is `pytest.mark.parametrize` without a test for every row, which costs more than most rows do.
`pytest --row 'with_rank(3)'` runs only those rows whose name contains the text; `by` makes a test
for each group, such as the rows of an op. A row may skip itself. Each has random numbers, a
`tmp_path` and a `monkeypatch` of its own.
"""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import runnel as tf

OPTION = "--row"
_SHOWN = 20  # rows that are wrong are all named; as many of them are shown with their errors
_LONGEST = 1500  # characters of the error of a row

Test = Callable[..., None]


class _Row(NamedTuple):
    name: str
    values: tuple[Any, ...]


def table(
    names: str,
    rows: Iterable[Any],
    *,
    ids: Sequence[str] | Callable[[Any], str] | None = None,
    by: Callable[..., str] | None = None,
) -> Callable[[Test], Test]:
    """Run a test with every row; `by(*row)` says which of several tests a row belongs to."""
    fields = [name.strip() for name in names.split(",")]
    named = _named(list(rows), fields, ids)
    groups: dict[str, list[_Row]] = {}
    for row in named:
        groups.setdefault(by(*row.values) if by else "", []).append(row)

    def decorate(test: Test) -> Test:
        return _in_groups(test, fields, groups) if by else _whole(test, fields, named)

    return decorate


def _named(rows: list[Any], fields: list[str], ids: Any) -> list[_Row]:
    found = []
    for i, row in enumerate(rows):
        name = ids(row) if callable(ids) else ids[i] if ids else None
        if hasattr(row, "values") and hasattr(row, "marks"):  # pytest.param
            assert not row.marks, "a row of a table has no marks"
            name, values = name or row.id, tuple(row.values)
        else:
            values = (row,) if len(fields) == 1 else tuple(row)
        shown = name or "-".join(v if isinstance(v, str) else repr(v) for v in values)
        found.append(_Row(shown, values))
    return found


def _whole(test: Test, fields: list[str], rows: list[_Row]) -> Test:
    def run(request: pytest.FixtureRequest, **fixtures: Any) -> None:
        _check(test, fields, rows, request, fixtures)

    return _like(test, run, fields, "request")


def _in_groups(test: Test, fields: list[str], groups: dict[str, list[_Row]]) -> Test:
    def run(request: pytest.FixtureRequest, group: str, **fixtures: Any) -> None:
        _check(test, fields, groups[group], request, fixtures)

    grouped = _like(test, run, fields, "request", "group")
    return pytest.mark.parametrize("group", list(groups))(grouped)


def _like(test: Test, run: Any, fields: list[str], *more: str) -> Test:
    """`run` as a test with the name, the marks and the fixtures of `test`."""
    functools.update_wrapper(run, test)
    kept = [name for name in inspect.signature(test).parameters if name not in (*fields, *more)]
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter(name, kind) for name in (*more, *kept)]
    run.__signature__ = inspect.Signature(parameters)
    return run


def _check(
    test: Test,
    fields: list[str],
    rows: list[_Row],
    request: pytest.FixtureRequest,
    fixtures: dict[str, Any],
) -> None:
    text = request.config.getoption(OPTION)
    chosen = [row for row in rows if text is None or text in row.name]
    wrong, skipped = [], []
    for place, row in enumerate(chosen):
        tf.random.set_seed(None)
        own = _of_one_row(fixtures, place)
        try:
            test(**dict(zip(fields, row.values, strict=True)), **own)
        except pytest.skip.Exception as reason:
            skipped.append(str(reason))
        except (Exception, pytest.fail.Exception) as error:
            wrong.append((row.name, error))
        finally:
            if "monkeypatch" in own:
                own["monkeypatch"].undo()
    request.node.user_properties.append(("rows", len(chosen)))
    if wrong:
        pytest.fail(_report(wrong, len(chosen)), pytrace=False)
    if len(skipped) == len(chosen):
        pytest.skip(skipped[0] if skipped else f"no row has {text!r} in its name")


def _of_one_row(fixtures: dict[str, Any], place: int) -> dict[str, Any]:
    folder = fixtures.get("tmp_path")
    if not isinstance(folder, Path):
        return fixtures
    own = folder / str(place)
    own.mkdir()
    return {**fixtures, "tmp_path": own}


def _report(wrong: list[tuple[str, BaseException]], count: int) -> str:
    lines = [f"{len(wrong)} of {count} rows are wrong: " + ", ".join(name for name, _ in wrong)]
    for name, error in wrong[:_SHOWN]:
        where = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__}: {error}"[:_LONGEST]
        lines += ["", f"{name} ({where.filename}:{where.lineno})", message]
    return "\n".join(lines)
