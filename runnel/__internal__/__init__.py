"""`tf.__internal__`: what libraries on top of TensorFlow, such as Keras, need of its machinery."""

from typing import Any

from runnel.__internal__ import arguments as arguments
from runnel.__internal__ import autograph as autograph
from runnel.__internal__ import data as data
from runnel.__internal__ import dispatch as dispatch
from runnel.__internal__ import distribute as distribute
from runnel.__internal__ import files as files
from runnel.__internal__ import graphs as graphs
from runnel.__internal__ import nest as nest
from runnel.__internal__ import progress as progress
from runnel.__internal__ import saved_model as saved_model
from runnel.__internal__ import tracebacks as tracebacks
from runnel.__internal__ import tracking as tracking
from runnel.__internal__ import train as train
from runnel.__internal__.late import find as _find
from runnel.core.settings.absent import explain_missing as explain_missing
from runnel.core.settings.scopes import innermost_graph as innermost_graph
from runnel.core.values import type_spec as type_spec
from runnel.graph.build.func_graph import FuncGraph as FuncGraph


def __getattr__(name: str) -> Any:
    return _find("", name)
