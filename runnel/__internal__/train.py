"""What saving in checkpoints needs."""

from runnel.train.checkpoint_state import write_state as update_checkpoint_state  # noqa: F401
