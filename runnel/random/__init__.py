"""`tf.random`: random numbers."""

from runnel.kernels.random.seeds import Algorithm as Algorithm
from runnel.ops.random import stateless as _random_stateless  # noqa: F401
from runnel.ops.random import states as _random_states  # noqa: F401
from runnel.ops.random.candidate_sampling import all_candidate_sampler as all_candidate_sampler
from runnel.ops.random.candidate_sampling import (
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
)
from runnel.ops.random.candidate_sampling import (
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
)
from runnel.ops.random.candidate_sampling import (
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
)
from runnel.ops.random.candidate_sampling import (
    uniform_candidate_sampler as uniform_candidate_sampler,
)
from runnel.ops.random.generator import Generator as Generator
from runnel.ops.random.generator import create_rng_state as create_rng_state
from runnel.ops.random.generator import get_global_generator as get_global_generator
from runnel.ops.random.generator import set_global_generator as set_global_generator
from runnel.ops.random.numbers import categorical as categorical
from runnel.ops.random.numbers import gamma as gamma
from runnel.ops.random.numbers import normal as normal
from runnel.ops.random.numbers import poisson as poisson
from runnel.ops.random.numbers import shuffle as shuffle
from runnel.ops.random.numbers import truncated_normal as truncated_normal
from runnel.ops.random.numbers import uniform as uniform
from runnel.ops.random.seeded_numbers import fold_in as fold_in
from runnel.ops.random.seeded_numbers import split as split
from runnel.ops.random.seeded_numbers import stateless_binomial as stateless_binomial
from runnel.ops.random.seeded_numbers import stateless_categorical as stateless_categorical
from runnel.ops.random.seeded_numbers import stateless_gamma as stateless_gamma
from runnel.ops.random.seeded_numbers import stateless_normal as stateless_normal
from runnel.ops.random.seeded_numbers import (
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
)
from runnel.ops.random.seeded_numbers import stateless_poisson as stateless_poisson
from runnel.ops.random.seeded_numbers import (
    stateless_truncated_normal as stateless_truncated_normal,
)
from runnel.ops.random.seeded_numbers import stateless_uniform as stateless_uniform
from runnel.ops.random.seeds import set_seed as set_seed
from runnel.random import experimental as experimental
