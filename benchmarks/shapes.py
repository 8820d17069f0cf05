"""Layers of shapes that nobody chose: which of them fall behind TensorFlow or PyTorch?

    python -m benchmarks.shapes --draw                    draws the rows again: shapes.json
    python -m benchmarks.shapes --part 1/8 --output OUT   measures every eighth row
    python -m benchmarks.shapes --output OUT              lists what was measured, worst first

A row is a layer, forward and backward, as one function; it is drawn by a seed over kind, batch,
size, channels, kernel, strides, dilation, groups and dtype, or is a layer of one of the models in
`tf.keras.applications`. Figures are least times of a call on the wall and of all processors.
"""

import argparse
import json
import math
import os
import random
from pathlib import Path

import numpy as np

from benchmarks import run
from benchmarks.jobs import benchmark

ROWS = Path(__file__).with_suffix(".json")
SEED, DRAWN, OF_MODELS = 25, 52, 16
MOST_PRODUCTS = 4e8
WARM_CALLS, LOOP_SECONDS = 4, 0.02
DTYPES = ("float32",) * 4 + ("bfloat16", "float16")
SYSTEMS = ("runnel", "tensorflow", "torch")
MODELS = (
    "MobileNetV2 MobileNetV3Small ResNet50 DenseNet121 EfficientNetB0 Xception InceptionV3 VGG16"
)


# Drawing.


def drawn(rng):
    """A kind of layer, the shape of its input, and its options."""
    rank = rng.choice((1, 2, 2, 2, 3))
    channels, units = rng.choice((3, 8, 17, 32, 48, 64, 128)), rng.choice((8, 24, 32, 64, 100, 256))
    batch, size = rng.choice((1, 4, 8, 16, 32, 64)), rng.choice((7, 14, 28, 33, 56, 64))
    size = size * 4 if rank == 1 else 12 if rank == 3 else size
    image = [batch, *[size] * rank, channels]
    kernel, padding = rng.choice((1, 2, 3, 3, 5, 7)), rng.choice(("same", "valid"))
    stepped = {"strides": rng.choice((2, 3))} if rng.random() < 0.3 else {}
    if not stepped and rng.random() < 0.25:
        stepped = {"dilation_rate": 2}
    options = {"kernel_size": kernel, "padding": padding, **stepped}
    rows = [batch, rng.choice((20, 50, 100)), channels]
    kinds = {
        "Conv": lambda: (f"Conv{rank}D", image, {"filters": units, **options}),
        "Grouped": lambda: (
            "Conv2D",
            [batch, size, size, 32],
            {"filters": 64, "groups": rng.choice((2, 4, 8, 32)), **options},
        ),
        "Depthwise": lambda: (
            "DepthwiseConv2D",
            [batch, size, size, channels],
            {**options, "depth_multiplier": rng.choice((1, 1, 2))},
        ),
        "Transposed": lambda: (
            "Conv2DTranspose",
            [batch, min(size, 28), min(size, 28), channels],
            {
                "filters": units,
                "kernel_size": kernel,
                "strides": rng.choice((1, 2)),
                "padding": "same",
            },
        ),
        "Dense": lambda: (
            "Dense",
            [batch * 4, rng.choice((10, 100, 784, 1024))],
            {"units": units * 4},
        ),
        "Pooling": lambda: (
            f"{rng.choice(('Max', 'Average'))}Pooling{rank}D",
            image,
            {"pool_size": rng.choice((2, 3)), "strides": rng.choice((1, 2)), "padding": padding},
        ),
        "Normalization": lambda: (
            rng.choice(("BatchNormalization", "LayerNormalization")),
            image,
            {},
        ),
        "Recurrent": lambda: (
            rng.choice(("LSTM", "GRU")),
            rows,
            {"units": units, "return_sequences": rng.random() < 0.5},
        ),
        "Attention": lambda: (
            "MultiHeadAttention",
            [batch, rows[1], 64],
            {"num_heads": 4, "key_dim": 16},
        ),
        "Embedding": lambda: (
            "Embedding",
            [batch * 8, rows[1]],
            {"input_dim": rng.choice((1000, 20_000)), "output_dim": rng.choice((16, 64, 128))},
        ),
    }
    kind = rng.choice(("Conv", "Conv", "Conv", *kinds))
    layer, shape, settings = kinds[kind]()
    halves = kind not in ("Recurrent", "Attention", "Embedding")
    return {
        "layer": layer,
        "shape": shape,
        "dtype": rng.choice(DTYPES) if halves else "float32",
        "options": settings,
    }


def products(row):
    """About how many multiplications a forward pass has."""
    options, shape = row["options"], row["shape"]
    if "kernel_size" not in options:
        return math.prod(shape)
    size = np.max(options["kernel_size"]) ** (len(shape) - 2)
    depth = options.get("filters", options.get("depth_multiplier", 1)) / options.get("groups", 1)
    return math.prod(shape) * size * depth / np.max(options.get("strides", 1)) ** (len(shape) - 2)


