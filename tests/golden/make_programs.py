"""Ask TensorFlow what the programs of `tests/programs/` give (run with TensorFlow's Python).

python tests/golden/make_programs.py           # all
python tests/golden/make_programs.py unet      # some
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from tests.golden.programs import PROGRAMS, record

for name in sys.argv[1:] or PROGRAMS:
    record(name)
    print(name)
