"""Does a pipeline's memory stay flat, and does input overlap with work? Run it by itself:

    python -m benchmarks.flow                    # writes flow.md beside this file
    python -m benchmarks.flow --elements 100000 --output PATH

Memory is that of the process after so many elements have gone through shuffle, map, filter, batch,
prefetch. For the overlap, reading an element and working on it take 10 ms each; a line of the trace
shows when elements were read (r) and worked on (w).
"""

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import runnel as tf

HERE = Path(__file__).resolve().parent
Dataset = tf.data.Dataset
PAUSE = 0.01
STEPS = 24
WIDTH = 100  # characters of a trace


def resident() -> float:
    """Megabytes of memory that the process holds."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def pipeline(elements: int) -> Any:
    numbers = Dataset.range(elements).shuffle(1000).map(lambda x: x * 2)
    words = numbers.filter(lambda x: x % 4 == 0).map(lambda x: (x, tf.strings.as_string(x)))
    return words.batch(32).prefetch(2)


def memory(elements: int) -> Iterator[str]:
    """The memory after 1 %, 10 %, … of the elements."""
    yield "| elements | seconds | memory |"
    yield "|---|---|---|"
    marks = [elements // 100, elements // 10, elements // 2, elements]
    start = time.perf_counter()
    for number, _ in enumerate(pipeline(elements)):
        if (number + 1) * 64 >= marks[0]:
            seconds = time.perf_counter() - start
            yield f"| {marks.pop(0):,} | {seconds:.1f} | {resident():.1f} MB |"
            if not marks:
                break


class Trace:
    """When elements were read and worked on."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, float, float]] = []
        self.start = time.perf_counter()

    def note(self, kind: str) -> None:
        begin = time.perf_counter()
        time.sleep(PAUSE)
        self.spans.append((kind, begin - self.start, time.perf_counter() - self.start))

    def read(self, x: Any) -> Any:
        def wait(y: Any) -> Any:
            self.note("r")
            return y

        return tf.numpy_function(wait, [x], tf.int64)

    def line(self, kind: str, end: float) -> str:
        made = [" "] * WIDTH
        for what, a, b in self.spans:
            if what == kind:
                for i in range(int(a / end * WIDTH), max(int(b / end * WIDTH), 1)):
                    made[min(i, WIDTH - 1)] = kind
        return "".join(made)


def overlap(title: str, reads: int | None, ahead: int | None) -> Iterator[str]:
    """The trace of a loop over a pipeline."""
    trace = Trace()
    dataset = Dataset.range(STEPS).map(trace.read, num_parallel_calls=reads)
    dataset = dataset if ahead is None else dataset.prefetch(ahead)
    trace.start = time.perf_counter()
    for _ in dataset:
        trace.note("w")
    seconds = time.perf_counter() - trace.start
    alone = 2 * STEPS * PAUSE
    yield f"{title}: {seconds * 1e3:.0f} ms; one after the other it would be {alone * 1e3:.0f} ms"
    yield f"  [{trace.line('r', seconds)}]"
    yield f"  [{trace.line('w', seconds)}]"


def report(elements: int) -> Iterator[str]:
    yield "# Memory and overlap of input pipelines"
    yield ""
    yield f"Written by `python -m benchmarks.flow`, runnel {tf.__version__}."
    yield ""
    yield from memory(elements)
    yield ""
    yield f"{STEPS} elements, each {PAUSE * 1e3:.0f} ms to read (r) and as much of work (w):"
    yield ""
    yield "```"
    yield from overlap("neither", None, None)
    yield from overlap("prefetch(2)", None, 2)
    yield from overlap("num_parallel_calls=4", 4, None)
    yield from overlap("num_parallel_calls=4 and prefetch(2)", 4, 2)
    yield "```"


def main() -> None:
    parser = argparse.ArgumentParser(description="Memory and overlap of input pipelines.")
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--output", type=Path, default=HERE / "flow.md")
    options = parser.parse_args()
    lines = []
    for line in report(options.elements):
        print(line, flush=True)
        lines.append(line)
    options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