def draw():
    rng, rows = random.Random(SEED), {}
    while len(rows) < DRAWN:
        row = drawn(rng)
        if products(row) <= MOST_PRODUCTS:
            rows.setdefault(title_of(row), row)
    for row in of_models(rng):
        rows.setdefault(title_of(row), row)
    ROWS.write_text("[\n" + ",\n".join(map(json.dumps, rows.values())) + "\n]\n")


def of_models(rng):
    """Convolutions and normalizations of models for photos, as they stand in them."""
    import runnel as tf

    kept = ("filters", "kernel_size", "strides", "dilation_rate", "groups", "padding")
    for name in MODELS.split():
        model = getattr(tf.keras.applications, name)(weights=None, input_shape=(96, 96, 3))
        kinds = (tf.keras.layers.Conv2D, tf.keras.layers.BatchNormalization)
        layers = [layer for layer in model.layers if isinstance(layer, kinds)]
        for layer in rng.sample(layers, OF_MODELS // len(MODELS.split())):
            config, kind = layer.get_config(), type(layer).__name__
            options = {
                key: config[key] for key in kept if key in config and config[key] is not None
            }
            if kind == "DepthwiseConv2D":
                options = {key: options[key] for key in ("kernel_size", "strides", "padding")}
            shape = [16, *layer.input.shape.as_list()[1:]]
            yield {"layer": kind, "shape": shape, "dtype": "float32", "options": options}


def title_of(row):
    options = ", ".join(f"{key}={value}" for key, value in row["options"].items())
    return f"{row['layer']} {'x'.join(map(str, row['shape']))} {row['dtype']} {options}".strip()


# The jobs.


def values(row, dtype=np.float32):
    rng = np.random.default_rng(SEED)
    if row["layer"] == "Embedding":
        return rng.integers(0, row["options"]["input_dim"], row["shape"])
    return rng.standard_normal(row["shape"], dtype=np.float32)


def prepared(tf, row):
    layer = getattr(tf.keras.layers, row["layer"])(dtype=row["dtype"], **row["options"])
    x = tf.constant(values(row))
    if row["layer"] == "Embedding":
        return embedded(tf, layer, x)
    x = tf.cast(x, row["dtype"])

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = layer(x, x) if row["layer"] == "MultiHeadAttention" else layer(x, training=True)
            loss = tf.reduce_mean(tf.square(y))
        return tape.gradient(loss, [*layer.trainable_variables, x])

    return lambda: step(x)


def embedded(tf, layer, ids):
    """A step of Adam on the rows of a table."""
    optimizer = tf.keras.optimizers.Adam(1e-6)

    @tf.function
    def step(ids):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(layer(ids)))
        variables = layer.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return lambda: step(ids)


def prepared_torch(torch, row):
    kind, options, shape = row["layer"], row["options"], row["shape"]
    dtype = getattr(torch, row["dtype"])
    x = torch.from_numpy(values(row))
    if kind == "Embedding":
        return embedded_torch(torch, row, x)
    rank = len(shape) - 2
    if rank and ("1D" in kind or "2D" in kind or "3D" in kind or kind == "BatchNormalization"):
        x = x.movedim(-1, 1).contiguous()
    x = x.to(dtype).requires_grad_()
    module, call = torch_module(torch, kind, options, shape)
    module = module.to(dtype)
    sources = [*module.parameters(), x]

    def step():
        found = torch.autograd.grad(call(module, x).square().mean(), sources)
        return [each.flatten()[:1].float() for each in found]  # NumPy has no bfloat16

    return step


def embedded_torch(torch, row, ids):
    """The same with PyTorch's Adam, which also moves the rows that a step does not meet.

    Its `SparseAdam` leaves them where they are.
    """
    options = row["options"]
    table = torch.nn.Embedding(options["input_dim"], options["output_dim"])
    optimizer = torch.optim.Adam(table.parameters(), lr=1e-6)

    def step():
        optimizer.zero_grad()
        loss = table(ids).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    return step


