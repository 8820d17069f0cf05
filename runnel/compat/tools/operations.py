"""Functions around ops that only TensorFlow's internal modules have."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import runnel
from runnel.core.tensor.static import constant_value
from runnel.core.values.shape import as_shape
from runnel.ops.linalg.operators.spec import make_spec
from runnel.ops.random.seeds import get_seed


def pfor(
    loop_fn: Callable[..., Any],
    iters: Any,
    fallback_to_while_loop: bool = True,
    parallel_iterations: int | None = None,
    warn: bool = False,
) -> Any:
    """`loop_fn(i)` for each `i` below `iters`, all at once, with the results stacked."""
    if "pfor_config" in inspect.signature(loop_fn).parameters:
        raise NotImplementedError("pfor: a `loop_fn` that takes `pfor_config` is not supported.")
    if parallel_iterations is not None:
        raise NotImplementedError("pfor: `parallel_iterations` is not supported, all run at once.")
    return runnel.vectorized_map(loop_fn, runnel.range(iters), fallback_to_while_loop, warn)


class Convolution:
    """A convolution whose options are given before its tensors."""

    def __init__(
        self,
        input_shape: Any,
        filter_shape: Any,
        padding: Any,
        strides: Any = None,
        dilation_rate: Any = None,
        name: str | None = None,
        data_format: str | None = None,
        num_spatial_dims: int | None = None,
    ) -> None:
        self.input_shape = runnel.TensorShape(input_shape)
        self.filter_shape = runnel.TensorShape(filter_shape)
        spatial = (self.filter_shape.rank or 0) - 2 or num_spatial_dims
        if not spatial:
            raise ValueError("Convolution: the rank of the filter, or num_spatial_dims, is needed.")
        self.padding, self.data_format, self.name = padding, data_format, name
        self.strides, self.dilation_rate = strides or [1] * spatial, dilation_rate or [1] * spatial

    def __call__(self, inp: Any, filter: Any) -> Any:
        how = (self.strides, self.padding, self.data_format, self.dilation_rate, self.name)
        return runnel.nn.convolution(inp, filter, *how)


def constant_value_as_shape(tensor: Any) -> Any:
    """The shape that a vector says, as far as it is known."""
    if isinstance(tensor, runnel.TensorShape):
        return tensor
    value = runnel.get_static_value(tensor, partial=True)
    if value is None:
        known = tensor.shape[0] if tensor.shape.rank else None
        return runnel.TensorShape(None if known is None else [None] * known)
    dims = [None if dim is None or dim == -1 else int(dim) for dim in value]
    return runnel.TensorShape(dims)


def try_evaluate_constant(tensor: Any) -> Any:
    """The value of a tensor of a graph that can be worked out without running it, or None."""
    return constant_value(tensor)


def case_of(
    cond_fn: Callable[..., Any],
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None,
    exclusive: bool,
    name: str | None,
    allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> Any:
    """`tf.case` by another function than `tf.cond`."""
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2 or not callable(pair[1]):
            raise TypeError(f"case: each pair must be a predicate and a function, got {pair!r}.")
        if not allow_python_preds and not isinstance(pair[0], runnel.Tensor):
            raise TypeError(f"case: a predicate must be a tensor, got {pair[0]!r}.")
    if default is not None and not callable(default):
        raise TypeError(f"case: `default` must be callable, got {default!r}.")
    if not pairs:
        if default is None:
            raise ValueError("case: there is neither a pair nor a default.")
        return default()
    if exclusive:
        held = runnel.add_n([runnel.cast(pred, runnel.int32) for pred, _ in pairs])
        runnel.debugging.assert_less_equal(held, 1, "case: more than one predicate holds")
    if default is None:
        *pairs, (_, default) = pairs
    for pred, fn in reversed(pairs):
        default = _chosen(cond_fn, pred, fn, default, cond_kwargs)
    with runnel.name_scope(name or "case"):
        return default()


def _chosen(
    cond_fn: Callable[..., Any], pred: Any, fn: Any, otherwise: Any, options: dict[str, Any]
) -> Callable[[], Any]:
    return lambda: cond_fn(pred, true_fn=fn, false_fn=otherwise, **options)


def in_xla_context(graph: Any) -> bool:
    """Whether a graph, or one around it, belongs to a function with `jit_compile`."""
    while graph is not None:
        attributes = getattr(graph, "attributes", None) or {}
        if attributes.get("_XlaMustCompile"):
            return True
        graph = getattr(graph, "outer_graph", None)
    return False


def implicit_grad(f: Callable[..., Any]) -> Callable[..., list[tuple[Any, Any]]]:
    """A function that gives the gradients of `f` by the variables it reads, with these."""

    def gradients(*args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        with runnel.GradientTape() as tape:
            result = f(*args, **kwargs)
        variables = list(tape.watched_variables())
        if not variables:
            raise ValueError("implicit_grad: the function reads no variable that is trained.")
        return list(zip(tape.gradient(result, variables), variables))

    return gradients


def parameterized_truncated_normal(
    shape: Any,
    means: Any = 0.0,
    stddevs: Any = 1.0,
    minvals: Any = -2.0,
    maxvals: Any = 2.0,
    dtype: Any = runnel.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Normal numbers between two bounds, one set of parameters for each row."""
    first, second = get_seed(seed)
    parameters = {"means": means, "stdevs": stddevs, "minvals": minvals, "maxvals": maxvals}
    tensors = {key: runnel.convert_to_tensor(x, dtype) for key, x in parameters.items()}
    size = runnel.convert_to_tensor(shape, runnel.int32)
    seeds = {"seed": first or 0, "seed2": second or 0, "name": name}
    return runnel.raw_ops.ParameterizedTruncatedNormal(shape=size, **tensors, **seeds)


