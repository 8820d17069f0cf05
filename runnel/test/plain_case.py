"""What `tf.test.TestCase` has of the test case of absl-py: assertions about values of Python."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
import subprocess
import unittest
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from runnel.test.temporary import TemporaryFile, TemporaryFolder

Message = str | None


class PlainTestCase(unittest.TestCase):
    """Assertions about numbers, texts, containers, errors and commands; files for a test."""

    def assertLen(self, container: Any, expected_len: int, msg: Message = None) -> None:
        self.assertEqual(len(container), expected_len, msg)

    def assertEmpty(self, container: Any, msg: Message = None) -> None:
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container: Any, msg: Message = None) -> None:
        self.assertNotEqual(len(container), 0, msg)

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: Message = None) -> None:
        self.assertTrue(minv <= value <= maxv, msg or f"{value!r} is not in [{minv}, {maxv}]")

    def assertIsSubclass(self, cls: type, superclass: type, msg: Message = None) -> None:
        self.assertTrue(issubclass(cls, superclass), msg or f"{cls} is no {superclass}")

    def assertNotIsSubclass(self, cls: type, superclass: type, msg: Message = None) -> None:
        self.assertFalse(issubclass(cls, superclass), msg or f"{cls} is a {superclass}")

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: Message = None) -> None:
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r}")

    def assertNotStartsWith(self, actual: Any, unexpected_start: Any, msg: Message = None) -> None:
        self.assertFalse(actual.startswith(unexpected_start), msg or f"{actual!r}")

    def assertEndsWith(self, actual: Any, expected_end: Any, msg: Message = None) -> None:
        self.assertTrue(actual.endswith(expected_end), msg or f"{actual!r}")

    def assertNotEndsWith(self, actual: Any, unexpected_end: Any, msg: Message = None) -> None:
        self.assertFalse(actual.endswith(unexpected_end), msg or f"{actual!r}")

    def assertRegexMatch(self, actual_str: Any, regexes: Any, message: Message = None) -> None:
        """Fail unless one of the patterns is found in a text."""
        self.assertNotIsInstance(regexes, str | bytes, "`regexes` is a list of patterns")
        found = any(re.search(pattern, actual_str, re.MULTILINE) for pattern in regexes)
        self.assertTrue(found, message or f"none of {regexes!r} is in {actual_str!r}")

    def assertContainsInOrder(self, strings: Any, target: str, msg: Message = None) -> None:
        """Fail unless texts stand one after the other in another."""
        place = 0
        for text in [strings] if isinstance(strings, str) else strings:
            found = target.find(text, place)
            self.assertGreaterEqual(found, 0, msg or f"{text!r} is not in {target[place:]!r}")
            place = found + len(text)

    def assertItemsEqual(self, first: Any, second: Any, msg: Message = None) -> None:
        self.assertCountEqual(first, second, msg)

    def assertSameElements(self, expected_seq: Any, actual_seq: Any, msg: Message = None) -> None:
        """Fail unless two sequences have the same elements, however often."""
        for given in (expected_seq, actual_seq):
            self.assertNotIsInstance(given, str | bytes, "a text is no sequence of elements")
        missing = [e for e in expected_seq if e not in list(actual_seq)]
        extra = [e for e in actual_seq if e not in list(expected_seq)]
        self.assertFalse(missing or extra, msg or f"missing {missing!r}, not expected {extra!r}")

    def assertContainsSubset(
        self, expected_subset: Any, actual_set: Any, msg: Message = None
    ) -> None:
        missing = set(expected_subset) - set(actual_set)
        self.assertFalse(missing, msg or f"{missing!r} are missing in {actual_set!r}")

    def assertNoCommonElements(
        self, expected_seq: Any, actual_seq: Any, msg: Message = None
    ) -> None:
        common = set(expected_seq) & set(actual_seq)
        self.assertFalse(common, msg or f"{common!r} are in both")

    def assertSequenceStartsWith(self, prefix: Any, whole: Any, msg: Message = None) -> None:
        start = list(itertools.islice(whole, len(prefix)))
        self.assertSequenceEqual(list(prefix), start, msg)

    def assertSequenceAlmostEqual(
        self,
        expected_seq: Any,
        actual_seq: Any,
        places: int | None = None,
        msg: Message = None,
        delta: float | None = None,
    ) -> None:
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for one, other in zip(expected_seq, actual_seq):
            self._assert_near(one, other, places, msg, delta)

    def _assert_near(self, one: Any, other: Any, places: Any, msg: Message, delta: Any) -> None:
        self.assertAlmostEqual(one, other, places=places, msg=msg, delta=delta)

    def assertContainsSubsequence(
        self, container: Any, subsequence: Any, msg: Message = None
    ) -> None:
        """Fail unless elements come in this order, perhaps with others between them."""
        rest = iter(container)
        found = all(any(element == other for other in rest) for element in subsequence)
        self.assertTrue(found, msg or f"{subsequence!r} is no subsequence of {container!r}")

    def assertContainsExactSubsequence(
        self, container: Any, subsequence: Any, msg: Message = None
    ) -> None:
        """Fail unless elements come in this order, with no others between them."""
        whole, part = list(container), list(subsequence)
        starts = range(len(whole) - len(part) + 1)
        found = any(whole[start : start + len(part)] == part for start in starts)
        self.assertTrue(found, msg or f"{part!r} is not in {whole!r}")

    def assertTotallyOrdered(self, *groups: Iterable[Any], msg: Message = None) -> None:
        """Fail unless values of a group are equal, and less than those of later groups."""
        lists = [list(group) for group in groups]
        for group in lists:
            for one, other in itertools.product(group, repeat=2):
                self.assertTrue(one == other and one <= other and not one < other, msg)
                self.assertEqual(hash(one), hash(other), msg)
        for earlier, later in itertools.combinations(lists, 2):
            for one, other in itertools.product(earlier, later):
                orders = (one < other, one <= other, other > one, other >= one, one != other)
                self.assertTrue(all(orders), msg or f"{one!r} is not less than {other!r}")

    def assertMappingEqual(
        self, a: Mapping[Any, Any], b: Any, msg: Message = None, mapping_type: Any = dict
    ) -> None:
        """Fail unless two mappings, of a class if that is given, have the same items."""
        for value in (a, b):
            self.assertIsInstance(value, mapping_type, msg)
        # That of a class beside this one may be made of this very method.
        unittest.TestCase.assertDictEqual(self, dict(a), dict(b), msg)

    def assertDictAlmostEqual(
        self,
        a: Mapping[Any, Any],
        b: Any,
        places: int | None = None,
        msg: Message = None,
        delta: float | None = None,
    ) -> None:
        self.assertCountEqual(list(a), list(b), msg)
        for key, value in a.items():
            self._assert_near(value, b[key], places, msg, delta)

    def assertSameStructure(
        self, a: Any, b: Any, aname: str = "a", bname: str = "b", msg: Message = None
    ) -> None:
        """Fail unless two nests of mappings and sequences are equal; the place is told."""
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            self.assertCountEqual(list(a), list(b), msg or f"the keys of {aname} and {bname}")
            pairs: Any = [(key, a[key], b[key]) for key in a]
        elif _is_sequence(a) and _is_sequence(b):
            self.assertEqual(len(a), len(b), msg or f"the lengths of {aname} and {bname}")
            pairs = [(i, x, y) for i, (x, y) in enumerate(zip(a, b))]
        else:
            self.assertEqual(a, b, msg or f"{aname} and {bname}")
            return
        for key, x, y in pairs:
            self.assertSameStructure(x, y, f"{aname}[{key!r}]", f"{bname}[{key!r}]", msg)

    def assertJsonEqual(self, first: str, second: str, msg: Message = None) -> None:
        self.assertSameStructure(json.loads(first), json.loads(second), "first", "second", msg)

    def assertDataclassEqual(self, first: Any, second: Any, msg: Message = None) -> None:
        self.assertTrue(dataclasses.is_dataclass(first) and dataclasses.is_dataclass(second), msg)
        self.assertIs(type(first), type(second), msg)
        for field in dataclasses.fields(first):
            pair = getattr(first, field.name), getattr(second, field.name)
            self.assertEqual(*pair, msg or f"the field {field.name}")
        self.assertEqual(first, second, msg)

    def assertUrlEqual(self, a: str, b: str, msg: Message = None) -> None:
        """Fail unless two addresses are the same up to the order of their parameters."""
        self.assertEqual(_url(a), _url(b), msg)

    def assertRaisesWithLiteralMatch(
        self,
        expected_exception: Any,
        expected_exception_message: str,
        callable_obj: Callable[..., Any] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Expect an error with exactly this message, from a call or inside of a `with` block."""
        expected = self._message_is(expected_exception, expected_exception_message)
        if callable_obj is None:
            return expected
        with expected:
            callable_obj(*args, **kwargs)
        return None

    @contextmanager
    def _message_is(self, kind: Any, message: str) -> Any:
        with self.assertRaises(kind) as caught:
            yield caught
        self.assertEqual(str(caught.exception), message)

    def assertCommandSucceeds(
        self,
        command: Any,
        regexes: Sequence[Any] = (b"",),
        env: Any = None,
        close_fds: bool = True,
        msg: Message = None,
    ) -> None:
        """Fail unless a command ends well and writes what one of the patterns is found in."""
        status, output = _run(command, env, close_fds)
        self.assertEqual(status, 0, msg or f"{command!r} wrote {output!r}")
        self.assertRegexMatch(output, [_bytes(r) for r in regexes], msg)

    def assertCommandFails(
        self,
        command: Any,
        regexes: Sequence[Any],
        env: Any = None,
        close_fds: bool = True,
        msg: Message = None,
    ) -> None:
        """Fail unless a command fails and writes what one of the patterns is found in."""
        status, output = _run(command, env, close_fds)
        self.assertNotEqual(status, 0, msg or f"{command!r} wrote {output!r}")
        self.assertRegexMatch(output, [_bytes(r) for r in regexes], msg)

    def enter_context(self, manager: AbstractContextManager[Any]) -> Any:
        """Enter a `with` block that ends with the test."""
        return self.enterContext(manager)

    def create_tempdir(self, name: str | None = None, cleanup: Any = None) -> TemporaryFolder:
        """A new folder, removed after the test."""
        return TemporaryFolder.made(self, name)

    def create_tempfile(
        self,
        file_path: str | None = None,
        content: Any = None,
        mode: str = "w",
        encoding: str = "utf8",
        errors: str = "strict",
        cleanup: Any = None,
    ) -> TemporaryFile:
        """A new file, removed after the test."""
        folder = TemporaryFolder.made(self, None)
        return folder.create_file(file_path, content, mode, encoding, errors)

    def record_property(self, property_name: str, property_value: Any) -> None:
        """Note something of the test, for `get_recorded_properties`."""
        self.get_recorded_properties()[property_name] = property_value

    def get_recorded_properties(self, subtest: Any = None) -> dict[str, Any]:
        """What was noted of the test, or of one of its parts."""
        noted: dict[str, Any] = vars(self if subtest is None else subtest).setdefault("_noted", {})
        return noted


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _url(address: str) -> Any:
    parts = urlsplit(address)
    return parts._replace(query=""), sorted(parse_qsl(parts.query, keep_blank_values=True))


def _run(command: Any, env: Any, close_fds: bool) -> tuple[int, bytes]:
    done = subprocess.run(
        command,
        env=env,
        close_fds=close_fds,
        shell=isinstance(command, str),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.returncode, done.stdout


def _bytes(pattern: Any) -> bytes:
    return pattern.encode() if isinstance(pattern, str) else pattern
