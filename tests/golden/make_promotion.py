"""Ask TensorFlow what dtypes promote to (run with TensorFlow's Python).

python tests/golden/make_promotion.py            # both modes, each in a process of its own
"""

import json
import os
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent))

from tests.golden.promotion_programs import MODES, report


def ask(mode: str) -> dict:
    import tensorflow as tf
    from tensorflow.python.framework.weak_tensor import WeakTensor

    return report(tf, mode, WeakTensor.from_tensor)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(ask(sys.argv[1])))
    else:
        for mode in MODES:
            done = subprocess.run([sys.executable, __file__, mode], capture_output=True, text=True)
            answers = json.loads(done.stdout.strip().splitlines()[-1])
            lines = json.dumps(answers, indent=0, separators=(",", ":"))
            (HERE / f"promotion_{mode}.json").write_text(lines + "\n")
