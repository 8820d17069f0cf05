"""TensorFlow 2, implemented anew: `import runnel as tf`."""

import importlib
import sys as _sys
import typing as _typing

from runnel.backend.collection import resume as _collect_again

# isort: split
# One block of import lines per module, in alphabetical order of the modules.
from runnel import __operators__ as __operators__
from runnel import audio as audio
from runnel import autodiff as autodiff
from runnel import autograph as autograph
from runnel import bitwise as bitwise
from runnel import compat as compat
from runnel import config as config
from runnel import data as data
from runnel import debugging as debugging
from runnel import dtypes as dtypes
from runnel import errors as errors
from runnel import graph_util as graph_util
from runnel import image as image
from runnel import io as io
from runnel import linalg as linalg
from runnel import lookup as lookup
from runnel import math as math
from runnel import nest as nest
from runnel import nn as nn
from runnel import profiler as profiler
from runnel import quantization as quantization
from runnel import queue as queue
from runnel import ragged as ragged
from runnel import random as random
from runnel import sets as sets
from runnel import signal as signal
from runnel import sparse as sparse
from runnel import strings as strings
from runnel import summary as summary
from runnel import sysconfig as sysconfig
from runnel import train as train
from runnel import types as types
from runnel import version as version
from runnel import xla as xla
from runnel.core.composite.ragged_spec import RaggedTensorSpec as RaggedTensorSpec
from runnel.core.composite.ragged_tensor import RaggedTensor as RaggedTensor
from runnel.core.composite.sparse_tensor import SparseTensor as SparseTensor
from runnel.core.composite.sparse_tensor import SparseTensorSpec as SparseTensorSpec
from runnel.core.files.tensor_proto import make_ndarray as make_ndarray
from runnel.core.files.tensor_proto import make_tensor_proto as make_tensor_proto
from runnel.core.gradients.custom import custom_gradient as custom_gradient
from runnel.core.gradients.custom import grad_pass_through as grad_pass_through
from runnel.core.gradients.custom import recompute_grad as recompute_grad
from runnel.core.gradients.gradient_tape import GradientTape as GradientTape
from runnel.core.gradients.graph_gradients import gradients as gradients
from runnel.core.gradients.graph_gradients import hessians as hessians
from runnel.core.gradients.unconnected import UnconnectedGradients as UnconnectedGradients
from runnel.core.op.context import executing_eagerly as executing_eagerly
from runnel.core.op.public import raw_ops as raw_ops
from runnel.core.op.registry import RegisterGradient as RegisterGradient
from runnel.core.op.registry import no_gradient as no_gradient
from runnel.core.settings.absent import explain_missing as _explain_missing
from runnel.core.settings.absent import explanation as _explanation
from runnel.core.settings.device import device as device
from runnel.core.settings.device_spec import DeviceSpec as DeviceSpec
from runnel.core.settings.logging import get_logger as get_logger
from runnel.core.settings.scopes import control_dependencies as control_dependencies
from runnel.core.settings.scopes import get_current_name_scope as get_current_name_scope
from runnel.core.settings.scopes import init_scope as init_scope
from runnel.core.settings.scopes import inside_function as inside_function
from runnel.core.settings.scopes import name_scope as name_scope
from runnel.core.settings.scopes import variable_creator_scope as variable_creator_scope
from runnel.core.settings.stubs import AggregationMethod as AggregationMethod
from runnel.core.settings.stubs import load_library as load_library
from runnel.core.settings.stubs import load_op_library as load_op_library
from runnel.core.state.critical_section import CriticalSection as CriticalSection
from runnel.core.state.module import Module as Module
from runnel.core.state.variable import Variable as Variable
from runnel.core.state.variable import VariableAggregation as VariableAggregation
from runnel.core.state.variable import VariableSynchronization as VariableSynchronization
from runnel.core.tensor.convert import constant as constant
from runnel.core.tensor.convert import (
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from runnel.core.tensor.indexed_slices import IndexedSlices as IndexedSlices
from runnel.core.tensor.indexed_slices import IndexedSlicesSpec as IndexedSlicesSpec
from runnel.core.tensor.static import is_symbolic_tensor as is_symbolic_tensor
from runnel.core.tensor.tensor import Tensor as Tensor
from runnel.core.values.dtypes import DType as DType
from runnel.core.values.dtypes import as_dtype as as_dtype
from runnel.core.values.dtypes import bfloat16 as bfloat16
from runnel.core.values.dtypes import bool as bool
from runnel.core.values.dtypes import complex64 as complex64
from runnel.core.values.dtypes import complex128 as complex128
from runnel.core.values.dtypes import double as double
from runnel.core.values.dtypes import float16 as float16
from runnel.core.values.dtypes import float32 as float32
from runnel.core.values.dtypes import float64 as float64
from runnel.core.values.dtypes import half as half
from runnel.core.values.dtypes import int8 as int8
from runnel.core.values.dtypes import int16 as int16
from runnel.core.values.dtypes import int32 as int32
from runnel.core.values.dtypes import int64 as int64
from runnel.core.values.dtypes import qint8 as qint8
from runnel.core.values.dtypes import qint16 as qint16
from runnel.core.values.dtypes import qint32 as qint32
from runnel.core.values.dtypes import quint8 as quint8
from runnel.core.values.dtypes import quint16 as quint16
from runnel.core.values.dtypes import resource as resource
from runnel.core.values.dtypes import string as string
from runnel.core.values.dtypes import uint8 as uint8
from runnel.core.values.dtypes import uint16 as uint16
from runnel.core.values.dtypes import uint32 as uint32
from runnel.core.values.dtypes import uint64 as uint64
from runnel.core.values.dtypes import variant as variant
from runnel.core.values.none_spec import NoneTensorSpec as NoneTensorSpec
from runnel.core.values.shape import TensorShape as TensorShape
from runnel.core.values.type_spec import TensorSpec as TensorSpec
from runnel.core.values.type_spec import TypeSpec as TypeSpec
from runnel.core.values.type_spec import type_spec_from_value as type_spec_from_value
from runnel.core.values.uncaught import show_trimmed as _show_trimmed
from runnel.data.dataset.optional import OptionalSpec as OptionalSpec
from runnel.debugging.assertions import assert_equal as assert_equal
from runnel.debugging.assertions import assert_greater as assert_greater
from runnel.debugging.assertions import assert_less as assert_less
from runnel.debugging.properties import assert_rank as assert_rank
from runnel.function.batching import (
    nondifferentiable_batch_function as nondifferentiable_batch_function,
)
from runnel.function.function import function as function
from runnel.graph.build.graph import Graph as Graph
from runnel.graph.build.operation import Operation as Operation
from runnel.graph.functions.control_flow import case as case
from runnel.graph.functions.control_flow import cond as cond
from runnel.graph.functions.control_flow import switch_case as switch_case
from runnel.graph.functions.control_flow import while_loop as while_loop
from runnel.graph.functions.functional import foldl as foldl
from runnel.graph.functions.functional import foldr as foldr
from runnel.graph.functions.functional import map_fn as map_fn
from runnel.graph.functions.functional import scan as scan
from runnel.graph.functions.vectorized_map import vectorized_map as vectorized_map
from runnel.graph.graphdef.importing import import_graph_def as import_graph_def
from runnel.ops import graph_only as _graph_only  # noqa: F401
from runnel.ops.array.broadcasting import broadcast_dynamic_shape as broadcast_dynamic_shape
from runnel.ops.array.broadcasting import broadcast_static_shape as broadcast_static_shape
from runnel.ops.array.broadcasting import broadcast_to as broadcast_to
from runnel.ops.array.constants import fill as fill
from runnel.ops.array.constants import linspace as linspace
from runnel.ops.array.constants import ones as ones
from runnel.ops.array.constants import ones_like as ones_like
from runnel.ops.array.constants import range as range
from runnel.ops.array.constants import zeros as zeros
from runnel.ops.array.constants import zeros_like as zeros_like
from runnel.ops.array.gathering import gather as gather
from runnel.ops.array.gathering import gather_nd as gather_nd
from runnel.ops.array.gathering import unravel_index as unravel_index
from runnel.ops.array.identity import bitcast as bitcast
from runnel.ops.array.identity import convert_to_tensor as convert_to_tensor
from runnel.ops.array.identity import get_static_value as get_static_value
from runnel.ops.array.identity import guarantee_const as guarantee_const
from runnel.ops.array.identity import identity as identity
from runnel.ops.array.identity import identity_n as identity_n
from runnel.ops.array.identity import is_tensor as is_tensor
from runnel.ops.array.identity import stop_gradient as stop_gradient
from runnel.ops.array.joining import concat as concat
from runnel.ops.array.joining import parallel_stack as parallel_stack
from runnel.ops.array.joining import stack as stack
from runnel.ops.array.joining import unstack as unstack
from runnel.ops.array.padding import pad as pad
from runnel.ops.array.partitioning import dynamic_partition as dynamic_partition
from runnel.ops.array.partitioning import dynamic_stitch as dynamic_stitch
from runnel.ops.array.repeating import meshgrid as meshgrid
from runnel.ops.array.repeating import repeat as repeat
from runnel.ops.array.repeating import tile as tile
from runnel.ops.array.scattering import scatter_nd as scatter_nd
from runnel.ops.array.scattering import tensor_scatter_nd_add as tensor_scatter_nd_add
from runnel.ops.array.scattering import tensor_scatter_nd_max as tensor_scatter_nd_max
from runnel.ops.array.scattering import tensor_scatter_nd_min as tensor_scatter_nd_min
from runnel.ops.array.scattering import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from runnel.ops.array.scattering import tensor_scatter_nd_update as tensor_scatter_nd_update
from runnel.ops.array.selecting import boolean_mask as boolean_mask
from runnel.ops.array.selecting import one_hot as one_hot
from runnel.ops.array.selecting import sequence_mask as sequence_mask
from runnel.ops.array.selecting import where as where
from runnel.ops.array.shaping import ensure_shape as ensure_shape
from runnel.ops.array.shaping import expand_dims as expand_dims
from runnel.ops.array.shaping import rank as rank
from runnel.ops.array.shaping import reshape as reshape
from runnel.ops.array.shaping import shape as shape
from runnel.ops.array.shaping import shape_n as shape_n
from runnel.ops.array.shaping import size as size
from runnel.ops.array.shaping import squeeze as squeeze
from runnel.ops.array.shaping import transpose as transpose
from runnel.ops.array.slicing import slice_ as slice  # noqa: F401 (a name of Python has another here)
from runnel.ops.array.slicing import strided_slice as strided_slice
from runnel.ops.array.space import batch_to_space as batch_to_space
from runnel.ops.array.space import (
    required_space_to_batch_paddings as required_space_to_batch_paddings,
)
from runnel.ops.array.space import space_to_batch as space_to_batch
from runnel.ops.array.space import space_to_batch_nd as space_to_batch_nd
from runnel.ops.array.splitting import split as split
from runnel.ops.control.asserting import Assert as Assert
from runnel.ops.control.clock import timestamp as timestamp
from runnel.ops.control.grouping import group as group
from runnel.ops.control.grouping import no_op as no_op
from runnel.ops.control.grouping import tuple as tuple
from runnel.ops.control.printing import print as print
from runnel.ops.control.python_functions import numpy_function as numpy_function
from runnel.ops.control.python_functions import py_function as py_function
from runnel.ops.image import transforms as _transforms  # noqa: F401
from runnel.ops.image.patches import extract_volume_patches as extract_volume_patches
from runnel.ops.linalg.einsum import einsum as einsum
from runnel.ops.linalg.matmul import matmul as matmul
from runnel.ops.linalg.matrices import eye as eye
from runnel.ops.linalg.norms import norm as norm
from runnel.ops.linalg.spectra import eig as eig
from runnel.ops.linalg.spectra import eigvals as eigvals
from runnel.ops.linalg.tensordot import tensordot as tensordot
from runnel.ops.math.arithmetic import abs as abs
from runnel.ops.math.arithmetic import add as add
from runnel.ops.math.arithmetic import add_n as add_n
from runnel.ops.math.arithmetic import maximum as maximum
from runnel.ops.math.arithmetic import minimum as minimum
from runnel.ops.math.arithmetic import multiply as multiply
from runnel.ops.math.arithmetic import negative as negative
from runnel.ops.math.arithmetic import scalar_mul as scalar_mul
from runnel.ops.math.arithmetic import sign as sign
from runnel.ops.math.arithmetic import square as square
from runnel.ops.math.arithmetic import subtract as subtract
from runnel.ops.math.casting import cast as cast
from runnel.ops.math.casting import saturate_cast as saturate_cast
from runnel.ops.math.clipping import clip_by_global_norm as clip_by_global_norm
from runnel.ops.math.clipping import clip_by_norm as clip_by_norm
from runnel.ops.math.clipping import clip_by_value as clip_by_value
from runnel.ops.math.comparison import equal as equal
from runnel.ops.math.comparison import greater as greater
from runnel.ops.math.comparison import greater_equal as greater_equal
from runnel.ops.math.comparison import less as less
from runnel.ops.math.comparison import less_equal as less_equal
from runnel.ops.math.comparison import not_equal as not_equal
from runnel.ops.math.complex import complex as complex
from runnel.ops.math.division import divide as divide
from runnel.ops.math.division import realdiv as realdiv
from runnel.ops.math.division import truediv as truediv
from runnel.ops.math.division import truncatediv as truncatediv
from runnel.ops.math.division import truncatemod as truncatemod
from runnel.ops.math.logical import logical_and as logical_and
from runnel.ops.math.logical import logical_not as logical_not
from runnel.ops.math.logical import logical_or as logical_or
from runnel.ops.math.powers import exp as exp
from runnel.ops.math.powers import pow as pow
from runnel.ops.math.powers import sqrt as sqrt
from runnel.ops.math.rounding import floor as floor
from runnel.ops.math.rounding import round as round
from runnel.ops.math.sigmoid import sigmoid as sigmoid
from runnel.ops.math.sigmoid import tanh as tanh
from runnel.ops.math.trigonometric import acos as acos
from runnel.ops.math.trigonometric import acosh as acosh
from runnel.ops.math.trigonometric import asin as asin
from runnel.ops.math.trigonometric import asinh as asinh
from runnel.ops.math.trigonometric import atan as atan
from runnel.ops.math.trigonometric import atan2 as atan2
from runnel.ops.math.trigonometric import atanh as atanh
from runnel.ops.math.trigonometric import cos as cos
from runnel.ops.math.trigonometric import cosh as cosh
from runnel.ops.math.trigonometric import sin as sin
from runnel.ops.math.trigonometric import sinh as sinh
from runnel.ops.math.trigonometric import tan as tan
from runnel.ops.named_ops import check_pinned as check_pinned
from runnel.ops.named_ops import conv as conv
from runnel.ops.named_ops import fftnd as fftnd
from runnel.ops.named_ops import ifftnd as ifftnd
from runnel.ops.named_ops import irfftnd as irfftnd
from runnel.ops.named_ops import matrix_square_root as matrix_square_root
from runnel.ops.named_ops import rfftnd as rfftnd
from runnel.ops.nn.conv.gradients import conv2d_backprop_filter_v2 as conv2d_backprop_filter_v2
from runnel.ops.nn.conv.gradients import conv2d_backprop_input_v2 as conv2d_backprop_input_v2
from runnel.ops.ragged.filling import ragged_fill_empty_rows as ragged_fill_empty_rows
from runnel.ops.ragged.filling import ragged_fill_empty_rows_grad as ragged_fill_empty_rows_grad
from runnel.ops.random.initializers import Constant as constant_initializer  # noqa: F401
from runnel.ops.random.initializers import Ones as ones_initializer  # noqa: F401
from runnel.ops.random.initializers import Zeros as zeros_initializer  # noqa: F401
from runnel.ops.random.random_initializers import (  # noqa: F401
    RandomNormal as random_normal_initializer,
)
from runnel.ops.random.random_initializers import (  # noqa: F401
    RandomUniform as random_uniform_initializer,
)
from runnel.ops.random.seeded_numbers import random_index_shuffle as random_index_shuffle
from runnel.ops.reduce import bucketing as _bucketing  # noqa: F401
from runnel.ops.reduce.approximate_top_k import approx_top_k as approx_top_k
from runnel.ops.reduce.argmax import argmax as argmax
from runnel.ops.reduce.argmax import argmin as argmin
from runnel.ops.reduce.counting import histogram_fixed_width as histogram_fixed_width
from runnel.ops.reduce.counting import histogram_fixed_width_bins as histogram_fixed_width_bins
from runnel.ops.reduce.cumulative import cumsum as cumsum
from runnel.ops.reduce.ordering import argsort as argsort
from runnel.ops.reduce.ordering import reverse as reverse
from runnel.ops.reduce.ordering import reverse_sequence as reverse_sequence
from runnel.ops.reduce.ordering import roll as roll
from runnel.ops.reduce.ordering import searchsorted as searchsorted
from runnel.ops.reduce.ordering import sort as sort
from runnel.ops.reduce.reductions import reduce_all as reduce_all
from runnel.ops.reduce.reductions import reduce_any as reduce_any
from runnel.ops.reduce.reductions import reduce_max as reduce_max
from runnel.ops.reduce.reductions import reduce_mean as reduce_mean
from runnel.ops.reduce.reductions import reduce_min as reduce_min
from runnel.ops.reduce.reductions import reduce_prod as reduce_prod
from runnel.ops.reduce.reductions import reduce_sum as reduce_sum
from runnel.ops.reduce.statistics import reduce_logsumexp as reduce_logsumexp
from runnel.ops.reduce.uniqueness import unique as unique
from runnel.ops.reduce.uniqueness import unique_with_counts as unique_with_counts
from runnel.ops.resources import tensor_lists as _tensor_lists  # noqa: F401
from runnel.ops.resources import training as _training  # noqa: F401
from runnel.ops.resources import variables as _resource_variables  # noqa: F401
from runnel.ops.resources.tensor_array import TensorArray as TensorArray
from runnel.ops.resources.tensor_array import TensorArraySpec as TensorArraySpec
from runnel.ops.sparse.edit_distance import edit_distance as edit_distance
from runnel.ops.strings.fingerprinting import fingerprint as fingerprint
from runnel.ops.strings.numbers import as_string as as_string

_collect_again()
newaxis = None
__version__ = "2.21.0"
__git_version__ = version.GIT_VERSION
__compiler_version__ = version.COMPILER_VERSION
__cxx11_abi_flag__ = sysconfig.CXX11_ABI_FLAG
__cxx_version__ = sysconfig.CXX_VERSION
__monolithic_build__ = sysconfig.MONOLITHIC_BUILD


if _typing.TYPE_CHECKING:  # loaded when they are first asked for, see below
    from runnel import __internal__ as __internal__
    from runnel import distribute as distribute
    from runnel import experimental as experimental
    from runnel import keras as keras
    from runnel import saved_model as saved_model
    from runnel import test as test
    from runnel import tpu as tpu
    from runnel.keras import initializers as initializers
    from runnel.keras import losses as losses
    from runnel.keras import metrics as metrics
    from runnel.keras import optimizers as optimizers
else:

    def __getattr__(name):
        """What programs often do without is loaded when asked for; what is absent is explained."""
        if name in _LATE:
            return importlib.import_module(f"runnel.{_LATE[name]}")
        if name.startswith("__"):
            raise AttributeError(f"module 'runnel' has no attribute {name!r}")
        raise AttributeError(_explanation(name, [*globals(), *_LATE]), name=name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})


def load_ipython_extension(shell: object) -> None:
    """`%load_ext runnel` in a notebook: from then on `import tensorflow` is Runnel."""
    importlib.import_module("runnel.compat.door").open_door()


_LATE = {
    **{name: name for name in ("__internal__", "distribute", "experimental", "feature_column")},
    **{name: name for name in ("keras", "saved_model", "test", "tpu")},
    **{name: f"keras.{name}" for name in ("initializers", "losses", "metrics", "optimizers")},
}

_explain_missing(_sys.modules[__name__])
_show_trimmed()
