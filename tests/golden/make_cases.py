"""Ask TensorFlow for the answers to the programs in `cases_*.py` (run with TensorFlow's Python).

python tests/golden/make_cases.py                # all
python tests/golden/make_cases.py gradient_tape  # some
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import tensorflow as tf

from tests.golden.cases import HERE, record

subjects = [path.stem.removeprefix("cases_") for path in sorted(HERE.glob("cases_*.py"))]
for subject in sys.argv[1:] or subjects:
    record(subject, tf)
