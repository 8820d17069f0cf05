"""`docs/ops.md`, the list of TensorFlow's ops that are there and of those that are not."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

from tests.test_house import ROOT


def _tool() -> Any:
    spec = importlib.util.spec_from_file_location("op_table", ROOT / "tools/op_table.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date() -> None:
    tool = _tool()
    assert tool.PAGE.read_text() == tool.current(), "run python tools/op_table.py"


def test_every_op_is_on_the_page_once_and_every_family_has_ops() -> None:
    tool = _tool()
    defs = json.loads(tool.DEFS.read_text())
    there = set(list(defs)[::3])
    families = tool.sorted_out(defs, there)
    missing = [name for names in families.values() for name in names]
    assert sorted([*missing, *there]) == sorted(defs)
    assert [f.title for f in tool.sorted_out(defs, set())] == [f.title for f in tool.FAMILIES]
