"""Ask TensorFlow what two workers answer in the programs of `tests/distribute/tutorials/`.

python tests/golden/make_tutorials.py, with TensorFlow's Python; writes tutorials.json.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = HERE.parent / "distribute" / "tutorials"


def answers(program: Path) -> list:
    """What both workers say, which is the same."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    addresses = [f"127.0.0.1:{probe.getsockname()[1]}" for probe in probes]
    for probe in probes:
        probe.close()
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "program.py")
        script.write_text(program.read_text().replace("import runnel as", "import tensorflow as"))
        children = []
        for number in range(2):
            task = {"type": "worker", "index": number}
            config = json.dumps({"cluster": {"worker": addresses}, "task": task})
            environment = {
                **os.environ,
                "TF_CONFIG": config,
                "TF_USE_LEGACY_KERAS": "1",
                "TF_CPP_MIN_LOG_LEVEL": "3",
            }
            command = [sys.executable, str(script), folder]
            children.append(
                subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
            )
        said = [child.communicate(timeout=300)[0].splitlines() for child in children]
    found = [json.loads(line[7:]) for lines in said for line in lines if line.startswith("ANSWER ")]
    assert len(found) == 2 and found[0][1] == found[1][1], found
    return found[0][1]


if __name__ == "__main__":
    told = {path.stem: answers(path) for path in sorted(PROGRAMS.glob("*.py"))}
    (HERE / "tutorials.json").write_text(json.dumps(told, indent=1) + "\n")
