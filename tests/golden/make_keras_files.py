"""Have tf_keras write small models, and what they predict (run with TensorFlow's Python).

python tests/golden/make_keras_files.py          # all
python tests/golden/make_keras_files.py nested   # some
"""

import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import numpy as np
import tensorflow as tf

from tests.golden.keras_models import INPUTS, MODELS, fitted

warnings.simplefilter("ignore")
HERE = Path(__file__).parent / "keras_files"
HERE.mkdir(exist_ok=True)
answers = dict(np.load(HERE / "predictions.npz")) if sys.argv[1:] else {}
for name in sys.argv[1:] or MODELS:
    tf.keras.backend.clear_session()
    model = fitted(tf, MODELS[name](tf), name)
    model.save(HERE / f"{name}.keras")
    model.save(HERE / f"{name}.h5", save_format="h5")
    model.save_weights(HERE / f"{name}.weights.h5")
    model.save_weights(str(HERE / f"{name}_checkpoint"))
    answers[name] = model.predict(INPUTS[name], verbose=0)
(HERE / "checkpoint").unlink(missing_ok=True)
np.savez(HERE / "predictions.npz", **answers)
