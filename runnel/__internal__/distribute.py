"""`tf.__internal__.distribute`: what training loops need of strategies."""

from typing import Any

from runnel.__internal__.late import find as _find
from runnel.core.files.shared import shared_place as shared_place
from runnel.distribute.cluster.multi_worker import has_processes as has_processes
from runnel.distribute.cluster.multi_worker import own_dataset as own_dataset
from runnel.distribute.cluster.multi_worker import same_seeds as same_seeds
from runnel.distribute.contexts import many_replicas as many_replicas
from runnel.distribute.contexts import once as once
from runnel.distribute.datasets import divided as divided


def __getattr__(name: str) -> Any:
    return _find("distribute", name)
