"""Graphs as messages: `tf.graph_util`."""

from runnel.graph.graphdef.importing import import_graph_def as import_graph_def
