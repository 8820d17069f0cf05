"""What saving in checkpoints needs."""

from runnel.train.files.checkpoint_state import write_state as update_checkpoint_state  # noqa: F401
