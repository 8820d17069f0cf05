"""`tf.compat.v1`: TensorFlow 1: graphs, sessions and their library."""

from typing import Any

from runnel.compat.v1.table import finder, listing
from runnel.core.composite.sparse_tensor import SparseTensorValue as SparseTensorValue
from runnel.core.op.context import executing_eagerly as executing_eagerly
from runnel.core.protos import messages
from runnel.core.settings.scopes import variable_creator_scope as variable_creator_scope
from runnel.graph.functions.control_flow import case as case
from runnel.graph.session.default import get_default_graph as get_default_graph
from runnel.graph.session.default import get_default_session as get_default_session
from runnel.graph.session.default import reset_default_graph as reset_default_graph
from runnel.graph.session.session import InteractiveSession as InteractiveSession
from runnel.graph.session.session import Session as Session
from runnel.v1.behavior.dimensions import disable_v2_tensorshape as disable_v2_tensorshape
from runnel.v1.behavior.dimensions import enable_v2_tensorshape as enable_v2_tensorshape
from runnel.v1.behavior.placeholders import placeholder as placeholder
from runnel.v1.behavior.placeholders import placeholder_with_default as placeholder_with_default
from runnel.v1.behavior.placeholders import sparse_placeholder as sparse_placeholder
from runnel.v1.behavior.seeds import get_seed as get_seed
from runnel.v1.behavior.seeds import set_random_seed as set_random_seed
from runnel.v1.behavior.switches import control_flow_v2_enabled as control_flow_v2_enabled
from runnel.v1.behavior.switches import disable_control_flow_v2 as disable_control_flow_v2
from runnel.v1.behavior.switches import disable_eager_execution as disable_eager_execution
from runnel.v1.behavior.switches import disable_resource_variables as disable_resource_variables
from runnel.v1.behavior.switches import disable_tensor_equality as disable_tensor_equality
from runnel.v1.behavior.switches import disable_v2_behavior as disable_v2_behavior
from runnel.v1.behavior.switches import enable_control_flow_v2 as enable_control_flow_v2
from runnel.v1.behavior.switches import enable_eager_execution as enable_eager_execution
from runnel.v1.behavior.switches import enable_resource_variables as enable_resource_variables
from runnel.v1.behavior.switches import enable_tensor_equality as enable_tensor_equality
from runnel.v1.behavior.switches import enable_v2_behavior as enable_v2_behavior
from runnel.v1.behavior.switches import (
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
)
from runnel.v1.behavior.switches import resource_variables_enabled as resource_variables_enabled
from runnel.v1.ops.arrays import boolean_mask as boolean_mask
from runnel.v1.ops.arrays import cond as cond
from runnel.v1.ops.arrays import constant as constant
from runnel.v1.ops.arrays import convert_to_tensor as convert_to_tensor
from runnel.v1.ops.arrays import device as device
from runnel.v1.ops.arrays import expand_dims as expand_dims
from runnel.v1.ops.arrays import gather as gather
from runnel.v1.ops.arrays import gather_nd as gather_nd
from runnel.v1.ops.arrays import gradients as gradients
from runnel.v1.ops.arrays import name_scope as name_scope
from runnel.v1.ops.arrays import ones_like as ones_like
from runnel.v1.ops.arrays import op_scope as op_scope
from runnel.v1.ops.arrays import pad as pad
from runnel.v1.ops.arrays import py_func as py_func
from runnel.v1.ops.arrays import shape as shape
from runnel.v1.ops.arrays import size as size
from runnel.v1.ops.arrays import squeeze as squeeze
from runnel.v1.ops.arrays import transpose as transpose
from runnel.v1.ops.arrays import where as where
from runnel.v1.ops.arrays import while_loop as while_loop
from runnel.v1.ops.arrays import zeros_like as zeros_like
from runnel.v1.ops.reductions import arg_max as arg_max
from runnel.v1.ops.reductions import arg_min as arg_min
from runnel.v1.ops.reductions import argmax as argmax
from runnel.v1.ops.reductions import argmin as argmin
from runnel.v1.ops.reductions import count_nonzero as count_nonzero
from runnel.v1.ops.reductions import div as div
from runnel.v1.ops.reductions import norm as norm
from runnel.v1.ops.reductions import reduce_all as reduce_all
from runnel.v1.ops.reductions import reduce_any as reduce_any
from runnel.v1.ops.reductions import reduce_logsumexp as reduce_logsumexp
from runnel.v1.ops.reductions import reduce_max as reduce_max
from runnel.v1.ops.reductions import reduce_mean as reduce_mean
from runnel.v1.ops.reductions import reduce_min as reduce_min
from runnel.v1.ops.reductions import reduce_prod as reduce_prod
from runnel.v1.ops.reductions import reduce_sum as reduce_sum
from runnel.v1.ops.reductions import to_bfloat16 as to_bfloat16
from runnel.v1.ops.reductions import to_complex64 as to_complex64
from runnel.v1.ops.reductions import to_complex128 as to_complex128
from runnel.v1.ops.reductions import to_double as to_double
from runnel.v1.ops.reductions import to_float as to_float
from runnel.v1.ops.reductions import to_int32 as to_int32
from runnel.v1.ops.reductions import to_int64 as to_int64
from runnel.v1.variables.collections import GraphKeys as GraphKeys
from runnel.v1.variables.collections import add_to_collection as add_to_collection
from runnel.v1.variables.collections import add_to_collections as add_to_collections
from runnel.v1.variables.collections import all_variables as all_variables
from runnel.v1.variables.collections import get_collection as get_collection
from runnel.v1.variables.collections import get_collection_ref as get_collection_ref
from runnel.v1.variables.collections import global_variables as global_variables
from runnel.v1.variables.collections import local_variables as local_variables
from runnel.v1.variables.collections import model_variables as model_variables
from runnel.v1.variables.collections import moving_average_variables as moving_average_variables
from runnel.v1.variables.collections import trainable_variables as trainable_variables
from runnel.v1.variables.initializers import Constant as constant_initializer  # noqa: F401
from runnel.v1.variables.initializers import GlorotNormal as glorot_normal_initializer  # noqa: F401
from runnel.v1.variables.initializers import GlorotUniform as glorot_uniform_initializer  # noqa: F401
from runnel.v1.variables.initializers import Ones as ones_initializer  # noqa: F401
from runnel.v1.variables.initializers import Orthogonal as orthogonal_initializer  # noqa: F401
from runnel.v1.variables.initializers import RandomNormal as random_normal_initializer  # noqa: F401
from runnel.v1.variables.initializers import RandomUniform as random_uniform_initializer  # noqa: F401
from runnel.v1.variables.initializers import TruncatedNormal as truncated_normal_initializer  # noqa: F401
from runnel.v1.variables.initializers import UniformUnitScaling as uniform_unit_scaling_initializer  # noqa: F401
from runnel.v1.variables.initializers import VarianceScaling as variance_scaling_initializer  # noqa: F401
from runnel.v1.variables.initializers import Zeros as zeros_initializer  # noqa: F401
from runnel.v1.variables.initializing import (
    assert_variables_initialized as assert_variables_initialized,
)
from runnel.v1.variables.initializing import (
    global_variables_initializer as global_variables_initializer,
)
from runnel.v1.variables.initializing import initialize_all_tables as initialize_all_tables
from runnel.v1.variables.initializing import initialize_all_variables as initialize_all_variables
from runnel.v1.variables.initializing import (
    initialize_local_variables as initialize_local_variables,
)
from runnel.v1.variables.initializing import initialize_variables as initialize_variables
from runnel.v1.variables.initializing import is_variable_initialized as is_variable_initialized
from runnel.v1.variables.initializing import (
    local_variables_initializer as local_variables_initializer,
)
from runnel.v1.variables.initializing import (
    report_uninitialized_variables as report_uninitialized_variables,
)
from runnel.v1.variables.initializing import tables_initializer as tables_initializer
from runnel.v1.variables.initializing import variables_initializer as variables_initializer
from runnel.v1.variables.partitioning import fixed_size_partitioner as fixed_size_partitioner
from runnel.v1.variables.partitioning import (
    min_max_variable_partitioner as min_max_variable_partitioner,
)
from runnel.v1.variables.partitioning import (
    variable_axis_size_partitioner as variable_axis_size_partitioner,
)
from runnel.v1.variables.scopes import AUTO_REUSE as AUTO_REUSE
from runnel.v1.variables.scopes import VariableScope as VariableScope
from runnel.v1.variables.scopes import get_local_variable as get_local_variable
from runnel.v1.variables.scopes import get_variable as get_variable
from runnel.v1.variables.scopes import get_variable_scope as get_variable_scope
from runnel.v1.variables.scopes import no_regularizer as no_regularizer
from runnel.v1.variables.scopes import variable_op_scope as variable_op_scope
from runnel.v1.variables.scopes import variable_scope as variable_scope
from runnel.v1.variables.template import make_template as make_template
from runnel.v1.variables.variable import VariableV1 as Variable  # noqa: F401
from runnel.v1.variables.variable import assign as assign
from runnel.v1.variables.variable import assign_add as assign_add
from runnel.v1.variables.variable import assign_sub as assign_sub

__version__ = VERSION = "2.21.0"
_find = finder("")
_MESSAGES = frozenset(
    """AttrValue ConfigProto Event GPUOptions GraphDef GraphOptions HistogramProto LogMessage
    MetaGraphDef NameAttrList NodeDef OptimizerOptions RunMetadata RunOptions SessionLog Summary
    SummaryMetadata TensorInfo""".split()
)


def __getattr__(name: str) -> Any:
    """Messages are made when they are first asked for; the rest is in the table."""
    return getattr(messages, name) if name in _MESSAGES else _find(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("")})
