"""The comparison of packages' tests, without installing anything."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.packages import results
from tests.packages.catalog import CATALOG, Package

REPORT = """<testsuites><testsuite>
<testcase classname="a.B" name="test_xat0x7f6e[1]"/>
<testcase classname="a.B" name="test_x[2]"><failure/></testcase>
<testcase classname="a.B" name="test_y"><skipped/></testcase>
<testcase classname="a" name="test_z"><error/></testcase>
</testsuite></testsuites>"""


def test_cases_are_counted_by_function() -> None:
    found = results.parsed(REPORT)
    assert found["passed"] == {"a.B.test_x": 1}
    assert found["failed"] == {"a.B.test_x": 1, "a.test_z": 1}
    assert found["skipped"] == {"a.B.test_y": 1}


def test_what_is_lost_is_told_unless_it_is_explained() -> None:
    expected = Counter({"a.B.test_x": 2, "a.test_z": 1})
    package = Package("p", "p==1", needs="", copied="p", tests="p")
    found = results.lost(package, expected, results.parsed(REPORT))
    assert found == (Counter({"a.B.test_x": 1, "a.test_z": 1}), 0)
    explained = replace(package, differences={"a.test": "another wording"})
    found = results.lost(explained, expected, results.parsed(REPORT))
    assert found == (Counter({"a.B.test_x": 1}), 1)


@pytest.mark.parametrize("name", CATALOG)
def test_every_package_has_a_list_and_explains_real_tests(name: str) -> None:
    package = CATALOG[name]
    recorded = results.recorded(package)
    assert sum(recorded.values()) > 50
    for start in package.differences:
        assert any(test.startswith(start) for test in recorded), start
