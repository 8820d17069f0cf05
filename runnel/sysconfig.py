"""`tf.sysconfig`."""

from runnel.core.settings.build import CXX11_ABI_FLAG as CXX11_ABI_FLAG
from runnel.core.settings.build import CXX_VERSION as CXX_VERSION
from runnel.core.settings.build import MONOLITHIC_BUILD as MONOLITHIC_BUILD
from runnel.core.settings.build import get_build_info as get_build_info
from runnel.core.settings.build import get_compile_flags as get_compile_flags
from runnel.core.settings.build import get_include as get_include
from runnel.core.settings.build import get_lib as get_lib
from runnel.core.settings.build import get_link_flags as get_link_flags