def gen_new_seed(seed: int | None, salt: str) -> int | None:
    """A seed that is made of another and a text."""
    if seed is None:
        return None
    text = f"{seed}{salt}".encode()
    return int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF


def index_table_from_tensor(
    vocabulary_list: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """A table from words to their numbers; further numbers for words that are not among them."""
    if hasher_spec is not None:
        raise NotImplementedError("index_table_from_tensor: `hasher_spec` is not supported.")
    words = runnel.convert_to_tensor(vocabulary_list)
    keys = runnel.cast(words, runnel.int64) if words.dtype.is_integer else words
    numbers = runnel.range(runnel.size(words, runnel.int64), dtype=runnel.int64)
    initializer = runnel.lookup.KeyValueTensorInitializer(keys, numbers)
    if not num_oov_buckets:
        return runnel.lookup.StaticHashTable(initializer, default_value, name=name)
    wanted = dtype or words.dtype
    return runnel.lookup.StaticVocabularyTable(initializer, num_oov_buckets, wanted, name=name)


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """Move a variable towards a value, `1 - decay` of the way."""
    if zero_debias:
        raise NotImplementedError("assign_moving_average: `zero_debias` is not supported.")
    with runnel.name_scope(name or "AssignMovingAvg"):
        rate = runnel.cast(1.0 - runnel.convert_to_tensor(decay), variable.dtype.base_dtype)
        value = runnel.cast(value, variable.dtype.base_dtype)
        return variable.assign_sub((variable - value) * rate)


def broadcast_weights(weights: Any, values: Any) -> Any:
    """Weights with the shape of values, from a scalar or sizes that are one or equal."""
    weights, values = runnel.convert_to_tensor(weights), runnel.convert_to_tensor(values)
    known = weights.shape, values.shape
    if all(shape.is_fully_defined() for shape in known):
        _check_weights(*known)
        if known[0] == known[1]:
            return weights
    ones = runnel.ones(runnel.shape(values), values.dtype)
    return runnel.multiply(runnel.cast(weights, values.dtype), ones, name="broadcast_weights")


def _check_weights(weights: Any, values: Any) -> None:
    fits = weights.rank == values.rank and all(w in (1, v) for w, v in zip(weights, values))
    if weights.rank and not fits:
        raise ValueError(
            f"The weights must be a scalar, or have the rank of the values with sizes of one or "
            f"equal: got {weights} for values of {values}."
        )


def add_operators(
    operators: Sequence[Any], operator_name: str | None = None, addition_tiers: Any = None
) -> list[Any]:
    """Linear operators, added up as far as one operator can hold the sum."""
    if addition_tiers is not None:
        raise NotImplementedError("add_operators: `addition_tiers` is not supported.")
    if len(operators) < 2:
        return list(operators)
    name = operator_name or "+".join(operator.name for operator in operators)
    if all(isinstance(operator, _DIAGONAL) for operator in operators):
        total = runnel.add_n([operator.diag_part() for operator in operators])
        return [runnel.linalg.LinearOperatorDiag(total, name=name)]
    total = runnel.add_n([operator.to_dense() for operator in operators])
    return [runnel.linalg.LinearOperatorFullMatrix(total, name=name)]


_DIAGONAL = (
    runnel.linalg.LinearOperatorDiag,
    runnel.linalg.LinearOperatorIdentity,
    runnel.linalg.LinearOperatorScaledIdentity,
)


def make_composite_tensor(cls: Any, module_name: str = "tf.linalg") -> Any:
    """Give a class of linear operators a type spec, so that they are composite values."""
    if not issubclass(cls, runnel.linalg.LinearOperator):
        raise TypeError(f"make_composite_tensor: a class of linear operators is wanted, got {cls}.")
    cls._type_spec = property(make_spec(cls, module_name).of)
    return cls


def tensor_list_from_tensor(tensor: Any, element_shape: Any, name: str | None = None) -> Any:
    """A list of the rows of a tensor."""
    shape = _element_shape(element_shape)
    return runnel.raw_ops.TensorListFromTensor(tensor=tensor, element_shape=shape, name=name)


def empty_tensor_list(
    element_shape: Any, element_dtype: Any, max_num_elements: Any = None, name: str | None = None
) -> Any:
    return runnel.raw_ops.EmptyTensorList(
        element_shape=_element_shape(element_shape),
        element_dtype=element_dtype,
        max_num_elements=-1 if max_num_elements is None else max_num_elements,
        name=name,
    )


def tensor_list_stack(
    input_handle: Any,
    element_dtype: Any,
    num_elements: int = -1,
    element_shape: Any = None,
    name: str | None = None,
) -> Any:
    """The elements of a list as the rows of a tensor."""
    return runnel.raw_ops.TensorListStack(
        input_handle=input_handle,
        element_shape=_element_shape(element_shape),
        element_dtype=element_dtype,
        num_elements=num_elements,
        name=name,
    )


def tensor_list_gather(
    input_handle: Any,
    indices: Any,
    element_dtype: Any,
    element_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Some elements of a list as the rows of a tensor."""
    return runnel.raw_ops.TensorListGather(
        input_handle=input_handle,
        indices=indices,
        element_shape=_element_shape(element_shape),
        element_dtype=element_dtype,
        name=name,
    )


def _element_shape(shape: Any) -> Any:
    """As the ops want it: -1 for what is not known, a scalar -1 for all of it."""
    if runnel.is_tensor(shape):
        return shape
    known = as_shape(shape)
    if known.rank is None:
        return -1
    return runnel.constant([-1 if dim is None else dim for dim in known], runnel.int32)
