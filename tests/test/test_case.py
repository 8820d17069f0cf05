"""The assertions of tf.test.TestCase pass and fail where TensorFlow's do."""

from __future__ import annotations

import dataclasses
import os
import random
import sys
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.core.protos import messages

NodeDef, AttrValue = messages.NodeDef, messages.AttrValue
RAGGED = tf.ragged.constant([[1], [2, 3]])
SPARSE = tf.sparse.from_dense([[0, 5]])


@dataclasses.dataclass
class Pair:
    first: int
    second: int


c = tf.constant
PASSING: list[tuple[str, tuple[Any, ...]]] = [
    ("assertAllClose", ([1.0, 2.0], [1.0, 2.000001])),
    ("assertAllClose", ({"a": [1.0]}, {"a": c([1.0])})),
    ("assertAllClose", ([c(1.0), c([1.0, 2.0])], [1.0, [1.0, 2.0]])),
    ("assertAllClose", (np.nan, np.nan)),
    ("assertAllClose", (1.0, 1.1, 0.2)),
    ("assertAllEqual", (c(["a"]), [b"a"])),
    ("assertAllEqual", (c(["a"]), ["a"])),
    ("assertAllEqual", ([np.nan], [np.nan])),
    ("assertAllEqual", ([1.0], [1])),
    ("assertNotAllClose", ([1.0], [2.0])),
    ("assertNotAllEqual", ([1, 2], [1, 3])),
    ("assertAllGreater", ([2, 3], 1)),
    ("assertAllGreaterEqual", ([1, 2], 1)),
    ("assertAllInRange", ([1.0, 2.0], 1, 2)),
    ("assertAllInSet", ([1, 2], {1, 2})),
    ("assertShapeEqual", (np.zeros((1, 2)), c(np.zeros((1, 2))))),
    ("assertDTypeEqual", (c(1), np.int32)),
    ("assertNear", (1.0, 1.1, 0.2)),
    ("assertArrayNear", ([1.0], [1.1], 0.2)),
    ("assertNDArrayNear", (np.zeros(2), np.zeros(2) + 0.1, 0.2)),
    ("assertLen", ([1, 2], 2)),
    ("assertEmpty", ([],)),
    ("assertBetween", (1, 0, 2)),
    ("assertItemsEqual", ([1, 2], [2, 1])),
    ("assertAllCloseAccordingToType", (c([1.0], tf.float16), c([1.0005], tf.float16))),
    ("assertAllCloseAccordingToType", (c([1.0], tf.bfloat16), c([1.016], tf.bfloat16))),
    ("assertContainsSubset", ([1], [1, 2])),
    ("assertRegexMatch", ("abc", ["b"])),
    ("assertDeviceEqual", ("/cpu:0", "/device:CPU:0")),
    ("assertAllEqual", (RAGGED, [[1], [2, 3]])),
    ("assertAllEqual", (RAGGED, RAGGED)),
    ("assertAllClose", (RAGGED, [[1], [2, 3]])),
    ("assertNotAllEqual", (RAGGED, [[1], [2, 4]])),
    ("assertAllEqual", (SPARSE, [[0, 5]])),
    ("assertAllGreater", (RAGGED, 0)),
    ("assertProtoEquals", ('name: "a"', NodeDef(name="a"))),
    ("assertProtoEquals", (NodeDef(name="a"), NodeDef(name="a"))),
    ("assertProtoEquals", ("f: 1.0", AttrValue(f=1.001), None, 0.01)),
    ("assertIsSubclass", (bool, int)),
    ("assertNotIsSubclass", (int, bool)),
    ("assertNotStartsWith", ("abc", "b")),
    ("assertNotEndsWith", ("abc", "b")),
    ("assertContainsInOrder", (["a", "c"], "abc")),
    ("assertSameElements", ([1, 1, 2], [2, 1])),
    ("assertNoCommonElements", ([1], [2])),
    ("assertSequenceStartsWith", ([1], [1, 2])),
    ("assertSequenceAlmostEqual", ([1.0], [1.0000000001])),
    ("assertContainsSubsequence", ([1, 2, 3], [1, 3])),
    ("assertContainsExactSubsequence", ([1, 2, 3], [2, 3])),
    ("assertTotallyOrdered", ([1, 1.0], [2], [3])),
    ("assertMappingEqual", ({"a": 1}, {"a": 1})),
    ("assertDictAlmostEqual", ({"a": 1.0}, {"a": 1.0000000001})),
    ("assertSameStructure", ({"a": [1, 2]}, {"a": [1, 2]})),
    ("assertJsonEqual", ('{"a": 1}', '{"a":1}')),
    ("assertDataclassEqual", (Pair(1, 2), Pair(1, 2))),
    ("assertUrlEqual", ("http://a/?b=1&c=2", "http://a/?c=2&b=1")),
    ("assertRaisesWithLiteralMatch", (ZeroDivisionError, "division by zero", lambda: 1 / 0)),
    ("assertCommandSucceeds", (["echo", "hello"], ["hel"])),
    ("assertCommandFails", (["false"], [""])),
]
FAILING: list[tuple[str, tuple[Any, ...]]] = [
    ("assertAllClose", ([1.0, 2.0], [1.0, 2.00001])),
    ("assertAllClose", ({"a": [1.0]}, {"b": [1.0]})),
    ("assertAllClose", ([1.0], [[1.0]])),
    ("assertAllClose", (c([1.0], tf.float16), c([1.001], tf.float16))),
    ("assertAllEqual", ([1, 2], [1, 3])),
    ("assertAllEqual", ([1], [1, 1])),
    ("assertAllEqual", (1, [1, 1])),
    ("assertNotAllClose", ([1.0], [1.0])),
    ("assertNotAllEqual", ([1], [1])),
    ("assertAllLess", ([2, 3], 3)),
    ("assertAllLessEqual", ([1, 3], 2)),
    ("assertAllInRange", ([1.0, 2.0], 1, 2, False, True)),
    ("assertShapeEqual", (np.zeros((1, 2)), c(np.zeros((2, 1))))),
    ("assertDTypeEqual", (c(1), tf.float32)),
    ("assertNear", (1.0, 1.1, 0.05)),
    ("assertAllCloseAccordingToType", (c([1.0]), c([1.00001]))),
    ("assertAllEqual", (RAGGED, [[1], [2, 4]])),
    ("assertAllEqual", (RAGGED, [[1, 2], [3]])),
    ("assertAllClose", (RAGGED, [[1], [2, 4]])),
    ("assertAllEqual", (SPARSE, [[0, 4]])),
    ("assertProtoEquals", ('name: "b"', NodeDef(name="a"))),
    ("assertProtoEquals", ("f: 1.0", AttrValue(f=1.1), None, 0.01)),
    ("assertIsSubclass", (int, bool)),
    ("assertNotIsSubclass", (bool, int)),
    ("assertNotStartsWith", ("abc", "a")),
    ("assertNotEndsWith", ("abc", "c")),
    ("assertContainsInOrder", (["c", "a"], "abc")),
    ("assertSameElements", ([1], [2, 1])),
    ("assertSameElements", ("ab", "ab")),
    ("assertNoCommonElements", ([1], [2, 1])),
    ("assertSequenceStartsWith", ([2], [1, 2])),
    ("assertSequenceAlmostEqual", ([1.0], [1.1])),
    ("assertContainsSubsequence", ([1, 2, 3], [3, 1])),
    ("assertContainsExactSubsequence", ([1, 2, 3], [1, 3])),
    ("assertTotallyOrdered", ([1], [3], [2])),
    ("assertMappingEqual", ({"a": 1}, {"a": 2})),
    ("assertDictAlmostEqual", ({"a": 1.0}, {"a": 1.1})),
    ("assertSameStructure", ({"a": [1, 2]}, {"a": [1, 3]})),
    ("assertSameStructure", ({"a": [1, 2]}, {"a": [1]})),
    ("assertJsonEqual", ('{"a": 1}', '{"a": 2}')),
    ("assertDataclassEqual", (Pair(1, 2), Pair(1, 3))),
    ("assertUrlEqual", ("http://a/?b=1&c=2", "http://a/?c=2&b=2")),
    ("assertRaisesWithLiteralMatch", (ZeroDivisionError, "division", lambda: 1 / 0)),
    ("assertCommandSucceeds", (["echo", "hello"], ["x"])),
    ("assertCommandFails", (["true"], [""])),
]


