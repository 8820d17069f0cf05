"""Write TensorFlow's public names and parameters to `docs/reference/tensorflow.json`.

Run with TensorFlow's Python: TF_USE_LEGACY_KERAS=1 python tools/site/record_api.py
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
sys.path.insert(0, str(Path(__file__).parent))

from public_api import methods, modules, names, parameters

PATH = Path(__file__).parents[2] / "docs" / "reference" / "tensorflow.json"


def main() -> None:
    import tensorflow as tf

    symbols: dict[str, str] = {}
    classes: dict[str, dict[str, str]] = {}
    for path, module in modules(tf):
        for name in names(module):
            value = getattr(module, name)
            symbols[f"{path}.{name}"] = parameters(value) if callable(value) else ""
            if inspect.isclass(value):
                found = {n: parameters(m) for n, m in methods(value).items()}
                classes[f"{path}.{name}"] = found
    recorded = {"tensorflow": tf.__version__, "symbols": symbols, "methods": classes}
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(json.dumps(recorded, indent=0, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
