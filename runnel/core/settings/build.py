"""What programs ask of the version and the build."""

from __future__ import annotations

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
