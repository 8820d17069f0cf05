"""Ask Keras how its image networks are made: layers and weights, as one hash for each.

Run with TensorFlow's Python:

python tests/golden/make_applications.py          # all
python tests/golden/make_applications.py VGG16    # some
"""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent))

import tensorflow as tf

from tests.golden.networks import NETWORKS, description

ANSWERS = HERE / "applications.json"
known = json.loads(ANSWERS.read_text()) if ANSWERS.exists() else {}
for name in sys.argv[1:] or NETWORKS:
    tf.keras.backend.clear_session()
    function, options = NETWORKS[name]
    known[name] = description(getattr(tf.keras.applications, function)(weights=None, **options))
found = {name: known[name] for name in NETWORKS}
ANSWERS.write_text(json.dumps(found, indent=1) + "\n")
