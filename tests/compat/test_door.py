"""Programs that import tensorflow: ways in, names behind the door, and what is not there."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import runnel as tf
from runnel.compat import command_line, internal_names
from runnel.compat.facades import resolve
from tests import children

ROOT = Path(__file__).parents[2]

# What a statement binds to `x`, and what it is.
FOUND = """
import tensorflow as x                                             | tf
import tensorflow.compat.v2 as x                                   | tf
from tensorflow import keras as x                                  | tf.keras
import tensorflow.compat.v2.keras as x                             | tf.keras
from tensorflow.compat.v2.python.ops.math_ops import reduce_sum as x | tf.reduce_sum
import tensorflow.keras.layers as x                                | tf.keras.layers
from tensorflow.keras.layers import Dense as x                     | tf.keras.layers.Dense
from tensorflow.keras.preprocessing.image import ImageDataGenerator as x | tf.keras.preprocessing.image.ImageDataGenerator
import tensorflow.keras.layers.experimental.preprocessing as x     | tf.keras.layers.experimental.preprocessing
import tensorflow._api.v2.math as x                                | tf.math
from tensorflow.raw_ops import AddV2 as x                          | tf.raw_ops.AddV2
from tensorflow.python.keras.layers import Dense as x              | tf.keras.layers.Dense
from tensorflow.python.keras.utils import data_utils as m; x = m.get_file | tf.keras.utils.get_file
from tf_keras.src.export import export_lib as m; x = m.ExportArchive | tf.keras.export.ExportArchive
from tensorflow.python.keras.layers.core import Dense as x         | tf.keras.layers.Dense
from tensorflow.python.keras.engine.training import Model as x     | tf.keras.Model
from tensorflow.python.framework.ops import Tensor as x            | tf.Tensor
from tensorflow.python.framework.dtypes import float32 as x        | tf.float32
from tensorflow.python.util.tf_inspect import signature as x        | inspect.signature
from tensorflow.python.ops.math_ops import reduce_sum as x         | tf.reduce_sum
from tensorflow.python.util.nest import map_structure as x         | tf.nest.map_structure
from tensorflow.keras.saving.saved_model.load_context import get_load_options as x | loading.get_load_options
import tensorflow.compat.v1.logging as x                           | tf.compat.v1.logging
from tensorflow.python.ops.init_ops import Zeros as x              | tf.compat.v1.zeros_initializer
import tensorflow_core as x                                        | tf
import tf_keras as x                                               | tf.keras
from tf_keras.src.engine.base_layer import Layer as x              | tf.keras.layers.Layer
from tf_keras.src.utils.np_utils import to_categorical as x        | tf.keras.utils.to_categorical
from tf_keras.optimizers.legacy import Adam as x                   | tf.keras.optimizers.legacy.Adam
import keras as x                                                  | tf.keras
from keras.layers.core import Dense as x                           | tf.keras.layers.Dense
from keras.engine.topology import Layer as x                       | tf.keras.layers.Layer
"""
# What a statement raises, and what the message says.
ABSENT = """
import tensorflow.lite                                | ModuleNotFoundError | Save with `tf.saved_model.save`
from tensorflow import lite                           | ModuleNotFoundError | Save with `tf.saved_model.save`
import tensorflow as tf; tf.tpu.experimental.initialize_tpu_system() | NotImplementedError | JAX finds TPUs by itself
import tensorflow as tf; tf.reduce_sums               | AttributeError      | Did you mean tf.reduce_sum?
from tensorflow.keras.layers import Dens              | ImportError         | Did you mean tf.keras.layers.Dense?
import tensorflow.keras.Model                         | ModuleNotFoundError | from tensorflow.keras import Model
from tensorflow.python.ops.math_ops import nothing    | ImportError         | no tensorflow.python.ops.math_ops.nothing
import tensorflow.python.nothing                      | ModuleNotFoundError | internal to TensorFlow
import tensorflow.contrib.slim                        | ModuleNotFoundError | gone from TensorFlow 2 too
import tensorflow.backend.jax                          | ModuleNotFoundError | There is no tf.backend
from tensorflow.core.framework.graph_pb2 import Graf  | ImportError         | graph_pb2.Graf
"""
STATEMENTS = """
import inspect, sys
from runnel.compat.door import open_door
open_door(keras=True)
import runnel as ours
from runnel.compat.libraries import registering as loading
for line in sys.argv[1].strip().splitlines():
    statement, *expected = [part.strip() for part in line.split("|")]
    names = {}
    try:
        exec(statement, names)
    except Exception as error:
        kinds = [c.__name__ for c in type(error).__mro__]
        good = len(expected) == 2 and expected[0] in kinds and expected[1] in str(error)
        found = f"{kinds[0]}: {error}"
    else:
        found = names.get("x")
        known = {"tf": ours, "inspect": inspect, "loading": loading}
        good = len(expected) == 1 and found is eval(expected[0], known)
    if not good:
        print(statement, "->", found)