@pytest.mark.parametrize(("name", "args"), PASSING)
def test_it_passes(name: str, args: tuple[Any, ...]) -> None:
    getattr(tf.test.TestCase(), name)(*args)


@pytest.mark.parametrize(("name", "args"), FAILING)
def test_it_fails(name: str, args: tuple[Any, ...]) -> None:
    with pytest.raises(AssertionError):
        getattr(tf.test.TestCase(), name)(*args)


def test_expected_errors_are_matched() -> None:
    case = tf.test.TestCase()
    with case.assertRaisesOpError("broadcast"):
        c([1, 2]) + c([1, 2, 3])
    with case.assertRaisesWithPredicateMatch(ValueError, lambda e: "x" in str(e)):
        raise ValueError("xyz")
    with pytest.raises(AssertionError), case.assertRaisesOpError("never"):
        pass


def test_evaluate_gives_the_values_of_a_structure() -> None:
    assert tf.test.TestCase().evaluate({"a": c(1), "b": (tf.Variable(2.0), None)}) == {
        "a": 1,
        "b": (2.0, None),
    }


def test_jacobians_by_gradient_and_by_differences_agree() -> None:
    args = [c([1.0, 2.0], tf.float64), c(3.0, tf.float64)]
    by_gradient, by_differences = tf.test.compute_gradient(lambda x, y: tf.reduce_sum(x) * y, args)
    assert [m.shape for m in by_gradient] == [(1, 2), (1, 1)]
    for a, b in zip(by_gradient, by_differences, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


def test_a_complex_number_is_two_rows() -> None:
    (matrix,), _ = tf.test.compute_gradient(
        lambda x: tf.cast(x, tf.complex64) * 1j, [c([1.0, 2.0])]
    )
    assert matrix.tolist() == [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]


class Seeded(tf.test.TestCase):
    """Runs as a test of its own; what it saw is looked at afterwards."""

    __test__ = False
    seen: list[Any] = []

    def test_numbers(self) -> None:
        numbers = [random.random(), np.random.rand(), float(tf.random.uniform([]))]
        folder = self.get_temp_dir()
        assert folder == self.get_temp_dir() and os.path.isdir(folder)
        self.seen.append((numbers, folder))

    test_numbers_again = test_numbers

    @tf.test.disable_with_predicate(lambda: True, "never")
    def test_skipped(self) -> None:
        raise AssertionError

    def test_thread_that_nobody_joins(self) -> None:
        self.checkedThread(lambda: None).start()


def test_each_test_has_tensorflows_seeds_and_a_folder_of_its_own() -> None:
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Seeded).run(result)
    (numbers, folder), (again, other) = Seeded.seen
    assert numbers == again == pytest.approx([0.3499765785632496, 0.18463433217903202, 0.5836375])
    assert folder != other and os.path.exists(folder) and os.path.exists(other)
    names = [t.id().split(".")[-1] for t, _ in [*result.skipped, *result.failures, *result.errors]]
    assert names == ["test_session", "test_skipped", "test_thread_that_nobody_joins"]


