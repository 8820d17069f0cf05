"""Decorators of tests, as `tensorflow.python.framework.test_util` has them."""

from __future__ import annotations

import faulthandler
import functools
import gc
import os
import types
import unittest
from collections.abc import Callable
from typing import Any

import runnel
from runnel.compat.tools.contexts import eager_mode, graph_mode

Test = Callable[..., Any]
_NOT_TESTS = ("test_session", "test_scope")


def _again(self: Any) -> None:
    """Between two runs of one test: end the first, begin the second."""
    self.tearDown()
    self._folder = None
    self.setUp()


def run_in_graph_and_eager_modes(
    func: Test | None = None,
    config: Any = None,
    use_gpu: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Any:
    """Run a test twice: while a graph is built, in a session, and then eagerly."""

    def decorate(test: Test) -> Test:
        if isinstance(test, type):
            raise ValueError("For classes there is run_all_in_graph_and_eager_modes.")

        @functools.wraps(test)
        def both(self: Any, *args: Any, **kwargs: Any) -> None:
            try:
                with graph_mode(), self.test_session(use_gpu=use_gpu, config=config):
                    test(self, *args, **kwargs)
            except unittest.SkipTest:
                pass
            eagerly = assert_no_garbage_created(test) if assert_no_eager_garbage else test
            with eager_mode():
                _again(self)
                eagerly(self, *args, **kwargs)

        return both

    return decorate if func is None else decorate(func)


def for_all_test_methods(decorator: Any, *args: Any, **kwargs: Any) -> Callable[[type], type]:
    """A decorator of classes: puts `decorator(*args, **kwargs)` on each of their tests."""

    def decorate(cls: type) -> type:
        for name in dir(cls):
            value = getattr(cls, name)
            if callable(value) and name.startswith("test") and name not in _NOT_TESTS:
                setattr(cls, name, decorator(*args, **kwargs)(value))
        return cls

    return decorate


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """Run each test of a class while a graph is built, and eagerly."""
    return for_all_test_methods(run_in_graph_and_eager_modes)(cls)


def run_all_in_graph_and_eager_mode(cls: type) -> type:
    return run_all_in_graph_and_eager_modes(cls)


def _for_tests_of(decorate: Callable[[Test], Test], what: Any) -> Any:
    """A decorator of one test, used on a class: for each of its tests, and `setUp`."""
    if not isinstance(what, type):
        return decorate(what)
    for name in ("setUp", "tearDown"):
        if name in vars(what):
            setattr(what, name, decorate(vars(what)[name]))
    return for_all_test_methods(lambda: decorate)(what)


def run_deprecated_v1(func: Any) -> Any:
    """Run a test, or all of a class, while a graph is built."""

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def in_a_graph(self: Any, *args: Any, **kwargs: Any) -> None:
            with graph_mode():
                test(self, *args, **kwargs)

        return in_a_graph

    return _for_tests_of(decorate, func)


deprecated_graph_mode_only = run_deprecated_v1


def _unless(skipped: Callable[[], bool], reason: str) -> Callable[[Any], Any]:
    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
            return self.skipTest(reason) if skipped() else test(self, *args, **kwargs)

        return wrapper

    return lambda what: _for_tests_of(decorate, what)


def run_v1_only(reason: str, func: Any = None) -> Any:
    """Skip a test: it is about the behaviour of TensorFlow 1."""
    if not isinstance(reason, str):
        raise ValueError(f"run_v1_only: `reason` must be a text, got {reason!r}.")
    decorate = _unless(lambda: True, reason)
    return decorate if func is None else decorate(func)


def run_v2_only(func: Any = None, reason: str | None = None) -> Any:
    """Run a test: it is about the behaviour of TensorFlow 2."""
    return (lambda test: test) if func is None else func


def _no_gpu() -> bool:
    return not runnel.config.list_physical_devices("GPU")


def run_gpu_only(func: Any = None) -> Any:
    """Skip a test where there is no GPU."""
    decorate = _unless(_no_gpu, "There is no GPU.")
    return decorate if func is None else decorate(func)


run_cuda_only = run_gpu_only


def also_run_as_tf_function(f: Test) -> Test:
    """Run a test eagerly, and as a `tf.function`."""

    @functools.wraps(f)
    def both(*args: Any, **kwargs: Any) -> None:
        def bound() -> None:
            f(*args, **kwargs)

        with eager_mode():
            bound()
            runnel.function(bound, autograph=False)()

    return both


def assert_no_new_tensors(f: Test) -> Test:
    """Fail if a test leaves tensors behind."""

    @functools.wraps(f)
    def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = {id(value) for value in gc.get_objects() if isinstance(value, runnel.Tensor)}
        result = f(self, *args, **kwargs)
        gc.collect()
        left = [
            value
            for value in gc.get_objects()
            if isinstance(value, runnel.Tensor) and id(value) not in before
        ]
        if left:
            raise AssertionError(f"The test left {len(left)} tensors behind: {left[:5]}")
        return result

    return checked


def assert_no_garbage_created(f: Test) -> Test:
    """Fail if a test makes objects that only the garbage collector can free."""

    @functools.wraps(f)
    def checked(self: Any, *args: Any, **kwargs: Any) -> Any:
        gc.disable()
        flags = gc.get_debug()
        try:
            gc.collect()
            before = len(gc.garbage)
            gc.set_debug(gc.DEBUG_SAVEALL)
            result = f(self, *args, **kwargs)
            gc.collect()
            made = gc.garbage[before:]
            if made:
                raise AssertionError(f"The test made garbage: {[type(g).__name__ for g in made]}")
            return result
        finally:
            gc.set_debug(flags)
            del gc.garbage[:]
            gc.enable()

    return checked


def assert_no_new_pyobjects_executing_eagerly(warmup_iters: int = 2) -> Callable[[Test], Test]:
    """A decorator: fail if the number of objects grows when a test runs again and again."""

    def decorate(f: Test) -> Test:
        @functools.wraps(f)
        def checked(self: Any, *args: Any, **kwargs: Any) -> None:
            with eager_mode():
                for _ in range(warmup_iters):
                    f(self, *args, **kwargs)
                gc.collect()
                before = len(gc.get_objects())
                for _ in range(3):
                    f(self, *args, **kwargs)
                gc.collect()
                after = len(gc.get_objects())
            self.assertLessEqual(after, before, "objects are left behind by each run")

        return checked

    if isinstance(warmup_iters, types.FunctionType):
        return assert_no_new_pyobjects_executing_eagerly()(warmup_iters)
    return decorate


def is_xla_enabled() -> bool:
    """Whether tests are run with all functions compiled."""
    return runnel.config.optimizer.get_jit() == "autoclustering"


def disable_xla(description: str) -> Callable[[Any], Any]:
    """Skip a test where all functions are compiled."""
    return _unless(is_xla_enabled, description)


def is_mlir_bridge_enabled() -> bool:
    """Whether graphs go through TensorFlow's MLIR bridge: there is none."""
    return False


def disable_mlir_bridge(description: str) -> Callable[[Any], Any]:
    """Skip a test where the MLIR bridge is on."""
    return _unless(is_mlir_bridge_enabled, description)


def with_control_flow_v2(cls: type) -> type:
    """The class itself: `cond` and `while_loop` hold graphs in any case."""
    return cls


def enable_control_flow_v2(fn: Test) -> Test:
    """The test itself: `cond` and `while_loop` hold graphs in any case."""
    return fn


def enable_output_all_intermediates(fn: Test) -> Test:
    """The test itself: a loop keeps what its gradient needs in any case."""
    return fn


def disable_cudnn_autotune(func: Any) -> Any:
    """Set the variables of the environment that tell CUDA's library not to choose by time."""

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
            names = {"TF_CUDNN_USE_AUTOTUNE": "false", "XLA_FLAGS": "--xla_gpu_autotune_level=0"}
            outer = {name: os.environ.get(name) for name in names}
            os.environ.update(names)
            try:
                return test(self, *args, **kwargs)
            finally:
                for name, value in outer.items():
                    os.environ.pop(name) if value is None else os.environ.update({name: value})

        return wrapper

    return _for_tests_of(decorate, func)


def InstallStackTraceHandler() -> None:
    """Print the Python stack when the process crashes."""
    faulthandler.enable()


def IsBuiltWithNvcc() -> bool:
    return False


def IsBuiltWithXLA() -> bool:
    return True
