"""`tf.test.TestCase`: `unittest.TestCase` with assertions about arrays."""

from __future__ import annotations

import re
import tempfile
import unittest
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from runnel.core.settings.device_spec import DeviceSpec
from runnel.core.values import nest
from runnel.core.values.dtypes import as_dtype
from runnel.core.values.errors import InvalidArgumentError, OpError


class TestCase(unittest.TestCase):
    """A base for tests; tensors, arrays, numbers and lists may be compared with one another."""

    __test__ = True

    def evaluate(self, tensors: Any) -> Any:
        """The values of the tensors in a structure."""
        return nest.map_structure(_value, tensors)

    def get_temp_dir(self) -> str:
        """A folder that is removed when the test is over."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Fail unless `a` and `b` have one structure and shape, and nearly the same numbers."""
        if isinstance(a, Mapping) or isinstance(b, Mapping):
            self.assertEqual(sorted(a), sorted(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, f"{msg or ''}[{key!r}]")
        elif _is_uneven(a) or _is_uneven(b):
            self.assertEqual(len(a), len(b), msg)
            for i, (x, y) in enumerate(zip(a, b)):
                self.assertAllClose(x, y, rtol, atol, f"{msg or ''}[{i}]")
        else:
            np.testing.assert_allclose(
                _wide(a), _wide(b), rtol, atol, err_msg=msg or "", strict=False
            )
            self.assertEqual(np.shape(_array(a)), np.shape(_array(b)), msg)

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """`assertAllClose` with the tolerances of the coarser dtype."""
        limits = {
            "float32": (float_rtol, float_atol),
            "complex64": (float_rtol, float_atol),
            "float16": (half_rtol, half_atol),
            "bfloat16": (bfloat16_rtol, bfloat16_atol),
        }
        for array in (_array(a), _array(b)):
            least = limits.get(array.dtype.name, (rtol, atol))
            rtol, atol = max(rtol, least[0]), max(atol, least[1])
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Fail if `assertAllClose` does not."""
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        self.fail(self._formatMessage(msg, f"{a!r} and {b!r} are close"))

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Fail unless `a` and `b` have the same shape and elements; NaN equals NaN."""
        x, y = _text_as_bytes(_array(a)), _text_as_bytes(_array(b))
        self.assertEqual(x.shape, y.shape, msg)
        np.testing.assert_array_equal(x, y, err_msg=msg or "")

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Fail if `assertAllEqual` does not."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(self._formatMessage(msg, f"{a!r} and {b!r} are equal"))

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        self.assertGreater(_array(a).min(), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        self.assertGreaterEqual(_array(a).min(), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        self.assertLess(_array(a).max(), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        self.assertLessEqual(_array(a).max(), comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Fail unless every element lies between the bounds, which belong to it unless open."""
        value = _array(target)
        above = value > lower_bound if open_lower_bound else value >= lower_bound
        below = value < upper_bound if open_upper_bound else value <= upper_bound
        self.assertTrue(np.all(above & below), f"not in [{lower_bound}, {upper_bound}]: {value}")

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        self.assertLessEqual(set(_array(target).ravel().tolist()), set(expected_set))

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        self.assertLessEqual(abs(f1 - f2), err, msg)

    def assertArrayNear(
        self, farray1: Any, farray2: Any, err: float, msg: str | None = None
    ) -> None:
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(
        self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None
    ) -> None:
        distance = np.linalg.norm(_array(ndarray1) - _array(ndarray2))
        self.assertLess(distance, err, msg)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        self.assertEqual(as_dtype(_array(target).dtype), as_dtype(expected_dtype))

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        self.assertEqual(_device(device1), _device(device2), msg)

    @contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: str | Callable[[Any], bool]
    ) -> Iterator[None]:
        """Expect an error of which the pattern is found in the message, or the predicate holds."""
        wanted = expected_err_re_or_predicate
        try:
            yield
        except exception_type as error:
            fits = wanted(error) if callable(wanted) else re.search(wanted, str(error))
            if not fits:
                raise AssertionError(f"{error!r} does not match {wanted!r}") from error
        else:
            self.fail(f"{exception_type} was not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """Expect an error of an op."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: Any = InvalidArgumentError
    ) -> Any:
        """Expect an error about shapes that do not fit."""
        return self.assertRaisesWithPredicateMatch(exception_type, r"shape")

    def assertLen(self, container: Any, expected_len: int, msg: str | None = None) -> None:
        self.assertEqual(len(container), expected_len, msg)

    def assertEmpty(self, container: Any, msg: str | None = None) -> None:
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container: Any, msg: str | None = None) -> None:
        self.assertNotEqual(len(container), 0, msg)

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: str | None = None) -> None:
        self.assertTrue(minv <= value <= maxv, msg or f"{value!r} is not in [{minv}, {maxv}]")

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: str | None = None) -> None:
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r}")

    def assertEndsWith(self, actual: Any, expected_end: Any, msg: str | None = None) -> None:
        self.assertTrue(actual.endswith(expected_end), msg or f"{actual!r}")

    def assertItemsEqual(self, expected_seq: Any, actual_seq: Any, msg: str | None = None) -> None:
        self.assertCountEqual(expected_seq, actual_seq, msg)

    def assertSameElements(
        self, expected_seq: Any, actual_seq: Any, msg: str | None = None
    ) -> None:
        self.assertEqual(set(expected_seq), set(actual_seq), msg)

    def assertContainsSubset(
        self, expected_subset: Any, actual_set: Any, msg: str | None = None
    ) -> None:
        self.assertLessEqual(set(expected_subset), set(actual_set), msg)

    def assertRegexMatch(self, actual_str: str, regexes: Any, message: str | None = None) -> None:
        self.assertRegex(actual_str, "|".join(f"(?:{r})" for r in regexes), message)


def main(argv: list[str] | None = None) -> Any:
    """Run the tests of the program."""
    return unittest.main(argv=argv)


def _value(leaf: Any) -> Any:
    return leaf.numpy() if hasattr(leaf, "numpy") else leaf


def _array(value: Any) -> np.ndarray[Any, Any]:
    return np.asarray(nest.map_structure(_value, value) if _is_list(value) else _value(value))


def _wide(value: Any) -> np.ndarray[Any, Any]:
    array = _array(value)
    return array.astype(np.float64) if array.dtype.kind == "V" else array


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_uneven(value: Any) -> bool:
    """Whether it is a list that makes no array: its parts are compared one by one."""
    if not _is_list(value):
        return False
    try:
        return _array(value).dtype == object
    except ValueError:
        return True


def _text_as_bytes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.char.encode(array, "utf-8").astype(object) if array.dtype.kind == "U" else array


def _device(device: Any) -> str:
    return (
        DeviceSpec.from_string(device).to_string()
        if isinstance(device, str)
        else device.to_string()
    )
