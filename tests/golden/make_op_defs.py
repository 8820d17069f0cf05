"""Records how TensorFlow registers its ops, in `op_defs.json`. Run by `make golden`."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
TOOL = HERE.parents[1] / "tools" / "opdef.py"

subprocess.run([sys.executable, TOOL, "--json", HERE / "op_defs.json"], check=True)
