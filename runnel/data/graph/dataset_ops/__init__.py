"""TensorFlow's ops for datasets: how our nodes stand in a SavedModel, and the way back."""

from runnel.data.graph.dataset_ops import consuming as consuming
from runnel.data.graph.dataset_ops import descriptions as descriptions
from runnel.data.graph.dataset_ops import files as files
from runnel.data.graph.dataset_ops import functions as functions
from runnel.data.graph.dataset_ops import handles as handles
from runnel.data.graph.dataset_ops import keeping as keeping
from runnel.data.graph.dataset_ops import older as older
from runnel.data.graph.dataset_ops import settings as settings
from runnel.data.graph.dataset_ops import sources as sources
from runnel.data.graph.dataset_ops import steps as steps
from runnel.data.graph.dataset_ops import variants as variants
