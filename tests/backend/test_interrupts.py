"""What strikes in functions whose exceptions Python prints and forgets."""

import pytest

from tests import children

PROGRAM = """
import os, signal, sys, time
import runnel as tf

signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for what runs in its background

def late(number, frame):
    raise TimeoutError("late", 3)

signal.signal(signal.SIGALRM, late)

class Gone:
    def __del__(self):
        %s

assert "jax" not in sys.modules
try:
    thing = Gone()
    del thing
    for _ in range(50):
        time.sleep(0.01)
    print("vanished")
except BaseException as error:
    print(repr(error))
"""


@pytest.mark.parametrize(
    ("strike", "comes"),
    [
        ("raise KeyboardInterrupt('mine')", "KeyboardInterrupt('mine')"),
        ("os.kill(os.getpid(), signal.SIGALRM); len('')", "TimeoutError('late', 3)"),
        ("raise ValueError('its own')", "vanished"),
    ],
)
def test_what_strikes_from_outside_comes_again_without_jax(strike: str, comes: str) -> None:
    done = children.run(PROGRAM % strike, timeout=60)
    assert done.stdout.strip() == comes, done.stderr
