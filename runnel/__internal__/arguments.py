"""`tf.__internal__.arguments`: arguments that count, and sizes that fit."""

from runnel.core.settings.arguments import check_room as check_room
from runnel.core.tensor.tensor import signature as signature
