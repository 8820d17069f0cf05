"""`import runnel.as_tensorflow`, first of all: from then on `import tensorflow` is Runnel."""

from runnel.compat.door import open_door

open_door()
