"""`tf.test.TestCase`: `unittest.TestCase` with assertions about arrays."""

from __future__ import annotations

import random
import re
import tempfile
import unittest
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.sparse_tensor import SparseTensor, SparseTensorValue
from runnel.core.op.context import executing_eagerly
from runnel.core.settings.build import GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_CONSUMER
from runnel.core.settings.device_spec import DeviceSpec
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import InvalidArgumentError, OpError
from runnel.graph.session.default import get_default_session
from runnel.graph.session.session import Session
from runnel.ops.random.seeds import set_seed
from runnel.test.plain_case import PlainTestCase
from runnel.test.sessions import EagerSession, NoSession
from runnel.test.threads import CheckedThread, captured_writes
from runnel.test.values import IndexedSlicesValue, RaggedTensorValue

_SEED = 87654321

_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []


class TestCase(PlainTestCase):
    """A base for tests; tensors, arrays, numbers and lists may be compared with one another.

    Each test begins with the same seeds of Python's, NumPy's and our random numbers.

    Args:
        methodName: as in `unittest`.
    """

    __test__ = True

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._threads: list[CheckedThread] = []
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._session: Session | None = None

    def setUp(self) -> None:
        super().setUp()
        if self._testMethodName == "test_session":
            self.skipTest("It is no test, but has the name of one.")
        random.seed(_SEED)
        np.random.seed(_SEED)
        set_seed(_SEED)

    def tearDown(self) -> None:
        for thread in self._threads:
            thread.check_termination()
        if self._session is not None:
            self._session.close()
            self._session = None
        super().tearDown()

    def evaluate(self, tensors: Any) -> Any:
        """The values of the tensors in a structure; in a graph, by the session of the test."""
        if not executing_eagerly():
            session = get_default_session()
            if session is not None:
                return session.run(tensors)
            with self.test_session() as session:
                return session.run(tensors)
        if callable(tensors):
            tensors = tensors()
        return nest.map_structure(_value, tensors)

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> tuple[Any, Any]:
        """The values of two tensors; two things that are not both tensors themselves."""
        both = all(hasattr(x, "_type_spec") or isinstance(x, Operators) for x in (a, b))
        return (self.evaluate(a), self.evaluate(b)) if both else (a, b)

    def get_temp_dir(self) -> str:
        """A folder of the test's own, the same in each call, removed when the program ends.

        Not before: a program may have gone into it, and go on there.
        """
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory()
            _FOLDERS.append(self._folder)
        return self._folder.name

    @contextmanager
    def session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator[Any]:
        """A session of a graph. In eager mode a stand-in that can do nothing: ops run at once."""
        if executing_eagerly():
            yield NoSession()
            return
        with Session(graph=graph, config=config) as session:
            yield session

    @contextmanager
    def cached_session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator[Any]:
        """The one session of the test. In eager mode, `run` of a stand-in gives tensors' values."""
        if executing_eagerly():
            yield EagerSession(self.evaluate)
            return
        session = self._session
        if session is None or (graph is not None and session.graph is not graph):
            session = self._session = Session(graph=graph, config=config)
        with session.graph.as_default(), session.as_default():
            yield session

    @contextmanager
    def test_session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator[Any]:
        """The one session of the test, or one of a graph. In eager mode, None."""
        if executing_eagerly():
            yield None
            return
        own = self.cached_session if graph is None else self.session
        with own(graph, config) as session:
            yield session

    def checkedThread(
        self, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> Any:
        """A thread whose error is raised by its `join`; the test fails if nobody joins it."""
        thread = CheckedThread(target, args, kwargs)
        self._threads.append(thread)
        return thread

    def captureWritesToStream(self, stream: Any) -> Any:
        """A `with` block whose value has, as `contents()`, what was written to a stream in it."""
        return captured_writes(stream)

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: str | None = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """Fail unless a message is equal to another, which may be given as text."""
        expected, message = expected_message_maybe_ascii, validate_message
        if isinstance(expected, str | bytes):
            expected = _parsed(expected, type(message))
        self.assertIs(type(expected), type(message), msg)
        if relative_tolerance is not None:
            self.assertTrue(_nearly(expected, message, relative_tolerance), msg)
        elif expected != message:
            self.assertMultiLineEqual(str(expected), str(message), msg)

    def assertProtoEqualsVersion(
        self,
        expected: Any,
        actual: Any,
        producer: int = GRAPH_DEF_VERSION,
        min_consumer: int = GRAPH_DEF_VERSION_MIN_CONSUMER,
        msg: str | None = None,
    ) -> None:
        """`assertProtoEquals` of a graph, given as text without its versions."""
        versions = f"versions {{ producer: {producer} min_consumer: {min_consumer} }}"
        self.assertProtoEquals(f"{versions}\n{expected}", actual, msg)

    def _GetNdArray(self, a: Any) -> np.ndarray[Any, Any]:
        """What the assertions compare; classes of libraries extend it for values of their own."""
        symbolic = isinstance(a, Tensor) and not isinstance(a, EagerTensor)
        return _array(self.evaluate(a) if symbolic and not executing_eagerly() else a)

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Fail unless `a` and `b` have one structure and shape, and nearly the same numbers."""
        a, b = _rows(a), _rows(b)
        if isinstance(a, Mapping) or isinstance(b, Mapping):
            self.assertEqual(sorted(a), sorted(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, f"{msg or ''}[{key!r}]")
        elif _is_uneven(a) or _is_uneven(b):
            self.assertEqual(len(a), len(b), msg)
            for i, (x, y) in enumerate(zip(a, b)):
                self.assertAllClose(x, y, rtol, atol, f"{msg or ''}[{i}]")
        else:
            x, y = _wide(self._GetNdArray(a)), _wide(self._GetNdArray(b))
            np.testing.assert_allclose(x, y, rtol, atol, err_msg=msg or "", strict=False)
            self.assertEqual(x.shape, y.shape, msg)

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
        for array in (self._GetNdArray(a), self._GetNdArray(b)):
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
        if _is_ragged(a) or _is_ragged(b):
            self.assertEqual(_rows(a, plain=True), _rows(b, plain=True), msg)
            return
        x, y = self._GetNdArray(a), self._GetNdArray(b)
        if not any(isinstance(part.flat[0], DType) for part in (x, y) if part.size):
            x, y = _text_as_bytes(x), _text_as_bytes(y)
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
        self.assertGreater(self._GetNdArray(a).min(), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        self.assertGreaterEqual(self._GetNdArray(a).min(), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        self.assertLess(self._GetNdArray(a).max(), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        self.assertLessEqual(self._GetNdArray(a).max(), comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Fail unless every element lies between the bounds, which belong to it unless open."""
        value = self._GetNdArray(target)
        above = value > lower_bound if open_lower_bound else value >= lower_bound
        below = value < upper_bound if open_upper_bound else value <= upper_bound
        self.assertTrue(np.all(above & below), f"not in [{lower_bound}, {upper_bound}]: {value}")

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        self.assertLessEqual(set(self._GetNdArray(target).ravel().tolist()), set(expected_set))

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
        distance = np.linalg.norm(self._GetNdArray(ndarray1) - self._GetNdArray(ndarray2))
        self.assertLess(distance, err, msg)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        self.assertEqual(as_dtype(self._GetNdArray(target).dtype), as_dtype(expected_dtype))

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


def main(argv: list[str] | None = None) -> Any:
    """Run the tests of the program.

    Args:
        argv: the command line; None is that of the program.
    """
    return unittest.main(argv=argv)


def _value(leaf: Any) -> Any:
    if isinstance(leaf, Tensor) and not isinstance(leaf, EagerTensor):
        session = get_default_session()
        return leaf if session is None else session.run(leaf)
    if isinstance(leaf, SparseTensor):
        return SparseTensorValue(*map(_value, (leaf.indices, leaf.values, leaf.dense_shape)))
    if isinstance(leaf, RaggedTensor):
        return RaggedTensorValue.of(leaf)
    if isinstance(leaf, IndexedSlices):
        return IndexedSlicesValue(*map(_value, (leaf.values, leaf.indices, leaf.dense_shape)))
    return leaf.numpy() if hasattr(leaf, "numpy") else leaf


def _is_ragged(value: Any) -> bool:
    return isinstance(value, RaggedTensor | RaggedTensorValue)


def _rows(value: Any, *, plain: bool = False) -> Any:
    """The rows of a ragged tensor as nested lists; with `plain`, those of an array too."""
    if _is_ragged(value):
        return value.to_list()
    return _array(value).tolist() if plain and not _is_uneven(value) else value


def _array(value: Any) -> np.ndarray[Any, Any]:
    if _is_ragged(value):
        return np.asarray(_value(value.flat_values))
    if isinstance(value, SparseTensor | SparseTensorValue):
        return _dense(*map(_value, (value.indices, value.values, value.dense_shape)))
    return np.asarray(nest.map_structure(_value, value) if _is_list(value) else _value(value))


def _dense(indices: Any, values: Any, dims: Any) -> np.ndarray[Any, Any]:
    array = np.zeros(dims, np.asarray(values).dtype)
    array[tuple(np.asarray(indices).T)] = values
    return array


def _parsed(text: str | bytes, kind: Any) -> Any:
    """A message read from text; an error tells what is wrong with it."""
    from google.protobuf import text_format

    return text_format.Parse(text, kind())


def _nearly(one: Any, other: Any, tolerance: float) -> bool:
    """Whether two messages, lists or numbers in them are equal, floats up to a part of them."""
    if hasattr(one, "ListFields"):
        mine, its = dict(one.ListFields()), dict(other.ListFields())
        return mine.keys() == its.keys() and all(
            _nearly(mine[field], its[field], tolerance) for field in mine
        )
    if isinstance(one, float):
        return abs(one - other) <= tolerance * max(abs(one), abs(other))
    if _is_list(one) or hasattr(one, "add"):
        return len(one) == len(other) and all(_nearly(a, b, tolerance) for a, b in zip(one, other))
    return bool(one == other)


def _wide(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
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