def torch_module(torch, kind, options, shape):
    """A module of PyTorch, and how it is called."""
    nn, channels, rank = torch.nn, shape[-1], len(shape) - 2
    plain = lambda module, x: module(x)  # noqa: E731
    if kind == "Dense":
        return nn.Linear(channels, options["units"]), plain
    if kind == "BatchNormalization":
        return getattr(nn, f"BatchNorm{rank}d")(channels), plain
    if kind == "LayerNormalization":
        return nn.LayerNorm(channels), plain
    if kind in ("LSTM", "GRU"):
        whole = options["return_sequences"]
        module = getattr(nn, kind)(channels, options["units"], batch_first=True)
        return module, lambda module, x: module(x)[0] if whole else module(x)[0][:, -1]
    if kind == "MultiHeadAttention":
        module = nn.MultiheadAttention(channels, options["num_heads"], batch_first=True)
        return module, lambda module, x: module(x, x, x, need_weights=False)[0]
    size = np.broadcast_to(options.get("kernel_size", options.get("pool_size")), rank).tolist()
    strides = np.broadcast_to(options.get("strides", 1), rank).tolist()
    dilation = np.broadcast_to(options.get("dilation_rate", 1), rank).tolist()
    if kind == "Conv2DTranspose":
        return nn.ConvTranspose2d(
            channels, options["filters"], size, strides, [k // 2 for k in size]
        ), plain
    if "Pooling" in kind:
        module = getattr(nn, f"{kind[:3].replace('Ave', 'Avg')}Pool{rank}d")(size, strides)
    elif kind == "DepthwiseConv2D":
        many = channels * options.get("depth_multiplier", 1)
        module = nn.Conv2d(channels, many, size, strides, 0, dilation, channels)
    else:
        groups = options.get("groups", 1)
        wide = getattr(nn, f"Conv{rank}d")
        module = wide(channels, options["filters"], size, strides, 0, dilation, groups)
    pads = padding(shape[1:-1], size, strides, dilation) if options["padding"] == "same" else []
    return module, lambda module, x: module(nn.functional.pad(x, pads) if any(pads) else x)


def padding(sizes, kernel, strides, dilation):
    """What is added before and behind each axis, the last one first."""
    found = []
    for n, k, s, d in zip(sizes, kernel, strides, dilation):
        total = max((math.ceil(n / s) - 1) * s + (k - 1) * d + 1 - n, 0)
        found = [total // 2, total - total // 2, *found]
    return found


def enter(row):
    benchmark(title_of(row))(lambda tf: prepared(tf, row))
    benchmark(title_of(row), "torch")(lambda torch: prepared_torch(torch, row))


if ROWS.exists():
    for _row in json.loads(ROWS.read_text()):
        enter(_row)


# Measuring.


def measure(team, title, rounds):
    calls = {}
    for worker in team:
        try:
            seconds = min(worker.ask(f"spent {title} 1")[0] for _ in range(WARM_CALLS))
            calls[worker] = math.ceil(LOOP_SECONDS / seconds)
        except run.Missing as reason:
            run.note(f"{title} fails on {worker.system}: {reason}")
    found = {worker.system: [math.inf, math.inf] for worker in calls}
    for worker in run.in_turns(list(calls), rounds):
        times = worker.ask(f"spent {title} {calls[worker]}")
        best = found[worker.system]
        found[worker.system] = [min(a, b / calls[worker]) for a, b in zip(best, times)]
    return found


def lead(figures, kind=0):
    """How many times Runnel's time the fastest of its peers takes."""
    peers = [times[kind] for system, times in figures.items() if system != "runnel"]
    return min(peers, default=math.inf) / figures["runnel"][kind]


def table(results):
    print("| wall, processors: of the best | Runnel | TensorFlow | PyTorch | layer |")
    print("|---|---|---|---|---|")
    for title, figures in sorted(results.items(), key=lambda named: lead(named[1])):
        cells = [
            " / ".join(f"{seconds * 1e3:.2f}" for seconds in figures[system])
            if system in figures
            else ""
            for system in SYSTEMS
        ]
        ratios = f"{lead(figures):.2f}, {lead(figures, 1):.2f}"
        print(f"| {ratios} | {' | '.join(cells)} | {title} |")
    for peer in SYSTEMS[1:]:
        both = [f for f in results.values() if peer in f and "runnel" in f]
        if both:
            logs = [[math.log(f[peer][k] / f["runnel"][k]) for f in both] for k in (0, 1)]
            means = [math.exp(sum(each) / len(each)) for each in logs]
            wall, processors = means
            print(f"\n{peer}, {len(both)} rows: {wall:.2f} (wall), {processors:.2f} (processors)")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draw", action="store_true", help="draw the rows again")
    parser.add_argument("--part", help="measure one part of many, such as 1/8")
    parser.add_argument("--match", default="", help="only rows with this in their title")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path("shapes-measured.json"))
    for system in SYSTEMS:
        parser.add_argument(f"--{system}-python", default=run.PYTHONS[system])
    options = parser.parse_args()
    if options.draw:
        draw()
        return
    results = json.loads(options.output.read_text()) if options.output.exists() else {}
    if options.part or options.match:
        number, parts = map(int, (options.part or "1/1").split("/"))
        pythons = {s: os.path.abspath(getattr(options, f"{s}_python")) for s in SYSTEMS}
        with run.workers("shapes", pythons) as team:
            rows = [t for t in map(title_of, json.loads(ROWS.read_text())) if options.match in t]
            for title in rows[number - 1 :: parts]:
                results[title] = measure(team, title, options.rounds)
                options.output.write_text(json.dumps(results, indent=1))
    table({title: figures for title, figures in results.items() if "runnel" in figures})


if __name__ == "__main__":
    main()
