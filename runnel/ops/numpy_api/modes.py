"""The modes "safe" and "all": operators, functions and assignments that promote by the lattice.

Nothing here is in the way until a mode is asked for. Then the operators of `tf.Tensor` are
exchanged, and the bodies of the functions below, which are those that TensorFlow lets promote: all
others, comparisons but for `==` among them, stay strict and see a weak tensor as a plain one.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import FunctionType
from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.dispatch import Parameters
from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.op.op import Op
from runnel.core.state.variable import Variable
from runnel.core.tensor.operators import Operators
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.ops.numpy_api.lattice import common_kind
from runnel.ops.numpy_api.promotion import asarray
from runnel.ops.numpy_api.weak_tensor import WeakTensor, weakened

Function = Callable[..., Any]

_ARITHMETIC = "add sub mul truediv floordiv mod pow matmul".split()
_STRICT = "ne lt le gt ge and rand or ror xor rxor".split()
_SIGNS = "invert neg abs".split()

_UNARY = """
abs acos acosh asin asinh atan atanh cos cosh debugging.check_numerics exp expand_dims
floor identity image.extract_patches linalg.diag linalg.diag_part linalg.matrix_transpose
linalg.tensor_diag_part linalg.trace math.angle math.bessel_i0 math.bessel_i0e math.bessel_i1
math.bessel_i1e math.ceil math.conj math.digamma math.erf math.erfc math.erfcinv math.erfinv
math.expm1 math.imag math.lgamma math.log math.log1p math.log_sigmoid math.log_softmax math.ndtri
math.negative math.real math.reciprocal math.reciprocal_no_nan math.reduce_euclidean_norm
math.reduce_logsumexp math.reduce_max math.reduce_mean math.reduce_min math.reduce_prod
math.reduce_std math.reduce_sum math.reduce_variance math.rint math.round math.rsqrt math.sigmoid
math.sign math.sin math.sinh math.softplus math.special.bessel_j0 math.special.bessel_j1
math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1 math.special.bessel_k1e
math.special.bessel_y0 math.special.bessel_y1 math.special.dawsn math.special.expint
math.special.fresnel_cos math.special.fresnel_sin math.special.spence math.sqrt math.square math.tan
math.tanh nn.depth_to_space nn.gelu nn.leaky_relu nn.relu6 nn.silu nn.space_to_depth ones_like
reshape squeeze stop_gradient transpose zeros_like
""".split()
_UNARY_NUMPY = """
abs absolute amax amin angle arange arccos arcsin arcsinh arctan arctanh around array asanyarray
asarray ascontiguousarray atleast_1d atleast_2d atleast_3d average bitwise_not cbrt ceil conj
conjugate copy cos cosh cumprod cumsum deg2rad diag diagflat diagonal diff empty_like exp exp2
expand_dims expm1 fabs fix flatten flip fliplr flipud floor full_like imag log log10 log1p log2 max
mean min moveaxis nanmean negative ones_like positive prod ptp rad2deg ravel real reciprocal repeat
reshape rot90 round sign sin sinc sinh sort sqrt square squeeze std sum swapaxes tan tanh trace
transpose triu vander var zeros_like
""".split()
_BINARY = """
add divide experimental.numpy.matmul linalg.matmul math.divide_no_nan math.floordiv math.floormod
math.multiply math.multiply_no_nan math.pow math.subtract math.truediv realdiv truncatediv
truncatemod
""".split()
_NEVER_WEAK = "math.equal math.maximum math.minimum tensordot".split()
"""Functions of two arguments whose results have a dtype that holds."""

STRICT_OPERATORS: dict[str, Function] = {
    f"__{name}__": vars(Operators)[f"__{name}__"]
    for name in [*_ARITHMETIC, *(f"r{name}" for name in _ARITHMETIC), *_STRICT, *_SIGNS, "eq"]
}
"""The operators as they are without any mode."""

_STRICT_ASSIGNMENTS = {
    name: vars(Variable)[name] for name in ("assign", "assign_add", "assign_sub")
}
_CONVERT = Op.convert


def enable() -> None:
    """Let operators, functions and variables promote, by `Preferences.mode`."""
    for name, method in _operators().items():
        setattr(Operators, name, method)
    for name, method in {**_operators(), **_weak_operators()}.items():
        setattr(WeakTensor, name, method)
    for name, method in _STRICT_ASSIGNMENTS.items():
        setattr(Variable, name, _assigning(method))
    for function, wrapper in _functions().items():
        dispatch.surround(function, wrapper)
    Op.convert = _converting  # type: ignore[method-assign]


def _converting(self: Op, args: Sequence[Any], attrs: Mapping[str, Any]) -> tuple[Tensor, ...]:
    """What an op does with its arguments: weak tensors are the tensors in them."""
    return _CONVERT(self, [_plain(value) for value in args], attrs)


def disable() -> None:
    """Take it back; weak tensors that are there go on promoting."""
    for name, method in STRICT_OPERATORS.items():
        setattr(Operators, name, method)
    for name, method in _STRICT_ASSIGNMENTS.items():
        setattr(Variable, name, method)
    for function in _functions():
        dispatch.unwrap(function)


@cache
def _functions() -> dict[FunctionType, Callable[[Function, Parameters], Function]]:
    """The functions that promote, with what is put around each."""
    tf = sys.modules["runnel"]
    numpy = [f"experimental.numpy.{name}" for name in _UNARY_NUMPY]
    found: dict[str, Any] = {
        **dict.fromkeys([*_UNARY, *numpy], _unary),
        **dict.fromkeys(_BINARY, _binary),
        **dict.fromkeys(_NEVER_WEAK, partial(_binary, keeps_weak=False)),
        "clip_by_value": _clipping,
        "math.scalar_mul": partial(_unary, place=1),
        "constant": _constant,
    }
    return {operator.attrgetter(name)(tf): wrapper for name, wrapper in found.items()}


def _cast(value: Any, dtype: DType) -> Tensor:
    """A value as a tensor of another dtype."""
    if isinstance(value, WeakTensor | Operators):
        tensor = convert_to_tensor(value)
        return tensor if tensor.dtype is dtype else raw_ops.Cast(tensor, DstT=dtype)
    if isinstance(value, list | tuple):
        return asarray(value, dtype)
    return convert_to_tensor(value, dtype)


def _plain(value: Any) -> Any:
    return value.tensor if isinstance(value, WeakTensor) else value


def _unary(itself: Function, parameters: Parameters, place: int = 0) -> Function:
    """Weak where the argument is, unless a dtype is asked for."""
    names = parameters.names
    asked = names.index("dtype") if "dtype" in names else None

    def function(*args: Any, **kwargs: Any) -> Any:
        if isinstance(args[place], Tensor) or (asked is not None and args[asked] is not None):
            return itself(*args, **kwargs)
        try:
            dtype, weak = common_kind(args[place])
        except NotImplementedError:
            return itself(*args, **kwargs)
        x = _cast(args[place], dtype)
        return weakened(itself(*args[:place], x, *args[place + 1 :], **kwargs), weak)

    return function


def _binary(itself: Function, parameters: Parameters, *, keeps_weak: bool = True) -> Function:
    """In the dtype that both arguments have together."""

    def function(x: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            dtype, weak = common_kind(x, y)
        except NotImplementedError:
            return itself(x, y, *args, **kwargs)
        found = itself(_cast(x, dtype), _cast(y, dtype), *args, **kwargs)
        return weakened(found, weak and keeps_weak)

    return function


def _clipping(itself: Function, parameters: Parameters) -> Function:
    """In the dtype of the values and the limits together, weak where the values are."""

    def function(values: Any, low: Any, high: Any, name: str | None) -> Any:
        try:
            dtype, weak = common_kind(values)
            for limit in (low, high):
                dtype, _ = common_kind(dtype, limit)
        except NotImplementedError:
            return itself(values, low, high, name)
        return weakened(itself(*(_cast(v, dtype) for v in (values, low, high)), name), weak)

    return function


def _constant(itself: Function, parameters: Parameters) -> Function:
    """Weak for Python's numbers; a tensor may be widened to the dtype that is asked for."""

    def function(value: Any, dtype: Any = None, *args: Any) -> Any:
        plain = _plain(value)
        wanted = None if dtype is None else as_dtype(dtype)
        try:
            kind = common_kind(value, wanted)
        except (NotImplementedError, OverflowError):
            if wanted is None:
                raise
            return itself(plain, wanted, *args)
        if wanted is None:
            return weakened(itself(plain, kind[0], *args), kind[1])
        widens = kind[0] is wanted and isinstance(plain, Tensor)
        return itself(_cast(plain, wanted) if widens else plain, wanted, *args)

    return function


