"""What is true of the layer call that is running on this thread."""

from __future__ import annotations

import threading
from typing import Any


class CallContext(threading.local):
    """`training` of the outermost call is passed on to the layers that are called inside."""

    def __init__(self) -> None:
        self.depth = 0
        self.training: Any = None
        self.saving = False
        self.autocast: Any = None  # the dtype that variables are read as
        self.layer: Any = None
        self.symbolic = False  # the graph being built serves only to find shapes


call_context = CallContext()