def test_values_of_ragged_and_sparse_tensors() -> None:
    case = tf.test.TestCase()
    rows, sparse = case.evaluate([RAGGED, SPARSE])
    assert str(rows) == "<tf.RaggedTensorValue [[1], [2, 3]]>" and rows.shape == (2, None)
    assert type(sparse).__name__ == "SparseTensorValue" and sparse.indices.tolist() == [[0, 1]]
    deep = case.evaluate(tf.ragged.constant([[[1], []], []]))
    assert (deep.to_list(), deep.ragged_rank, deep.dtype) == ([[[1], []], []], 2, np.int32)
    slices = case.evaluate(tf.IndexedSlices(c([1.0]), c([0])))
    assert slices.values == 1.0 and slices.dense_shape is None
    assert case.evaluate(lambda: c(3)) == 3
    assert case.evaluate_if_both_tensors(c(1), 2)[1] == 2


def test_sessions_are_stood_for() -> None:
    case = tf.test.TestCase()
    with case.session() as nothing, pytest.raises(AttributeError, match="no session"):
        nothing.run(c(1))
    with case.cached_session() as session:
        assert session.run([c(1)]) == [1]
        with pytest.raises(RuntimeError, match="fed"):
            session.run(c(1), feed_dict={1: 2})
    with case.test_session() as none:
        assert none is None


