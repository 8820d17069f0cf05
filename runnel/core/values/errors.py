"""`tf.errors`, and the helpers that word the errors of ops.

An op never raises by hand: it raises what `bad_shape`, `bad_dtype` or `bad_value` returns, which
is of the class that TensorFlow raises in the same place, eagerly or while tracing.
"""

from __future__ import annotations

import reprlib
import traceback
import warnings
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import numpy as np

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OperatorNotAllowedInGraphError(TypeError):
    """A symbolic tensor was used as a Python value, for instance in `if` or `for`."""


class OpError(Exception):
    """An op failed; the subclasses say how.

    >>> tf.errors.NotFoundError(None, None, "no such file").error_code
    5
    """

    # Which argument it is about, and whether about its dtype or shape and not its value, if known.
    about: tuple[str, bool] | None = None

    def __init__(
        self, node_def: Any, op: Any, message: Any, error_code: int, *args: Mapping[str, bytes]
    ) -> None:
        super().__init__(message)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        self._payloads: Mapping[str, bytes] = args[0] if args else {}

    @property
    def message(self) -> Any:
        """What went wrong, without the place where the op was made."""
        return self._message

    @property
    def op(self) -> Any:
        """The `tf.Operation` that failed, or None in eager mode."""
        return self._op

    @property
    def node_def(self) -> Any:
        """The op as it stands in its graph, or None."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """The number of the kind of error, such as `tf.errors.NOT_FOUND`."""
        return self._error_code

    @property
    def code(self) -> int:
        """The same as `error_code`."""
        return self._error_code

    @property
    def experimental_payloads(self) -> Mapping[str, bytes]:
        """Further details by name; empty unless whoever raised the error gave some."""
        return self._payloads

    def __str__(self) -> str:
        frames = getattr(self._op, "traceback", None)
        if not frames:
            return str(self._message)
        made = "".join(traceback.format_list(frames))
        return f"{self._message}\n\nThe op {self._op.name!r} was made here:\n{made}"

    def __reduce__(self) -> tuple[Any, ...]:
        # The op and its graph stay behind: an error is pickled to go to another process.
        return type(self), (None, None, self._message, self._error_code, self._payloads)


class _Coded(OpError):
    """An error whose class fixes its code."""

    _code: int

    def __init__(self, node_def: Any, op: Any, message: Any, *args: Mapping[str, bytes]) -> None:
        super().__init__(node_def, op, message, self._code, *args)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (None, None, self._message, self._payloads)


class CancelledError(_Coded):
    """The work was stopped on request before it was done."""

    _code = CANCELLED


class UnknownError(_Coded):
    """A failure that fits none of the other classes."""

    _code = UNKNOWN


class InvalidArgumentError(_Coded):
    """An argument has a shape, dtype or value that the op cannot take.

    Args:
        node_def: the node that failed, or None.
        op: the operation that failed, or None.
        message: the text.
    """

    _code = INVALID_ARGUMENT


class DeadlineExceededError(_Coded):
    """The time allowed for the work ran out."""

    _code = DEADLINE_EXCEEDED


class NotFoundError(_Coded):
    """A file, tensor or other named thing does not exist."""

    _code = NOT_FOUND


class AlreadyExistsError(_Coded):
    """What was to be created is there already."""

    _code = ALREADY_EXISTS


class PermissionDeniedError(_Coded):
    """The caller may not do this, for instance write to this file."""

    _code = PERMISSION_DENIED


class UnauthenticatedError(_Coded):
    """The caller did not prove who it is."""

    _code = UNAUTHENTICATED


class ResourceExhaustedError(_Coded):
    """Memory, disk space or another limited resource ran out."""

    _code = RESOURCE_EXHAUSTED


class FailedPreconditionError(_Coded):
    """Something must happen first, such as initializing a table or a variable."""

    _code = FAILED_PRECONDITION


class AbortedError(_Coded):
    """The work was given up, usually because of a conflict with other work."""

    _code = ABORTED


class OutOfRangeError(_Coded):
    """The end was passed: an iterator or a file has no more elements."""

    _code = OUT_OF_RANGE


class UnimplementedError(_Coded):
    """The op exists, but not for these arguments or this device."""

    _code = UNIMPLEMENTED


class InternalError(_Coded):
    """An invariant inside the system broke."""

    _code = INTERNAL


class UnavailableError(_Coded):
    """A service cannot be reached now; trying again later may help."""

    _code = UNAVAILABLE


class DataLossError(_Coded):
    """A file is damaged: a checksum or a length does not fit."""

    _code = DATA_LOSS


_BY_CODE: dict[int, type[_Coded]] = {error._code: error for error in _Coded.__subclasses__()}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class that `error_code` numbers; KeyError if there is none, as for `OK`."""
    return _BY_CODE[error_code]


