"""`tf.random.experimental`: other names of the same, and shuffles that a seed decides."""

from runnel.kernels.random.seeds import Algorithm as Algorithm
from runnel.ops.random.generator import Generator as Generator
from runnel.ops.random.generator import create_rng_state as create_rng_state
from runnel.ops.random.generator import get_global_generator as get_global_generator
from runnel.ops.random.generator import set_global_generator as set_global_generator
from runnel.ops.random.seeded_numbers import fold_in as stateless_fold_in
from runnel.ops.random.seeded_numbers import index_shuffle as index_shuffle
from runnel.ops.random.seeded_numbers import split as stateless_split
from runnel.ops.random.seeded_numbers import stateless_shuffle as stateless_shuffle

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "index_shuffle",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]
