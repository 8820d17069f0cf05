"""`tf.__internal__.graphs`: building a plain graph and running ops at once, for libraries."""

from runnel.graph.functions.session_variable import SessionVariable as SessionVariable
from runnel.graph.functions.session_variable import at_home as at_home
from runnel.graph.functions.session_variable import at_once as at_once
from runnel.graph.functions.session_variable import builds_graph as builds_graph
from runnel.graph.functions.session_variable import outside_graph as outside_graph
from runnel.graph.run.effects import share_states as share_states
