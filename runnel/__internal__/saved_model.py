"""`tf.__internal__.saved_model`: what libraries write beside a SavedModel."""

from typing import Any

from runnel.__internal__.late import find as _find
from runnel.core.files.folders import content_folder as content_folder
from runnel.saved_model.keras_metadata import KerasNode as KerasNode
from runnel.saved_model.keras_metadata import read_keras_metadata as read_keras_metadata
from runnel.saved_model.keras_metadata import write_keras_metadata as write_keras_metadata
from runnel.saved_model.reading.load import load_and_return_nodes as load_and_return_nodes
from runnel.saved_model.writing.save import replace_model as replace_model
from runnel.saved_model.writing.save import save_and_return_nodes as save_and_return_nodes


def __getattr__(name: str) -> Any:
    return _find("saved_model", name)
