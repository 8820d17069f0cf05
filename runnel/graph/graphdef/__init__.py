"""Graphs as TensorFlow's messages, and back."""

from runnel.graph.build import messages
from runnel.graph.graphdef.export import graph_def, node_def
from runnel.graph.graphdef.importing import create_operation
from runnel.graph.graphdef.op_defs import declaration, op_def

messages.op_def, messages.declaration = op_def, declaration
messages.node_def, messages.graph_def = node_def, graph_def
messages.create_operation = create_operation
