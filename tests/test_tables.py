"""Tables as one test: no row is lost, and all wrong ones are named."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.tables import table


def asked(row: str | None = None) -> Any:
    """As much of a request as a table asks for."""
    node = SimpleNamespace(user_properties=[])
    return SimpleNamespace(node=node, config=SimpleNamespace(getoption=lambda name: row))


def test_every_row_is_run_and_all_wrong_ones_are_named() -> None:
    seen = []

    @table("number, name", [(1, "a"), (2, "b"), (3, "c")], ids=lambda row: row[1])
    def check(number: int, name: str) -> None:
        seen.append(number)
        assert number == 2, f"it is {number}"

    request: Any = asked()
    with pytest.raises(pytest.fail.Exception, match="2 of 3 rows are wrong: a, c") as failure:
        check(request=request)
    assert "it is 3" in str(failure.value) and seen == [1, 2, 3]
    assert request.node.user_properties == [("rows", 3)]
    check(request=asked(row="b"))


def test_groups_hold_all_rows_and_each_row_has_a_folder(tmp_path: Path) -> None:
    seen = []

    @table("number", range(5), by=lambda number: "odd" if number % 2 else "even")
    def check(number: int, tmp_path: Path) -> None:
        (tmp_path / "file").touch(exist_ok=False)
        seen.append(number)

    (mark,) = check.pytestmark  # type: ignore[attr-defined]
    for group in mark.args[1]:
        (tmp_path / group).mkdir()
        check(request=asked(), group=group, tmp_path=tmp_path / group)
    assert sorted(seen) == list(range(5))


def test_a_table_whose_rows_all_skip_themselves_is_skipped() -> None:
    @table("number", [1, 2])
    def check(number: int) -> None:
        pytest.skip("not here")

    with pytest.raises(pytest.skip.Exception, match="not here"):
        check(request=asked())
