"""What a system costs before it does anything, measured in a fresh process: `startup.py SYSTEM`.

Prints the seconds of the import and of the import with a first op, the memory after each, and the
size on disk of the installed packages (the one that is imported and all that it requires).
"""

import json
import re
import resource
import sys
from importlib import import_module, metadata
from pathlib import Path
from time import perf_counter
from typing import Any

MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


def memory() -> int:
    """The most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * MAXRSS_UNIT


def distributions(names: list[str]) -> list[metadata.Distribution]:
    """The named distributions and those they require, extras left out."""
    found: dict[str, metadata.Distribution] = {}
    while names:
        name = names.pop().lower()
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # required on another platform or Python only
            continue
        if name not in found:
            found[name] = distribution
            required = [line for line in distribution.requires or () if "extra ==" not in line]
            names += [re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in required]
    return list(found.values())


def installed_size(module: str) -> int:
    """Bytes on disk of everything that must be installed to import `module`."""
    owners = metadata.packages_distributions().get(module, [module])
    owned = {Path(p.locate()) for d in distributions([*owners]) for p in d.files or ()}
    # An editable install lists only a pointer to the sources.
    package = Path(import_module(module).__file__ or "").parent
    return sum(path.stat().st_size for path in owned | {*package.rglob("*")} if path.is_file())


def main() -> None:
    system = sys.argv[1]
    facts: dict[str, Any] = {}
    start = perf_counter()
    tf = import_module(system)
    facts["import"] = perf_counter() - start
    facts["memory after import"] = memory()
    (tf.ones([8]) + 1.0).numpy()
    facts["import and a first op"] = perf_counter() - start
    facts["memory after a first op"] = memory()
    facts["size installed"] = installed_size(system)
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
