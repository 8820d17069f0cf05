"""`tf.__internal__.progress`: telling the user of work that takes long."""

from runnel.backend.compiling import seconds as seconds_of_compiling
from runnel.backend.compiling import watching as watching_compilation
from runnel.core.settings.progress import Working as Working
from runnel.core.settings.progress import is_watched as is_watched
from runnel.core.settings.progress import tells as tells

__all__ = ["Working", "is_watched", "seconds_of_compiling", "tells", "watching_compilation"]
