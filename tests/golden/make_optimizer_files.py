"""Have TensorFlow write a checkpoint of all optimizers (run with TensorFlow's Python)."""

import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import tensorflow as tf

from tests.golden.optimizer_files import FOLDER, write

write(tf, FOLDER)
