"""Have Keras 3 write small models, and what they predict (it comes with TensorFlow's Python)."""

import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import keras
import numpy as np

from tests.golden.keras3_models import INPUTS, LABELS, MODELS, OPTIMIZERS

HERE = Path(__file__).parent / "keras3_files"
HERE.mkdir(exist_ok=True)
answers = {}
for name, make in MODELS.items():
    keras.utils.clear_session()
    keras.utils.set_random_seed(3)
    model = make(keras)
    loss = keras.losses.SparseCategoricalCrossentropy()
    model.compile(OPTIMIZERS[name], loss, metrics=["accuracy"])
    model.fit(INPUTS[name], LABELS, epochs=2, batch_size=2, verbose=0)
    model.save(HERE / f"{name}.keras")
    model.save_weights(HERE / f"{name}.weights.h5")
    answers[name] = model.predict(INPUTS[name], verbose=0)
    if name == "mlp":
        model.save(HERE / "mlp.h5")
np.savez(HERE / "predictions.npz", **answers)