def test_sessions_in_a_graph() -> None:
    case = tf.test.TestCase()
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2])
        with case.session() as session:
            assert session.run(x * 2, {x: [1, 2]}).tolist() == [2, 4]
            case.assertAllEqual(tf.constant([1, 2]) + 1, [2, 3])
        variable = tf.compat.v1.Variable(3.0)
        with case.cached_session() as first:
            first.run(variable.initializer)
        assert case.evaluate({"v": variable, "w": variable + 1}) == {"v": 3.0, "w": 4.0}
        with case.test_session() as again:
            assert again is first and first.graph is graph
    case.tearDown()


def test_threads_streams_and_files() -> None:
    case = tf.test.TestCase()
    thread = case.checkedThread(lambda: 1 / 0)
    thread.start()
    with pytest.raises(AssertionError, match="division by zero"):
        thread.join()
    with case.captureWritesToStream(sys.stderr) as captured:
        print("from Python", file=sys.stderr)
        os.write(sys.stderr.fileno(), b"and below")
    assert captured.contents() == "from Python\nand below"
    file = case.create_tempfile("a/b.txt", content="text")
    folder = case.create_tempdir("made")
    assert file.read_text() == "text" and Path(file).name == "b.txt"
    assert Path(folder.create_file(content=b"x")).read_bytes() == b"x"
    assert Path(folder.mkdir("in")).parent == Path(folder)
    case.doCleanups()
    assert not Path(folder).exists() and not Path(file).exists()


class Measured(tf.test.Benchmark):
    def benchmark_sums(self) -> None:
        metrics = [{"name": "m", "value": 2.0}]
        self.report_benchmark(iters=3, wall_time=0.5, extras={"a": 1.0}, metrics=metrics)


def test_a_benchmark_writes_what_tensorflow_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_REPORT_FILE_PREFIX", str(tmp_path / "bm_"))
    Measured().benchmark_sums()
    entry = b"\n\x17Measured.benchmark_sums\x10\x03!\0\0\0\0\0\0\xe0?2\x0e\n\x01a\x12\t\t"
    entry += b"\0\0\0\0\0\0\xf0?:\x0c\n\x01m\x11\0\0\0\0\0\0\0@"
    written = (tmp_path / "bm_Measured.benchmark_sums").read_bytes()
    assert written == b"\n" + bytes([len(entry)]) + entry
    Measured().report_benchmark(iters=1)
    assert (tmp_path / "bm_Measured.report_benchmark").exists()
    for wrong in ({"extras": [1]}, {"metrics": {}}, {"metrics": [{"value": 1.0}]}):
        with pytest.raises(TypeError, match=r"must be a dict|must be a list|has a name"):
            Measured().report_benchmark(**wrong)
    assert tf.test.Benchmark.is_abstract() and not Measured.is_abstract()
    assert tf.test.benchmark_config().graph_options.rewrite_options.dependency_optimization == 2


def test_graphs_are_compared() -> None:
    def graph(value: int, name: str) -> Any:
        with tf.Graph().as_default() as made:
            c(value, name=name)
        return made.as_graph_def()

    tf.test.assert_equal_graph_def(graph(1, "a"), graph(1, "a"))
    for other in (graph(2, "a"), graph(1, "b")):
        with pytest.raises(AssertionError, match=r"'a'|'b'"):
            tf.test.assert_equal_graph_def(graph(1, "a"), other)
    with pytest.raises(TypeError, match="GraphDef"):
        tf.test.assert_equal_graph_def(graph(1, "a"), 3)


def test_jacobians_of_nothing() -> None:
    for found in tf.test.compute_gradient(lambda x: x * 2.0, [tf.zeros([0, 3])]):
        assert [matrix.shape for matrix in found] == [(0, 0)]


def test_mappings_are_compared_beside_a_class_that_asks_back() -> None:
    class Beside(unittest.TestCase):
        def assertDictEqual(self, a, b, msg=None):  # as absl's class has it
            self.assertMappingEqual(a, b, msg, mapping_type=dict)

    class Case(tf.test.TestCase, Beside):
        def runTest(self) -> None:
            self.assertDictEqual({"a": 1}, {"a": 1})

    Case.assertDictEqual = Beside.assertDictEqual  # type: ignore[method-assign]
    case = Case()
    case.assertDictEqual({"a": 1}, {"a": 1})
    with pytest.raises(AssertionError):
        case.assertDictEqual({"a": 1}, {"a": 2})
