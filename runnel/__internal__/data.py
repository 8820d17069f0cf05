"""`tf.__internal__.data`: what training loops need beside datasets."""

from runnel.data.nodes.random_numbers import permutations as permutations