def error_code_from_exception_type(cls: type[BaseException]) -> int:
    """The code of an error class; `UNKNOWN`, with a warning, for any other class."""
    code = getattr(cls, "_code", None)
    if isinstance(code, int) and issubclass(cls, _Coded):
        return code
    warnings.warn(f"{cls.__name__} is not one of tf.errors and has no code", stacklevel=2)
    return UNKNOWN


class raise_exception_on_not_ok_status:
    """A context whose value is a status to fill in; leaving it raises the error of its code.

    >>> with raise_exception_on_not_ok_status() as status:
    ...     status.code, status.message = tf.errors.NOT_FOUND, "no such file"
    Traceback (most recent call last):
    runnel.core.values.errors.NotFoundError: no such file
    """

    def __init__(self) -> None:
        self.code = OK
        self.message = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None and self.code != OK:
            raise _BY_CODE[self.code](None, None, self.message)


def _never() -> bool:
    return False


tracing: Callable[[], bool] = _never
"""Whether a graph is being built on this thread; `runnel.core.op.context` puts the answer here."""


def bad_shape(op_name: str, *, want: str, hint: Any = "", **argument: Any) -> Exception:
    """The error for an argument of the wrong shape, to be raised by the caller.

    >>> print(bad_shape("MatMul", want="have rank 2", b=np.zeros(3)))
    MatMul: `b` must have rank 2, got shape (3,). [Op:MatMul]
    """
    return _bad(ValueError, op_name, argument, want, hint, describe_shape)


def bad_dtype(op_name: str, *, want: str, hint: Any = "", **argument: Any) -> Exception:
    """The error for an argument of the wrong dtype, to be raised by the caller.

    >>> print(bad_dtype("Sqrt", want="be a float", hint="Use tf.cast.", x=np.arange(3)))
    Sqrt: `x` must be a float, got dtype int64. Use tf.cast. [Op:Sqrt]
    """
    return _bad(TypeError, op_name, argument, want, hint, describe_dtype)


def bad_value(op_name: str, *, want: str, hint: Any = "", **argument: Any) -> Exception:
    """The error for an argument whose value is out of bounds, to be raised by the caller.

    >>> print(bad_value("Squeeze", want="be in [-2, 2)", axis=5))
    Squeeze: `axis` must be in [-2, 2), got 5. [Op:Squeeze]
    """
    return _bad(ValueError, op_name, argument, want, hint, describe_value)


def _bad(
    traced: type[Exception],
    op_name: str,
    argument: dict[str, object],
    want: str,
    hint: str,
    describe: Callable[[object], str],
) -> Exception:
    ((name, value),) = argument.items()
    end = f" {hint}" if hint else ""
    message = f"{op_name}: `{name}` must {want}, got {describe(value)}.{end} [Op:{op_name}]"
    if tracing():
        return traced(message)
    error = InvalidArgumentError(None, None, message)
    error.about = name, describe is not describe_value
    return error


def invalid(message: str) -> InvalidArgumentError:
    """What ops raise that have to say more than one argument must be."""
    return InvalidArgumentError(None, None, message)


def invalid_in(op_name: str, message: str) -> InvalidArgumentError:
    """The same, with the name of the op."""
    return invalid(f"{op_name}: {message} [Op:{op_name}]")


def out_of_scope(tensor: Any, use: str) -> str:
    """What is said of a symbolic tensor outside the function that made it, and of its `use`."""
    owner = getattr(tensor.graph, "name", None)
    made = "in a graph" if owner is None else f"while tracing {owner!r}"
    return (
        f"{tensor!r} is out of scope: it was made at {tensor.op.where} {made} and is used {use}. A "
        "symbolic tensor cannot leave its function: return it, or keep it in a tf.Variable."
    )


def describe_shape(value: Any) -> str:
    """`shape (2, 3)` of a tensor, spec, array or Python value, or that it is unknown."""
    if not hasattr(value, "shape"):
        try:
            value = np.asarray(value)
        except ValueError:
            return f"the ragged value {describe_value(value)}"
    shape = value.shape
    return f"shape {'<unknown>' if shape is None else shape}"


def describe_dtype(value: object) -> str:
    """`dtype int32` of a tensor, spec, array or dtype, or the type of a Python value."""
    dtype = getattr(value, "dtype", value)
    name = getattr(dtype, "name", None)
    return f"dtype {name}" if isinstance(name, str) else f"a Python {type(value).__name__}"


def describe_value(value: Any) -> str:
    """The value, cut short where it is long; shape and dtype of a tensor without one."""
    if isinstance(value, np.ndarray | np.generic):
        return _short_array(value)
    if not hasattr(value, "dtype"):
        return _SHORT.repr(value)
    try:
        return _short_array(value.numpy())
    except (AttributeError, NotImplementedError):
        return f"a symbolic value of {describe_shape(value)} and {describe_dtype(value)}"


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80


def _short_array(value: object) -> str:
    return _SHORT.repr(np.asarray(value).tolist())