"""


@pytest.mark.parametrize("table", [FOUND, ABSENT], ids=["found", "absent"])
def test_names_behind_the_door(table: str) -> None:
    done = children.run(STATEMENTS, table, check=True)
    assert not done.stdout, done.stdout


# Paths of the table that lead nowhere, by their beginnings: namespaces that are not there yet.
NOT_YET = ("__internal__.", "distribute.", "feature_column.", "mlir.", "profiler.", "test.", "tpu.")
NOT_YET += ("types.experimental.", "xla.", "compat.v1.")


def test_internal_names_are_public_objects() -> None:
    rows = {
        f"{module}.{name}": path
        for module, names in internal_names.table().items()
        for name, path in names.items()
    }
    wrong = []
    for name, path in rows.items():
        try:
            resolve(path)
        except AttributeError:
            wrong += [] if path.startswith(NOT_YET) else [f"{name}: {path}"]
    assert len(rows) > 1400 and not wrong, wrong


MESSAGES = """
import runnel.as_tensorflow
from tensorflow.core.framework.graph_pb2 import GraphDef
from tensorflow.python.ops.gen_math_ops import mat_mul
import importlib.metadata, tensorflow as tf
print(GraphDef().node.add(name="a").name, mat_mul([[2.0]], [[3.0]], transpose_a=True).numpy())
print(importlib.metadata.version("tensorflow"), importlib.metadata.version("tensorflow_cpu"))
print(tf.version.RUNNEL == importlib.import_module("runnel").version.RUNNEL, tf.__spec__.name)
"""


def test_messages_raw_ops_and_metadata() -> None:
    done = children.run(MESSAGES, check=True)
    assert done.stdout.splitlines() == ["a [[6.]]", "2.21.0 2.21.0", "True runnel"]


def ran(*command: str, **options: object) -> subprocess.CompletedProcess[str]:
    whole = [sys.executable, "-m", "runnel", *command]
    return subprocess.run(whole, capture_output=True, text=True, timeout=120, **options)  # type: ignore[call-overload]


def test_a_program_is_run_as_python_would(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("import tensorflow as tf\nvalue = tf.constant([1, 2])\n")
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, keras, beside\n"
        "if __name__ == '__main__':\n"
        "    print(sys.argv[1:], __file__, beside.value.numpy(), keras.layers.Dense.__name__)\n"
        "    sys.exit(3)\n"
    )
    done = ran("--keras", str(program), "-m", "x")
    assert done.stdout.split() == ["['-m',", "'x']", str(program), "[1", "2]", "Dense"], done.stderr
    assert done.returncode == 3
    done = ran("-m", "beside", "--version", cwd=tmp_path, env=None)
    assert done.returncode == 0 and not done.stdout, done.stderr


def test_a_text_is_run_and_what_is_wrong_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line._split(["--keras", "-c", "text", "-m"]) == (
        ["--keras", "-c", "text"],
        ["-m"],
    )
    for arguments, code, text in [
        (["--version"], 0, f"Runnel {tf.version.RUNNEL} (TensorFlow 2.21.0)"),
        ([], 2, "a script, -m or -c is needed"),
        (["--keros", "x.py"], 2, "--keros"),
    ]:
        with pytest.raises(SystemExit) as ended:
            command_line.main(arguments)
        assert (ended.value.code or 0) == code
        assert text in "".join(capsys.readouterr())


INSTALLED = """
import sys
sys.path.insert(0, sys.argv[1])
try:
    import tensorflow, tf_keras
    print(tensorflow.__name__, tf_keras.__name__)
except ImportError as error:
    print("tensorflow" in sys.modules, "beside the real one" in str(error))
"""


def test_what_is_installed_under_other_names_is_runnel(tmp_path: Path) -> None:
    for folder in ("tensorflow/tensorflow", "tf-keras/tf_keras"):
        shutil.copytree(ROOT / "packages" / folder, tmp_path / folder.rpartition("/")[2])
    assert children.run(INSTALLED, str(tmp_path), check=True).stdout == "runnel runnel.keras\n"
    (tmp_path / "tensorflow" / "python").mkdir()
    assert children.run(INSTALLED, str(tmp_path), check=True).stdout == "False True\n"


EARLIER = """
import sys, types
sys.modules["tensorflow"] = types.ModuleType("tensorflow")
try:
    import runnel.as_tensorflow
except ImportError as error:
    print(error)
"""


def test_another_tensorflow_that_is_loaded_stays() -> None:
    assert "has been imported already" in children.run(EARLIER, check=True).stdout
