"""`tf.keras.__internal__.optimizers`: optimizers of one kind as those of the other."""

from typing import Any

from runnel.keras.optimizers import legacy
from runnel.keras.optimizers.names import older_name

_GONE = (
    "weight_decay use_ema ema_momentum ema_overwrite_frequency jit_compile is_legacy_optimizer "
    "clipnorm clipvalue global_clipnorm"
).split()


def convert_to_legacy_optimizer(optimizer: Any) -> Any:
    """The optimizer of `tf.keras.optimizers.legacy` with the same settings."""
    if isinstance(optimizer, legacy.Optimizer):
        return optimizer
    config = optimizer.get_config()
    kept = {key: value for key, value in config.items() if key not in _GONE}
    clipping = {key: config[key] for key in ("clipnorm", "clipvalue", "global_clipnorm")}
    kept |= {key: value for key, value in clipping.items() if value is not None}
    found = getattr(legacy, type(optimizer).__name__, None)
    if found is None:
        raise ValueError(
            f"convert_to_legacy_optimizer: there is no older {older_name(optimizer)!r}."
        )
    return found.from_config(kept)
