"""Which TensorFlow a program means: eager mode, resource variables, control flow."""

from __future__ import annotations

from runnel.backend import configuration
from runnel.core.op.context import state
from runnel.core.settings.scopes import inside_function
from runnel.core.tensor.tensor import Tensor
from runnel.graph.session.default import build_by_default, has_default_graph, run_by_default
from runnel.v1.behavior.dimensions import disable_v2_tensorshape, enable_v2_tensorshape

_UNHASHABLE = Tensor.__hash__


def enable_eager_execution(
    config: object = None, device_policy: object = None, execution_mode: object = None
) -> None:
    """From now on ops run at once."""
    for name, value in {"config": config, "device_policy": device_policy}.items():
        if value is not None:
            raise NotImplementedError(f"enable_eager_execution: `{name}` is not supported.")
    if execution_mode not in (None, 0, 1):
        raise ValueError(
            f"enable_eager_execution: `execution_mode` is 0 or 1, got {execution_mode!r}."
        )
    if state.graph is None:
        return
    if has_default_graph() or state.graph._operations:
        raise ValueError("enable_eager_execution must be called at program startup.")
    run_by_default()


def disable_eager_execution() -> None:
    """From now on ops become part of the default graph, which sessions run."""
    if state.graph is None:
        build_by_default()


def enable_v2_behavior() -> None:
    """All switches as TensorFlow 2 has them."""
    configuration.v2_behavior = True
    enable_eager_execution()
    enable_resource_variables()
    enable_control_flow_v2()
    enable_tensor_equality()
    enable_v2_tensorshape()


def disable_v2_behavior() -> None:
    """All switches as TensorFlow 1 has them."""
    configuration.v2_behavior = False
    disable_eager_execution()
    disable_resource_variables()
    disable_control_flow_v2()
    disable_tensor_equality()
    disable_v2_tensorshape()


def enable_resource_variables() -> None:
    """Variables are resources, as they are here in any case."""
    configuration.resource_variables = True


def disable_resource_variables() -> None:
    """Variables are resources here in any case; graphs with reference variables can be imported."""
    configuration.resource_variables = False


def resource_variables_enabled() -> bool:
    """Whether variables are resources by the switch, which here they are in any case."""
    return configuration.resource_variables


def enable_control_flow_v2() -> None:
    """Ops in what `cond` and `while_loop` hold are numbered for themselves, for their seeds."""
    configuration.control_flow_v2 = True


def disable_control_flow_v2() -> None:
    """Ops in what `cond` and `while_loop` hold are numbered with those around, for their seeds."""
    configuration.control_flow_v2 = False


def control_flow_v2_enabled() -> bool:
    """Whether `cond` and `while_loop` hold graphs by the switch, which here they do in any case."""
    return configuration.control_flow_v2


def enable_tensor_equality() -> None:
    """`==` compares tensors element by element, but in a `tf.Graph` that is no function's."""
    configuration.tensor_equality = True
    Tensor.__hash__ = _UNHASHABLE  # type: ignore[method-assign]


def disable_tensor_equality() -> None:
    """`==` asks whether tensors are the same object, and they can be keys."""
    configuration.tensor_equality = False
    Tensor.__hash__ = object.__hash__  # type: ignore[assignment,method-assign]


def executing_eagerly_outside_functions() -> bool:
    """Whether ops run at once, or would outside of the function that is being traced."""
    return state.graph is None or (inside_function() and _outer_is_eager())


def _outer_is_eager() -> bool:
    graph = state.graph
    while graph is not None and graph.building_function:
        graph = graph.outer_graph  # type: ignore[attr-defined]
    return graph is None
