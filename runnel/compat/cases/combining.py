"""`combine`, `times`, `generate`: a test method becomes one method for each combination."""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import re
import types
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from runnel.compat.tools.inspecting import getfullargspec

Combination = OrderedDict[str, Any]
Test = Callable[..., Any]


class NamedObject:
    """An object with a name for the titles of tests."""

    def __init__(self, name: str, obj: Any) -> None:
        self._name = name
        self._obj = obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obj, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._obj(*args, **kwargs)

    def __iter__(self) -> Any:
        return iter(self._obj)

    def __repr__(self) -> str:
        return self._name


class ParameterModifier:
    """Changes arguments before a test gets them; one of a kind, or of a parameter, is asked."""

    DO_NOT_PASS_TO_THE_TEST = object()

    def __init__(self, parameter_name: str | None = None) -> None:
        self._parameter_name = parameter_name

    def modified_arguments(
        self, kwargs: Mapping[str, Any], requested_parameters: Sequence[str]
    ) -> dict[str, Any]:
        """What to pass instead, by name; `DO_NOT_PASS_TO_THE_TEST` drops an argument."""
        return {}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._parameter_name == other._parameter_name  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), self._parameter_name))


class OptionalParameter(ParameterModifier):
    """A parameter that tests may leave out."""

    def modified_arguments(
        self, kwargs: Mapping[str, Any], requested_parameters: Sequence[str]
    ) -> dict[str, Any]:
        name = self._parameter_name
        if name is None or name in requested_parameters:
            return {}
        return {name: self.DO_NOT_PASS_TO_THE_TEST}


class TestCombination:
    """Says for which combinations a test is run, within what, and with which arguments."""

    __test__ = False  # it is no test itself

    def should_execute_combination(self, kwargs: Mapping[str, Any]) -> tuple[bool, str | None]:
        """Whether to run a combination; if not, why."""
        return True, None

    def parameter_modifiers(self) -> Sequence[ParameterModifier]:
        """What changes the arguments."""
        return []

    def context_managers(self, kwargs: dict[str, Any]) -> Sequence[Any]:
        """What the test is run within."""
        return []


def combine(**kwargs: Any) -> list[Combination]:
    """All combinations of values: of each argument a list of them, or the only one."""
    names = sorted(kwargs)
    values = [kwargs[name] if isinstance(kwargs[name], list) else [kwargs[name]] for name in names]
    return [OrderedDict(zip(names, chosen, strict=True)) for chosen in itertools.product(*values)]


def times(*combined: list[Combination]) -> list[Combination]:
    """Each combination of one list with each of the next ones."""
    found = []
    for parts in itertools.product(*combined):
        together: Combination = OrderedDict()
        for part in parts:
            if both := together.keys() & part.keys():
                raise ValueError(f"times: {sorted(both)} are keys of several combinations")
            together.update(part)
        found.append(together)
    return found


def generate(
    combinations: Iterable[Combination], test_combinations: Sequence[TestCombination] = ()
) -> Callable[[Any], Any]:
    """A decorator of test methods, or of a class with them: one test for each combination.

    The class is to be derived from `absl.testing.parameterized.TestCase`.
    """
    named = [_named(combination) for combination in combinations]

    def decorate(what: Any) -> Any:
        if isinstance(what, type):
            return _with_tests_of(what, named, test_combinations)
        parameterized = _parameterized()
        return parameterized.named_parameters(*named)(_arranged(what, test_combinations))

    return decorate


def _parameterized() -> Any:
    try:
        return importlib.import_module("absl.testing.parameterized")
    except ImportError as error:
        raise ImportError("Combinations of tests need the package absl-py.") from error


def _named(combination: Combination) -> Combination:
    """A combination with the end of its test's name, which tells the values."""
    title = "".join(
        f"_{_letters(key)}_{_letters(_shown(value, place))}"
        for place, (key, value) in enumerate(combination.items())
    )
    return OrderedDict([*combination.items(), ("testcase_name", f"_test{title}")])


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _shown(value: Any, place: int) -> str:
    """How a value is printed, without addresses, which differ from run to run."""
    return re.sub("0[xX][0-9a-fA-F]+", str(place), str(value))


def _with_tests_of(
    cls: type, named: list[Combination], test_combinations: Sequence[TestCombination]
) -> type:
    for name, method in list(vars(cls).items()):
        if not (name.startswith("test") and isinstance(method, types.FunctionType)):
            continue
        delattr(cls, name)
        arranged = _arranged(method, test_combinations)
        for combination in named:
            arguments = dict(combination)
            title = name + arguments.pop("testcase_name")
            setattr(cls, title, _bound(arranged, title, arguments))
    return cls


def _bound(method: Test, title: str, arguments: dict[str, Any]) -> Test:
    @functools.wraps(method)
    def test(self: Any) -> None:
        method(self, **arguments)

    test.__name__ = title
    del test.__wrapped__  # type: ignore[attr-defined]
    return test


def _arranged(method: Test, test_combinations: Sequence[TestCombination]) -> Test:
    """A test that is run as its combinations say."""
    requested = getfullargspec(method).args  # of the outermost function that says so

    def run(self: Any, **kwargs: Any) -> None:
        answers = [each.should_execute_combination(dict(kwargs)) for each in test_combinations]
        reasons = [f" - {reason}" for good, reason in answers if not good]
        if reasons:
            self.skipTest("\n".join(reasons))
        with contextlib.ExitStack() as stack:
            for each in test_combinations:
                for manager in each.context_managers(dict(kwargs)):
                    stack.enter_context(manager)
            method(self, **_modified(kwargs, requested, test_combinations))

    run.__name__ = method.__name__
    run.__doc__ = method.__doc__
    return run


def _modified(
    given: Mapping[str, Any], requested: list[str], test_combinations: Sequence[TestCombination]
) -> dict[str, Any]:
    arguments = dict(given)
    modifiers = {m: None for each in test_combinations for m in each.parameter_modifiers()}
    for modifier in modifiers:
        for name, value in modifier.modified_arguments(dict(given), requested).items():
            if value is ParameterModifier.DO_NOT_PASS_TO_THE_TEST:
                arguments.pop(name, None)
            else:
                arguments[name] = value
    wanted = set(requested) - {"self"}
    if absent := wanted - arguments.keys():
        raise ValueError(f"The test has parameters without a value: {sorted(absent)}")
    if unknown := arguments.keys() - wanted:
        raise ValueError(f"The test has no parameters called {sorted(unknown)}")
    return arguments