def _operators() -> dict[str, Function]:
    """The operators that promote, for all tensors and variables."""
    strict = STRICT_OPERATORS
    found: dict[str, Function] = {}
    for name in _ARITHMETIC:
        promoting = _operator(strict[f"__{name}__"], first=_product if name == "mul" else None)
        found[f"__{name}__"] = promoting
        found[f"__r{name}__"] = _swapped(promoting)
    return {**found, "__eq__": _equality(strict["__eq__"])}


def _operator(
    strict: Function, *, first: Function | None = None, keeps_weak: bool = True
) -> Function:
    def method(x: Any, y: Any) -> Any:
        answer = None if first is None else first(x, y)
        if answer is not None:
            return answer
        try:
            dtype, weak = common_kind(x, y)
        except NotImplementedError:
            return _strictly(strict, x, y)
        return weakened(strict(_cast(x, dtype), _cast(y, dtype)), weak and keeps_weak)

    return method


def _strictly(strict: Function, x: Any, y: Any) -> Any:
    """An operator on values that have no dtype in common."""
    x = _plain(x)
    return strict(x if isinstance(x, Operators) else convert_to_tensor(x), y)


def _swapped(method: Function) -> Function:
    return lambda self, other: method(other, self)


def _product(x: Any, y: Any) -> Any:
    """Whether both are true, where one factor is a tensor of booleans."""
    if not any(isinstance(v, Operators) and v._dtype is dtypes.bool for v in (x, y)):
        return None
    return raw_ops.LogicalAnd(*(raw_ops.Cast(v, DstT=dtypes.bool) for v in (x, y)))


