"""The programs are run by `test_programs.py`: importing one to look for tests would run it."""

from pathlib import Path

collect_ignore = [
    path.name for path in Path(__file__).parent.glob("*.py") if not path.name.startswith("test_")
]
