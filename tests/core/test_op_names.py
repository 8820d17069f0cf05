"""Ops are told apart by their traits: which files still tell them by their names.

What an op is belongs to its declaration, in `runnel/ops`; a table of names elsewhere makes every
new op second class until somebody enters it there. Graphs in TensorFlow's format have names by
nature.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parent.parent.parent
_DEFS = json.loads((_ROOT / "tests/golden/op_defs.json").read_text())
_OPS = frozenset(name for name, found in _DEFS.items() if "params" in found)

_BY_NATURE = (
    "ops/",
    "saved_model/",
    "keras/",  # which knows public functions only; its layers have such names, too
    *(
        f"graph/graphdef/{name}.py"
        for name in """export freezing frozen importing old_control_flow op_defs own_gradients
        pieces references subgraphs""".split()
    ),
    # What graphs of TensorFlow 1 are made of, whoever looks at them by name.
    *("v1/", "graph/build/reference_ops.py", "graph/functions/reference_variable.py"),
    "graph/session/handles.py",
    *("graph/graphdef/as_call_graph.py", "graph/graphdef/as_loop.py"),
    *(
        "data/graph/dataset_ops/",
        "data/graph/ops.py",
        "data/graph/portable.py",
        "data/graph/rewriting.py",
    ),
    *("summary/ops.py", "train/old_saving_ops.py"),  # which declare ops
    *("train/remapping_ops.py", "train/saving_ops.py"),
)
_FIRST = re.compile(r'"\s*([A-Z]\w*)["\s]')  # in a string; reading what has none would take longer
_SPEAKING = frozenset("op Op RegisterGradient no_gradient bad_shape bad_dtype bad_value".split())

# May only shrink.
_RECORDED = {
    "kernels/bands.py": "MatrixDiagV3",  # kernels name the op in errors
    "kernels/linalg/lapack.py": "Lu MatrixInverse MatrixSolve",
    "autograph/builtin_functions.py": "All Any LogicalAnd LogicalOr Max Maximum Min Minimum",
    "autograph/items.py": "Range",
    "compat/internal_names.py": "Variable",
    "graph/session/pruning.py": "Placeholder PlaceholderV2",
    "core/op/attributes.py": "Any Squeeze",
    "core/gradients/explain.py": "StopGradient",
    "core/values/shape.py": "Shape",
    "core/state/variable.py": "AssignAddVariableOp AssignSubVariableOp Variable",
    "core/state/variable_spec.py": "Variable",
    "data/nodes/generators.py": "PyFunc",
    "data/run/iterator.py": "IteratorGetNext",
    "data/insight/model.py": "Unbatch Unique",
    "data/run/vectorizing.py": "Pack",
    "debugging/dumping.py": "DebugIdentityV2 DebugNumericSummaryV2 DestroyResourceOp Enter Exit "
    "Identity If LoopCond Merge NextIteration PartitionedCall RemoteCall StatefulPartitionedCall "
    "StatelessIf StatelessWhile Switch While",
    "debugging/numerics.py": "TensorListStack",
    "function/graph_function.py": "Identity PartitionedCall StatefulPartitionedCall",
    "graph/capacity/columns.py": "GatherV2 StridedSlice TensorListGetItem TensorListSetItem "
    "TensorScatterAdd",
    "graph/control/accumulators.py": "While",
    "graph/control/branch_gradients.py": "Case If StatelessCase StatelessIf",
    "graph/control/branches.py": "Case If",
    "graph/control/counting.py": "AddV2 GreaterEqual Sub",
    "graph/run/early_alarms.py": "Cast",
    "graph/build/inlining.py": "Placeholder",
    "graph/functions/control_flow.py": "Exit Merge",
    "graph/control/invariants.py": "AddN AddV2 ExpandDims MatMul "
    "Reshape TensorListGetItem TensorListSetItem TensorScatterAdd ZerosLike",
    "graph/control/loop_gradients.py": "StatelessWhile While",
    "graph/control/loops.py": "StatelessWhile While",
    "graph/build/order.py": "MakeIterator",
    "graph/run/nested.py": "GatherV2 Pack",
    "graph/run/passes.py": "Cast",
    "graph/run/program.py": "Const Placeholder",
    "graph/run/simplification.py": "MaxPoolGrad Pack Relu ReluGrad Reshape Transpose",
    "graph/build/static.py": "Cast ConcatV2 Const GatherV2 Identity Pack StridedSlice Unpack",
    "summary/writers.py": "SummaryWriter",
}


def test_no_file_tells_ops_by_name_but_those_recorded() -> None:
    found = {}
    for path in sorted((_ROOT / "runnel").rglob("*.py")):
        name = path.relative_to(_ROOT / "runnel").as_posix()
        text = path.read_text()
        if not name.startswith(_BY_NATURE) and not _OPS.isdisjoint(_FIRST.findall(text)):
            names = sorted(set(_op_names(ast.parse(text), name)))
            found.update({name: " ".join(names)} if names else {})
    new = {k: v for k, v in found.items() if set(v.split()) - set(_RECORDED.get(k, "").split())}
    assert not new, f"declare a trait (runnel/core/op/traits.py) instead of naming ops: {new}"
    assert found == _RECORDED, "some are gone: take them off the list"


def _op_names(tree: ast.Module, file: str) -> Iterator[str]:
    """The names of ops in a file's strings, where they do not just speak of one op."""
    shown = set(_shown(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in shown:
            words = node.value.split()
            if _OPS.issuperset(words):
                yield from (w for w in words if not (file.startswith("data/") and "Dataset" in w))


def _shown(tree: ast.Module) -> Iterator[ast.expr]:
    """Strings that declare an op, name it in an error, document it, or name operations."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            yield node.value
        elif isinstance(node, ast.BoolOp):  # name or "Gather"
            yield from node.values
        elif isinstance(node, ast.arguments):  # name: str = "Const"
            yield from node.defaults
        elif isinstance(node, ast.Call):
            if getattr(node.func, "id", getattr(node.func, "attr", "")) in _SPEAKING:
                yield from node.args[:1]
            yield from (word.value for word in node.keywords if word.arg == "name")
