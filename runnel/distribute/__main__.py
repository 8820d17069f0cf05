"""`python -m runnel.distribute --workers 4 script.py`: a program in several processes."""

import sys

from runnel.distribute.cluster.launcher import main

sys.exit(main())
