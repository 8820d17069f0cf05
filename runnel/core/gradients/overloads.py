"""What checkers of types are told of `tape.gradient`: the result has the structure of the sources.

They are told of tensors, which gradients mostly are: that of a source which has none is None, and
that of a table of which rows were gathered is a `tf.IndexedSlices`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast, overload

from runnel.core.gradients.unconnected import UnconnectedGradients
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.tensor import Tensor


class GradientMethod(Protocol):
    """`tape.gradient`, for sources of several kinds."""

    @overload
    def __call__(
        self,
        target: Any,
        sources: Operators,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> Tensor: ...

    @overload
    def __call__(
        self,
        target: Any,
        sources: list[Any],
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> list[Tensor]: ...

    @overload
    def __call__(
        self,
        target: Any,
        sources: tuple[Any, ...],
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> tuple[Tensor, ...]: ...

    @overload
    def __call__(
        self,
        target: Any,
        sources: Mapping[str, Any],
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> dict[str, Tensor]: ...

    @overload
    def __call__(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
    ) -> Any: ...


def for_checkers(method: Callable[..., Any]) -> GradientMethod:
    """The same method, with these types."""
    return cast(GradientMethod, method)
