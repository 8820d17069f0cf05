"""Refuses to be built for an environment that has the real TensorFlow."""

import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NotBesideTheRealOne(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        module = Path(sysconfig.get_paths()["purelib"], self.metadata.name.replace("-", "_"))
        real = [name for name in ("python", "src") if (module / name).exists()]
        if real:
            raise SystemExit(
                f"The real {self.metadata.name} is installed in {module}. Both would lie there: "
                f"uninstall it first, or use `python -m runnel`, which leaves it alone."
            )
