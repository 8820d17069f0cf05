"""Graphs, operations and ops as messages: `graphdef/` knows how, and says so here when it loads.

It builds graphs itself, so those who build them cannot import it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runnel.core.op.op import Op
    from runnel.graph.build.operation import Operation

op_def: Callable[[str], Any]  # of the op of a name, an `OpDef`
declaration: Callable[[Op], Any]
node_def: Callable[[Operation], Any]
graph_def: Callable[..., Any]
create_operation: Callable[..., Operation]  # in a graph, from the name of an op and `AttrValue`s