def _equality(strict: Function) -> Function:
    promoting = _operator(strict, keeps_weak=False)

    def method(self: Any, other: Any) -> Any:
        return False if other is None else promoting(self, other)

    return method


def _weak_operators() -> dict[str, Function]:
    """The operators of weak tensors that do not promote."""
    strict = STRICT_OPERATORS

    def on_tensor(method: Function) -> Function:
        return lambda self, other: method(self.tensor, _plain(other))

    def kept(method: Function) -> Function:
        return lambda self: WeakTensor(method(self.tensor))

    compared = {f"__{name}__": on_tensor(strict[f"__{name}__"]) for name in _STRICT}
    return compared | {f"__{name}__": kept(strict[f"__{name}__"]) for name in _SIGNS}


def _assigning(strict: Function) -> Function:
    """An assignment of a value whose dtype gives way to that of the variable."""

    @functools.wraps(strict)
    def method(self: Variable, value: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            dtype, _ = common_kind(self, value)
        except NotImplementedError:
            return strict(self, value, *args, **kwargs)
        if dtype is not self.dtype:
            raise TypeError(
                f"{strict.__name__}: a variable of dtype {self.dtype.name} cannot take {value!r}, "
                f"with which it would be {dtype.name}. Use tf.cast."
            )
        return strict(self, _cast(value, dtype), *args, **kwargs)

    return method
