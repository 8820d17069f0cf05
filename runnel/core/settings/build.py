"""What programs ask of the version and the build."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any

VERSION = "2.21.0"
"""The release of TensorFlow whose behaviour is followed."""
RUNNEL = "0.1.0"
"""The release of Runnel."""
GIT_VERSION = f"v{VERSION}"
COMPILER_VERSION = "none"
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

CXX11_ABI_FLAG = 1
CXX_VERSION = 201703
MONOLITHIC_BUILD = 0

_horizons = [date(2026, 1, 16)]  # the day of that release; the innermost `with` block's last


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether others may be counted on to know what was new on a day.

    >>> tf.compat.forward_compatible(2020, 1, 1)
    True
    """
    return _horizon() > date(year, month, day)


def _horizon() -> date:
    days = int(os.environ.get("TF_FORWARD_COMPATIBILITY_DELTA_DAYS") or 0)
    return _horizons[-1] + timedelta(days if len(_horizons) == 1 else 0)


@contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Count on what was there before a day, inside of a `with` block: for tests of such branches.

    >>> with tf.compat.forward_compatibility_horizon(2018, 8, 2):
    ...     tf.compat.forward_compatible(2018, 8, 1), tf.compat.forward_compatible(2018, 8, 2)
    (True, False)
    """
    _horizons.append(date(year, month, day))
    try:
        yield
    finally:
        _horizons.pop()


def get_build_info() -> dict[str, Any]:
    """How the library was built: from Python alone."""
    return {"is_cuda_build": False, "is_rocm_build": False, "is_tensorrt_build": False}


def get_compile_flags() -> list[str]:
    """Not supported: there is no C++ interface to compile against."""
    raise NotImplementedError("tf.sysconfig.get_compile_flags: there are no C++ headers.")


def get_include() -> str:
    """Not supported: there is no C++ interface to compile against."""
    raise NotImplementedError("tf.sysconfig.get_include: there are no C++ headers.")


def get_lib() -> str:
    """Not supported: there is no C++ library to link with."""
    raise NotImplementedError("tf.sysconfig.get_lib: there is no C++ library.")


def get_link_flags() -> list[str]:
    """Not supported: there is no C++ library to link with."""
    raise NotImplementedError("tf.sysconfig.get_link_flags: there is no C++ library.")
