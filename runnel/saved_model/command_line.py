"""`runnel-saved-model`: looking into a SavedModel, and running it, from the command line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np

from runnel.core.composite import structured_value
from runnel.core.files import files
from runnel.core.files.folders import content_folder
from runnel.core.op.raw import raw_ops
from runnel.core.protos import messages
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.values.errors import OpError
from runnel.core.values.type_spec import TensorSpec
from runnel.graph.graphdef.importing import CALLS
from runnel.saved_model.expressions import evaluate
from runnel.saved_model.function_spec import signature_of
from runnel.saved_model.reading.load import load
from runnel.saved_model.reading.messages_in import meta_graph_of, read_saved_model

_SAVERS = frozenset({"SaveV2", "RestoreV2", "MergeV2Checkpoints"})
_FEATURES = {float: "float_list", int: "int64_list", str: "bytes_list", bytes: "bytes_list"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, or show the help if none is given; the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.action is None:
        parser.print_help()
        return 0
    try:
        options.action(options)
    except (OpError, OSError, ValueError, TypeError, NotImplementedError, KeyError) as error:
        print(f"runnel-saved-model: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="runnel-saved-model", description="Look into a SavedModel, or run it."
    )
    parser.set_defaults(action=None)
    commands = parser.add_subparsers(metavar="command")
    show = commands.add_parser("show", help="print signatures, functions and tags")
    show.set_defaults(action=_show)
    run = commands.add_parser("run", help="run a signature and print its outputs")
    run.set_defaults(action=_run)
    scan = commands.add_parser("scan", help="say whether the graph has ops that touch files")
    scan.set_defaults(action=_scan)
    for command in (show, run, scan):
        command.add_argument("--dir", required=True, help="the folder of the SavedModel")
        command.add_argument("--tag_set", help="the tags of the graph, divided by commas")
    for command in (show, run):
        command.add_argument("--signature_def", help="the name of a signature")
    scan.add_argument("--op_denylist", help="other ops to look for, divided by commas")
    show.add_argument("--all", action="store_true", help="print everything")
    show.add_argument("--list_ops", action="store_true", help="print the ops of the graph")
    run.add_argument("--inputs", default="", help="x=file.npy;y=file.npz[name]: inputs from files")
    run.add_argument("--input_exprs", default="", help="x=np.ones((1,2));y=[1]: inputs as text")
    run.add_argument("--input_examples", default="", help='x=[{"age":[22]}]: tf.train.Examples')
    run.add_argument("--outdir", help="write the outputs there, as name.npy")
    run.add_argument("--overwrite", action="store_true", help="write over files that are there")
    return parser


def _tags(options: Any) -> list[str] | None:
    return options.tag_set.split(",") if options.tag_set else None


def _show(options: Any) -> None:
    saved = read_saved_model(content_folder(options.dir))
    if options.all:
        for graph in saved.meta_graphs:
            _print_graph(graph)
        return
    if options.tag_set is None:
        print("The given SavedModel contains the following tag-sets:")
        for graph in saved.meta_graphs:
            print(_tag_text(graph))
        return
    graph = meta_graph_of(saved, _tags(options), options.dir)
    if options.list_ops:
        _print_ops(graph)
    if options.signature_def is None:
        print("The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:")
        for key in sorted(graph.signature_def):
            print(f'SignatureDef key: "{key}"')
    else:
        _print_signature(_signature(graph, options.signature_def), "")


def _tag_text(graph: Any) -> str:
    return ", ".join(repr(tag) for tag in sorted(graph.meta_info_def.tags))


def _print_ops(graph: Any) -> None:
    ops = ", ".join(f"'{name}'" for name in _ops(graph))
    print(f"The MetaGraph with tag set [{_tag_text(graph)}] contains the following ops: {{{ops}}}")


def _ops(graph: Any) -> list[str]:
    """The ops of the graph and of the functions that it calls."""
    functions = {f.signature.name: f for f in graph.graph_def.library.function}
    nodes, called, found = list(graph.graph_def.node), set(), set()
    while nodes:
        node = nodes.pop()
        found.add(node.op)
        for name in (node.op, node.attr["f"].func.name if node.op in CALLS else ""):
            if name in functions and name not in called:
                called.add(name)
                nodes += functions[name].node_def
    return sorted(found - set(functions))


def _outside() -> list[str]:
    """The ops that touch more than tensors, but for those by which every model is saved."""
    return sorted(
        name for name, op in vars(raw_ops).items() if op.leaves_program and name not in _SAVERS
    )


def _scan(options: Any) -> None:
    saved = read_saved_model(content_folder(options.dir))
    listed = options.op_denylist
    denied = sorted(filter(None, map(str.strip, listed.split(",")))) if listed else _outside()
    graphs = saved.meta_graphs
    if options.tag_set is not None:
        graphs = [meta_graph_of(saved, _tags(options), options.dir)]
    for graph in graphs:
        found = [name for name in denied if name in _ops(graph)]
        verb = "contains the following" if found else "does not contain the default"
        names = ", ".join(f"'{name}'" for name in found or denied)
        print(f"MetaGraph with tag set [{_tag_text(graph)}] {verb} denylisted ops: {{{names}}}")


def _signature(graph: Any, key: str) -> Any:
    if key not in graph.signature_def:
        known = ", ".join(sorted(graph.signature_def))
        raise ValueError(f"There is no signature {key!r}; there are {known}.")
    return graph.signature_def[key]


def _print_graph(graph: Any) -> None:
    tags = _tag_text(graph)
    print(f"\nMetaGraphDef with tag-set: {tags} contains the following SignatureDefs:")
    for key in sorted(graph.signature_def):
        print(f"\nsignature_def['{key}']:")
        _print_signature(graph.signature_def[key], "  ")
    _print_ops(graph)
    functions = list(_functions(graph.object_graph_def))
    if functions:
        print("\nConcrete Functions:", end="")
    for path, traces in functions:
        print(f"\n  Function Name: '{path}'")
        for number, (args, kwargs, names) in enumerate(traces, 1):
            if args:
                print(f"    Option #{number}\n      Callable with:")
            for place, (name, value) in enumerate(zip(names, args), 1):
                print(f"        Argument #{place}")
                _print_value(name, value)
            for place, name in enumerate(kwargs, 1):
                print(f"        Named Argument #{place}\n          {name}")


def _print_value(name: str, value: Any) -> None:
    if isinstance(value, str):
        print(f"          {value}")
    elif type(value) is TensorSpec:
        print(f"          {value.name or name}: {value!r}")
    else:
        print(f"          DType: {type(value).__name__}\n          Value: {_text(value)}")


def _text(value: Any) -> str:
    """A list or a dict with its parts in their own words."""
    if isinstance(value, dict):
        parts = ", ".join(f"'{key}': {_quoted(item)}" for key, item in value.items())
        return f"{{{parts}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_quoted, value))}]"
    return str(value)


def _quoted(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


def _functions(objects: Any) -> Iterator[tuple[str, list[Any]]]:
    """The functions of the root, with the arguments of their traces."""
    children = objects.nodes[0].children if objects.nodes else ()
    for child in sorted(children, key=lambda child: child.local_name):
        node = objects.nodes[child.node_id]
        if node.WhichOneof("kind") != "function":
            continue
        names = list(signature_of(node.function.function_spec).parameters)
        traces = []
        for name in sorted(node.function.concrete_functions):
            proto = objects.concrete_functions[name].canonicalized_input_signature
            args, kwargs = structured_value.decode(proto)
            traces.append((args, kwargs, names + [f"arg_{i}" for i in range(len(args))]))
        yield child.local_name, traces


def _print_signature(proto: Any, indent: str) -> None:
    for title, infos in (("input", proto.inputs), ("output", proto.outputs)):
        print(f"{indent}The given SavedModel SignatureDef contains the following {title}(s):")
        for name in sorted(infos):
            info = infos[name]
            print(f"{indent}  {title}s['{name}'] tensor_info:")
            print(f"{indent}      dtype: {messages.DataType.Name(info.dtype)}")
            print(f"{indent}      shape: {_shape_text(info.tensor_shape)}")
            print(f"{indent}      name: {info.name}")
    print(f"{indent}Method name is: {proto.method_name}")


def _shape_text(shape: Any) -> str:
    if shape.unknown_rank:
        return "unknown_rank"
    return f"({', '.join(str(dim.size) for dim in shape.dim)})"


def _run(options: Any) -> None:
    model = load(options.dir, _tags(options))
    key = options.signature_def or "serving_default"
    if key not in model.signatures:
        known = ", ".join(sorted(model.signatures)) or "none"
        raise ValueError(f"There is no signature {key!r}; there are: {known}.")
    signature = model.signatures[key]
    specs = signature.structured_input_signature[1]
    given = {**_from_files(options.inputs), **_from_expressions(options.input_exprs)}
    given |= _from_examples(options.input_examples)
    if set(given) != set(specs):
        raise ValueError(f"{key!r} takes the inputs {sorted(specs)}, got {sorted(given)}.")
    tensors = {
        name: convert_to_tensor(np.asarray(value) if spec.dtype.size else value, dtype=spec.dtype)
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "SUO"
        else convert_to_tensor(value)
        for (name, value), spec in zip(sorted(given.items()), [specs[n] for n in sorted(given)])
    }
    for name, tensor in signature(**tensors).items():
        print(f"Result for output key {name}:\n{tensor.numpy()}")
        if options.outdir:
            _write(options.outdir, name, tensor.numpy(), options.overwrite)


def _items(text: str) -> Iterator[tuple[str, str]]:
    for item in filter(None, (part.strip() for part in text.split(";"))):
        name, equals, rest = item.partition("=")
        if not equals:
            raise ValueError(f"An input is given as name=value, got {item!r}.")
        yield name.strip(), rest.strip()


def _from_files(text: str) -> dict[str, Any]:
    found = {}
    for name, rest in _items(text):
        path, bracket, member = rest.partition("[")
        with files.open_binary(path, "rb") as file:
            found[name] = _array(file, path, member.rstrip("]") if bracket else None)
    return found


def _array(file: IO[bytes], path: str, member: str | None) -> np.ndarray:
    """The array in an .npy file, or one of those in an .npz file: the first if none is named."""
    try:
        loaded = np.load(file, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        return loaded[loaded.files[0] if member is None else member]
    except (OSError, ValueError):
        raise
    except Exception as error:  # of zipfile, zlib, tokenize and others that NumPy reads with
        what = f"no array {member!r} in it" if isinstance(error, KeyError) else f"damaged: {error}"
        raise ValueError(f"{path} cannot be read: {what}.") from error


def _from_expressions(text: str) -> dict[str, Any]:
    return {name: evaluate(rest) for name, rest in _items(text)}


def _from_examples(text: str) -> dict[str, Any]:
    """Lists of dicts of features as serialized `tf.train.Example`s."""
    return {name: list(map(_example, _listed(evaluate(rest)))) for name, rest in _items(text)}


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"tf.Example input must be a list of dictionaries, got {value!r}.")
    return value


def _example(features: Any) -> bytes:
    example = messages.Example()
    for name, values in features.items():
        if not isinstance(values, list) or not values:
            raise ValueError(
                f"A feature is a list with at least one value, got {name}: {values!r}."
            )
        kind = type(values[0])
        if kind not in _FEATURES:
            raise ValueError(
                f"{name}: a feature is of floats, integers or strings, got {values!r}."
            )
        texts = [v.encode() if isinstance(v, str) else v for v in values]
        getattr(example.features.feature[name], _FEATURES[kind]).value.extend(texts)
    return example.SerializeToString()  # type: ignore[no-any-return]


def _write(folder: str, name: str, value: Any, overwrite: bool) -> None:
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{name}.npy")
    if os.path.exists(path) and not overwrite:
        raise ValueError(f"{path} exists; --overwrite writes over it.")
    np.save(path, value)
    print(f"Output {name} is saved to {path}")


if __name__ == "__main__":
    sys.exit(main())
