"""`tf.__internal__.distribute`: what training loops need of strategies."""

from runnel.distribute.contexts import many_replicas as many_replicas
from runnel.distribute.contexts import once as once
from runnel.distribute.datasets import divided as divided
