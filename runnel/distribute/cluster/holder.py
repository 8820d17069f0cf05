"""The program that holds a coordinator for processes which no launcher started.

It ends when the last of them has; or if none came.
"""

from __future__ import annotations

import json
import sys

from runnel.distribute.cluster.coordinator import Coordinator


def main() -> None:
    address, names, heartbeat, patience = json.loads(sys.argv[1])
    try:
        coordinator = Coordinator(address, names, heartbeat)
    except (OSError, ValueError) as error:
        print(error, flush=True)
        return
    print("ready", flush=True)
    coordinator.done.wait(None if coordinator.met.wait(patience) else 0)
    coordinator.close()


if __name__ == "__main__":
    main()
