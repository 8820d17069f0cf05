"""`tf.compat.v1.train`: training."""

from runnel.compat.v1.table import finder, listing
from runnel.v1.train.decays import cosine_decay as cosine_decay
from runnel.v1.train.decays import exponential_decay as exponential_decay
from runnel.v1.train.decays import inverse_time_decay as inverse_time_decay
from runnel.v1.train.decays import natural_exp_decay as natural_exp_decay
from runnel.v1.train.decays import piecewise_constant as piecewise_constant
from runnel.v1.train.decays import polynomial_decay as polynomial_decay
from runnel.v1.train.from_checkpoint import init_from_checkpoint as init_from_checkpoint
from runnel.v1.train.global_step import assert_global_step as assert_global_step
from runnel.v1.train.global_step import create_global_step as create_global_step
from runnel.v1.train.global_step import get_global_step as get_global_step
from runnel.v1.train.global_step import get_or_create_global_step as get_or_create_global_step
from runnel.v1.train.global_step import global_step as global_step
from runnel.v1.train.meta_graphs import export_meta_graph as export_meta_graph
from runnel.v1.train.optimizer import Optimizer as Optimizer
from runnel.v1.train.optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from runnel.v1.train.optimizers import AdagradOptimizer as AdagradOptimizer
from runnel.v1.train.optimizers import AdamOptimizer as AdamOptimizer
from runnel.v1.train.optimizers import FtrlOptimizer as FtrlOptimizer
from runnel.v1.train.optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from runnel.v1.train.optimizers import MomentumOptimizer as MomentumOptimizer
from runnel.v1.train.optimizers import RMSPropOptimizer as RMSPropOptimizer
from runnel.v1.train.saver import Saver as Saver
from runnel.v1.train.saver import import_meta_graph as import_meta_graph

__getattr__ = finder("train")


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("train")})
