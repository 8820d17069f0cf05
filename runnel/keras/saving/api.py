"""`save_model`, `load_model` and their like: which format a path means."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import runnel as tf
from runnel.keras.engine.graph_mode import at_once
from .files import archive, hdf5, hdf5_weights, saved_model
from .files.untrusted import reading
from .serialization import SafeModeScope

if TYPE_CHECKING:
    from runnel.keras.engine.models.model import Model

_trimmed = tf.__internal__.tracebacks.trimmed
_tells = tf.__internal__.progress.tells
_shared_place = tf.__internal__.distribute.shared_place
_user_level = tf.__internal__.tracebacks.user_level


@_trimmed
@at_once
@_tells("Saving", 1)
def save_model(
    model: Any, filepath: Any, overwrite: bool = True, save_format: str | None = None, **kwargs: Any
) -> None:
    """Write a model: `.keras` (a zip), `.h5` (HDF5), or else a SavedModel folder.

    >>> import tempfile, os
    >>> model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.keras")
    >>> tf.keras.models.save_model(model, path)
    >>> tf.keras.models.load_model(path).count_params()
    3
    """
    path = os.fspath(filepath)
    chosen = _format(path, save_format)
    if tf.io.gfile.exists(path) and not overwrite and not may_overwrite(path):
        return
    if chosen == "keras":
        if not path.endswith(".keras"):
            raise ValueError(
                "save_model: `filepath` must end with .keras in the native Keras format, got "
                f"{path}. Give it this ending, or another `save_format`."
            )
        if kwargs:
            raise ValueError(
                "The following argument(s) are not supported with the native Keras format: "
                f"{list(kwargs)}"
            )
        with _shared_place(path) as place:
            archive.save(model, place)
    elif chosen == "h5":
        _warn_of_old_format()
        with _shared_place(path) as place:
            hdf5.save(model, place, **_hdf5_options(kwargs))
    else:
        saved_model.save(model, path, **kwargs)


def may_overwrite(path: str) -> bool:
    """Ask at the terminal whether a file may be replaced."""
    try:
        answer = input(f"[WARNING] {path} already exists - overwrite? [y/n]").strip().lower()
        while answer not in ("y", "n"):
            answer = input('Enter "y" (overwrite) or "n" (cancel).').strip().lower()
    except EOFError:  # nobody is there
        raise FileExistsError(f"{path} exists; pass overwrite=True to replace it.") from None
    return answer == "y"


def _hdf5_options(kwargs: dict[str, Any]) -> dict[str, Any]:
    folder = {"signatures", "options", "save_traces"}  # of SavedModels, which share the call
    unknown = sorted(set(kwargs) - folder - {"include_optimizer"})
    if unknown:
        raise TypeError(f"save_model() got unexpected keyword arguments: {unknown}")
    return {"include_optimizer": kwargs.get("include_optimizer", True)}


def _warn_of_old_format() -> None:
    warnings.warn(
        "You are saving your model as an HDF5 file via `model.save()`. This file format is "
        "considered legacy. We recommend using instead the native TF-Keras format, e.g. "
        "`model.save('my_model.keras')`.",
        stacklevel=_user_level(),
    )


def _format(path: str, save_format: str | None) -> str:
    if save_format is not None and str(save_format):
        names = {"keras": "keras", "keras_v3": "keras", "h5": "h5", "hdf5": "h5", "tf": "tf"}
        chosen = names.get(str(save_format).lower().replace("tensorflow", "tf"))
        if chosen is None:
            raise ValueError(f"Unknown `save_format`: {save_format!r}. Use 'keras', 'h5' or 'tf'.")
        return chosen
    if path.endswith(".keras"):
        return "keras"
    return "h5" if path.endswith((".h5", ".hdf5")) else "tf"


@_trimmed
@at_once
@_tells("Loading")
def load_model(
    filepath: Any,
    custom_objects: Any = None,
    compile: bool = True,
    safe_mode: bool = True,
    **kwargs: Any,
) -> Model:
    """Read a model that `save_model` wrote, here or in TensorFlow.

    Args:
        filepath: a `.keras` or `.h5` file, or the folder of a SavedModel.
        custom_objects: classes and functions by the names that the file knows them by.
        compile: whether the model is compiled as it was when it was saved.
        safe_mode: whether code of Python in the file, as in a `Lambda` layer, is refused.

    Raises:
        OSError: there is no such file, or it is damaged.
        ValueError: a class is unknown, or the file holds code and `safe_mode` is on.
    """
    path = os.fspath(filepath)
    if archive.is_archive(path):
        if kwargs:
            raise ValueError(
                "The following argument(s) are not supported with the native Keras format: "
                f"{list(kwargs)}"
            )
        with reading(path):
            return archive.load(
                path, custom_objects=custom_objects, compile=compile, safe_mode=safe_mode
            )
    if hdf5_weights.is_hdf5(path):
        unknown = sorted(set(kwargs) - {"options"})
        if unknown:
            raise TypeError(f"load_model() got unexpected keyword arguments: {unknown}")
        with SafeModeScope(safe_mode), reading(path):
            return hdf5.load(path, custom_objects=custom_objects, compile=compile)
    if not tf.io.gfile.exists(path):
        raise OSError(f"No file or directory found at {path}")
    if path.endswith((".keras", ".h5", ".hdf5")) and not tf.io.gfile.isdir(path):
        raise OSError(f"Unable to open file {path}: it is not a Keras file, or cut short.")
    if tf.io.gfile.isdir(path):
        with SafeModeScope(safe_mode):
            return saved_model.load(path, custom_objects=custom_objects, compile=compile, **kwargs)
    raise OSError(f"Unable to load model: {path} is neither a `.keras` nor an HDF5 file.")


@_trimmed
@at_once
def save_weights(
    model: Any,
    filepath: Any,
    overwrite: bool = True,
    save_format: str | None = None,
    options: Any = None,
) -> None:
    """Write the weights of a model to a file or a checkpoint."""
    path = os.fspath(filepath)
    chosen = _weights_format(path, save_format)
    exists = tf.io.gfile.exists(path if chosen != "tf" else f"{path}.index")
    if exists and not overwrite and not may_overwrite(path):
        return
    if chosen == "archive":
        with _shared_place(path) as place:
            archive.save_weights(model, place)
    elif chosen == "h5":
        with _shared_place(path) as place:
            hdf5_weights.save_file(model, place)
    else:
        model._assert_weights_created()
        checkpoint = tf.train.Checkpoint(root=model)
        checkpoint.write(path, options=options)
        folder = os.path.dirname(path)  # `tf.train.latest_checkpoint` finds it there
        tf.__internal__.train.update_checkpoint_state(folder, path, [path])


def _weights_format(path: str, save_format: str | None) -> str:
    looks_like_hdf5 = path.endswith((".h5", ".hdf5", ".keras"))
    if path.endswith(".weights.h5"):
        return "archive"
    if save_format is None:
        return "h5" if looks_like_hdf5 else "tf"
    chosen = {"h5": "h5", "hdf5": "h5", "tf": "tf", "tensorflow": "tf"}.get(
        str(save_format).lower()
    )
    if chosen is None:
        raise ValueError(f"Unknown `save_format`: {save_format!r}. Use 'tf' or 'h5'.")
    if chosen == "tf" and looks_like_hdf5:
        raise ValueError(
            f"save_weights got save_format={save_format!r}, but the path {path} looks like an HDF5 "
            "file. Leave its ending out to write a checkpoint."
        )
    return chosen


@_trimmed
@at_once
@_tells("Loading", 1)
def load_weights(
    model: Any,
    filepath: Any,
    skip_mismatch: bool = False,
    by_name: bool = False,
    options: Any = None,
) -> Any:
    """Read the weights of a model from a file or a checkpoint."""
    path = os.fspath(filepath)
    status = None
    if archive.is_archive(path) or (path.endswith(".weights.h5") and hdf5_weights.is_hdf5(path)):
        if by_name:
            raise ValueError("`by_name` is only supported for legacy HDF5 weight files.")
        with reading(path):
            archive.load_weights(model, path, skip_mismatch=skip_mismatch)
    elif hdf5_weights.is_hdf5(path):
        with reading(path):
            hdf5_weights.load_file(model, path, by_name=by_name, skip_mismatch=skip_mismatch)
    else:
        status = _load_checkpoint(model, path, by_name or skip_mismatch, options)
    for layer in model._flatten_layers(include_self=False):
        layer.finalize_state()
    return status


def _load_checkpoint(model: Any, path: str, selected: bool, options: Any) -> Any:
    if selected:
        raise NotImplementedError(
            "Weights may only be loaded based on topology into Models when loading "
            "TensorFlow-formatted weights."
        )
    if tf.saved_model.contains_saved_model(path):
        folder = tf.__internal__.saved_model.content_folder(path)
        path = os.path.join(folder, "variables", "variables")
    if not tf.io.gfile.exists(path + ".index"):
        if tf.io.gfile.exists(path):
            raise OSError(f"Unable to open file {path}: it holds no weights, or is damaged.")
        if path.endswith((".h5", ".hdf5", ".keras")):
            raise FileNotFoundError(f"Unable to open file: {path} does not exist.")
        raise tf.errors.NotFoundError(
            None, None, f"No weights found at {path}: neither a file nor a checkpoint."
        )
    status: Any = tf.train.Checkpoint(root=model).read(path, options=options)
    return status.assert_nontrivial_match()
