"""The public functions that make such operations: `tf.cond`, `tf.while_loop`, `tf.map_fn`."""

from runnel.core.gradients import gradient_tape
from runnel.graph.functions.recurring import recurring

gradient_tape.recurring = recurring
