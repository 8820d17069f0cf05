"""Write the drawings of `docs/images`: python tools/site/drawings.py"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from drawing import BLUE, GREEN, GREY, RED, SAND, WHITE, Drawing

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def tensor() -> Drawing:
    d = Drawing(640, 190)
    values = [["1.0", "2.0", "3.0"], ["4.0", "5.0", "6.0"]]
    for row, numbers in enumerate(values):
        for column, number in enumerate(numbers):
            d.box(110 + 62 * column, 60 + 46 * row, 58, 42, number, fill=BLUE, mono=True)
    d.arrow((100, 62), (100, 150))
    d.text(52, 110, "axis 0", small=True)
    d.arrow((112, 50), (294, 50))
    d.text(203, 40, "axis 1", small=True)
    d.box(360, 50, 240, 34, "shape (2, 3): sizes of the axes", fill=GREEN)
    d.box(360, 92, 240, 34, "dtype float32: what a number is", fill=SAND)
    d.box(360, 134, 240, 34, "values: never change", fill=GREY)
    return d


def tape() -> Drawing:
    d = Drawing(700, 210)
    w = d.box(20, 50, 90, 44, "w", fill=GREEN)
    square = d.box(190, 20, 110, 40, "w ** 2")
    double = d.box(190, 84, 110, 40, "2 * w")
    add = d.box(390, 50, 100, 44, "+")
    loss = d.box(580, 50, 100, 44, "loss", fill=SAND)
    d.arrow(w.side("right"), square.side("left"))
    d.arrow(w.side("right"), double.side("left"))
    d.arrow(square.side("right"), add.side("left"))
    d.arrow(double.side("right"), add.side("left"))
    d.arrow(add.side("right"), loss.side("left"), "recorded")
    d.arrow((630, 150), (70, 150), dashed=True)
    d.text(350, 172, "backwards: 1   →   2w and 2   →   2w + 2 = 8 at w = 3", small=True)
    return d


def function() -> Drawing:
    d = Drawing(720, 220)
    call = d.box(20, 80, 110, 56, "fn(x)", "a call", fill=GREEN)
    types = d.box(190, 80, 130, 56, "types", "dtype, shape, values")
    fits = d.box(390, 20, 140, 52, "a trace fits", fill=SAND)
    new = d.box(390, 140, 140, 56, "trace", "Python, on symbols", fill=RED)
    run = d.box(590, 20, 110, 52, "run", "XLA or NumPy", fill=GREY)
    d.chain([call, types])
    d.arrow(types.side("right"), fits.side("left"), "found", above=12)
    d.arrow(types.side("right"), new.side("left"), "none", above=-16)
    d.arrow(fits.side("right"), run.side("left"))
    d.arrow(new.side("right"), run.side("bottom"), "kept", above=-14)
    return d


def pipeline() -> Drawing:
    d = Drawing(740, 150)
    names = [
        ("files, arrays", "source", GREEN),
        ("map", "read, change", BLUE),
        ("shuffle", "from a buffer", BLUE),
        ("batch", "stack", BLUE),
        ("prefetch", "one ahead", SAND),
        ("fit", "uses", GREY),
    ]
    boxes = [d.box(12 + 122 * n, 50, 100, 54, *names[n][:2], fill=names[n][2]) for n in range(6)]
    d.chain(boxes)
    d.text(370, 30, "each stage asks the one before it for elements", small=True)
    d.text(370, 132, "map on several threads; prefetch while the step runs", small=True)
    return d


def keras_graph() -> Drawing:
    d = Drawing(580, 250)
    image = d.box(20, 20, 120, 44, "image", "(8, 8, 3)", fill=GREEN)
    conv = d.box(180, 20, 100, 44, "Conv2D", "(6, 6, 4)")
    pool = d.box(310, 20, 120, 44, "average", "(4)")
    age = d.box(20, 110, 120, 44, "age", "(1)", fill=GREEN)
    both = d.box(310, 110, 120, 44, "Concatenate", "(5)")
    price = d.box(180, 190, 120, 44, "price", "Dense(1)", fill=SAND)
    kind = d.box(440, 190, 120, 44, "kind", "Dense(3), softmax", fill=SAND)
    d.chain([image, conv, pool])
    d.arrow(age.side("right"), both.side("left"))
    d.arrow(pool.side("bottom"), both.side("top"))
    d.arrow(both.side("bottom"), price.side("top"))
    d.arrow(both.side("bottom"), kind.side("top"))
    return d


def step() -> Drawing:
    d = Drawing(720, 200)
    d.box(130, 14, 470, 132, "", fill=WHITE)
    d.text(365, 34, "one program of XLA", small=True)
    batch = d.box(14, 62, 90, 50, "batch", "x, y", fill=GREEN)
    names = [("forward", "layers"), ("loss",), ("gradients", "backwards"), ("update", "optimizer")]
    boxes = [d.box(146 + 114 * n, 62, 98, 50, *names[n]) for n in range(4)]
    logs = d.box(626, 62, 82, 50, "logs", "metrics", fill=SAND)
    d.chain([batch, *boxes, logs])
    d.box(146, 158, 440, 32, "weights and the optimizer's state, changed in place", fill=GREY)
    d.arrow((190, 158), (190, 114))
    d.arrow((537, 114), (537, 156))
    return d


def checkpoint() -> Drawing:
    d = Drawing(660, 200)
    root = d.box(20, 78, 120, 44, "Checkpoint", fill=GREEN)
    model = d.box(210, 20, 100, 40, "model", fill=BLUE)
    optimizer = d.box(210, 80, 100, 40, "optimizer", fill=BLUE)
    step_box = d.box(210, 140, 100, 40, "step", fill=BLUE)
    for box in (model, optimizer, step_box):
        d.arrow(root.side("right"), box.side("left"))
    names = ["model/layer-0/kernel/…", "optimizer/…", "step/…"]
    for box, name in zip((model, optimizer, step_box), names):
        row = d.box(400, box.y, 230, 40, name, fill=SAND, mono=True)
        d.arrow(box.side("right"), row.side("left"), "by name")
    return d


def mixed() -> Drawing:
    d = Drawing(680, 190)
    weights = d.box(20, 20, 150, 50, "weights", "float32", fill=GREEN)
    half = d.box(250, 20, 150, 50, "layers", "float16", fill=BLUE)
    last = d.box(480, 20, 150, 50, "last layer, loss", "float32", fill=GREEN)
    grads = d.box(250, 120, 150, 50, "gradients", "float16", fill=BLUE)
    d.arrow(weights.side("right"), half.side("left"), "cast")
    d.arrow(half.side("right"), last.side("left"), "cast")
    d.arrow((555, 72), (402, 145), "")
    d.text(530, 118, "× scale", small=True)
    d.arrow(grads.side("left"), (95, 72), "")
    d.text(120, 118, "÷ scale, update", small=True)
    return d


def ragged() -> Drawing:
    d = Drawing(580, 190)
    rows = [["3", "1", "4"], [], ["1", "5"]]
    for n, numbers in enumerate(rows):
        for m, number in enumerate(numbers):
            d.box(20 + 40 * m, 30 + 44 * n, 36, 36, number, mono=True)
        if not numbers:
            d.text(24, 54 + 44 * n, "(empty)", small=True, anchor="start")
    d.arrow((170, 95), (236, 95), "stored as")
    for m, number in enumerate("31415"):
        d.box(330 + 44 * m, 50, 40, 36, number, mono=True)
    for m, number in enumerate("0335"):
        d.box(330 + 44 * m, 120, 40, 36, number, fill=SAND, mono=True)
    d.text(290, 72, "values", small=True)
    d.text(286, 142, "row_splits", small=True)
    return d


def compiling() -> Drawing:
    d = Drawing(740, 240)
    eager = d.box(16, 30, 120, 50, "an eager op", fill=GREEN)
    graph = d.box(16, 150, 120, 50, "a function", fill=GREEN)
    numpy = d.box(300, 20, 150, 50, "NumPy", "at once", fill=SAND)
    inter = d.box(300, 95, 150, 50, "interpreter", "op by op, NumPy", fill=SAND)
    xla = d.box(300, 170, 150, 50, "XLA", "one program", fill=BLUE)
    disk = d.box(570, 170, 150, 50, "~/.cache/runnel", "for the next process", fill=GREY)
    d.arrow(eager.side("right"), numpy.side("left"), "small")
    d.arrow(eager.side("right"), (298, 180), "large", above=4)
    d.arrow(graph.side("right"), inter.side("left"), "new shapes", above=-14)
    d.arrow(graph.side("right"), xla.side("left"), "shapes again, heavy", above=-18)
    d.arrow(xla.side("right"), disk.side("left"), "kept")
    return d


def packages() -> Drawing:
    d = Drawing(720, 380)
    rows = [
        [("keras", GREEN)],
        [
            ("saved_model", SAND),
            ("data", SAND),
            ("distribute", SAND),
            ("summary", SAND),
            ("train", SAND),
        ],
        [("function", BLUE), ("autograph", BLUE)],
        [("graph", BLUE)],
        [("ops", BLUE)],
        [("core", BLUE), ("kernels", GREY), ("backend", GREY)],
        [("NumPy", WHITE), ("JAX / XLA", WHITE)],
    ]
    for n, row in enumerate(rows):
        width = (690 - 10 * (len(row) - 1)) / len(row)
        for m, (name, fill) in enumerate(row):
            d.box(15 + m * (width + 10), 12 + 52 * n, width, 42, name, fill=fill)
    return d


def door() -> Drawing:
    d = Drawing(740, 230)
    call = d.box(14, 90, 110, 50, "a + b", "tf.raw_ops.AddV2", fill=GREEN)
    execute = d.box(180, 90, 120, 50, "execute", "the one door", fill=BLUE)
    graph = d.box(390, 16, 150, 50, "append", "an Operation", fill=SAND)
    eager = d.box(390, 90, 150, 50, "run the kernel", "NumPy, or XLA", fill=SAND)
    tapes = d.box(390, 164, 150, 50, "tell the tapes", fill=GREY)
    symbol = d.box(610, 16, 116, 50, "a symbol", fill=WHITE)
    value = d.box(610, 90, 116, 50, "a value", fill=WHITE)
    d.chain([call, execute])
    d.arrow(execute.side("right"), graph.side("left"), "a graph is built", above=12)
    d.arrow(execute.side("right"), eager.side("left"), "else")
    d.arrow(execute.side("right"), tapes.side("left"), "always", above=-14)
    d.arrow(graph.side("right"), symbol.side("left"))
    d.arrow(eager.side("right"), value.side("left"))
    return d


def one_declaration() -> Drawing:
    d = Drawing(740, 250)
    op = d.box(20, 90, 190, 66, '@op("Relu", …)', "kernel(xp, features)", fill=GREEN, mono=True)
    users = [
        ("eager", "kernel(numpy, …)"),
        ("interpreter of graphs", "the same, in order"),
        ("compiler", "kernel(jax.numpy, …) on tracers"),
        ("constant folding", "kernel(numpy, …) while compiling"),
        ("shapes while tracing", "the rule, or jax.eval_shape"),
    ]
    for n, (name, how) in enumerate(users):
        box = d.box(400, 8 + 48 * n, 320, 42, name, how, fill=[BLUE, SAND, RED, GREY, WHITE][n])
        d.arrow(op.side("right"), box.side("left"))
    return d


def segments() -> Drawing:
    d = Drawing(740, 170)
    names = [
        ("segment", "one XLA program", BLUE),
        ("host", "strings, files, Python", SAND),
        ("segment", "one XLA program", BLUE),
        ("host", "unknown sizes", SAND),
        ("segment", "one XLA program", BLUE),
    ]
    boxes = [d.box(14 + 146 * n, 40, 126, 54, *names[n][:2], fill=names[n][2]) for n in range(5)]
    d.chain(boxes)
    d.text(370, 24, "a plan: the graph, cut where XLA cannot go on", small=True)
    d.box(
        14,
        122,
        710,
        34,
        "variables: threaded through; what is written is given away and taken back",
        fill=GREY,
    )
    return d


DRAWINGS: list[Callable[[], Drawing]] = [
    tensor, tape, function, pipeline, keras_graph, step, checkpoint, mixed, ragged, compiling,
    packages, door, one_declaration, segments,
]  # fmt: skip


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    for draw in DRAWINGS:
        draw().write(IMAGES / f"{draw.__name__}.svg")


if __name__ == "__main__":
    main()
