"""`tf.__internal__.files`: files that are whole or not there."""

from runnel.core.files.files import writing as writing
from runnel.core.files.leftovers import sweep as sweep
from runnel.core.files.leftovers import temporary as temporary
