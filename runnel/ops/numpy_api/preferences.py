"""What `experimental_enable_numpy_behavior` was called with."""

from __future__ import annotations


class Preferences:
    """One for the process: TensorFlow's switch is global too."""

    prefer_float32 = False
    mode = "off"

    @classmethod
    def promotes_weakly(cls) -> bool:
        """Whether Python's numbers are weak tensors of 32 bits, see `lattice.py`."""
        return cls.mode in ("safe", "all")
