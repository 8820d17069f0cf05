"""The packages: what is installed, and which of their tests are run."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Package:
    """A package that imports tensorflow."""

    name: str
    distribution: str
    """What `pip` installs, without what it asks for: that is `needs`."""
    needs: str
    copied: str
    """The folder with the tests, in what is installed or in the source."""
    tests: str
    """Which of them are run."""
    from_source: bool = False
    """Whether only the source has them: a source distribution, or a folder of the user's."""
    options: str = ""
    """Further arguments of pytest."""
    aliases: tuple[str, ...] = ("tensorflow", "tf-keras")
    """Under which names Runnel is installed."""
    generated: str = ""
    """A folder that is made when the package is built, and that the source lacks."""
    differences: dict[str, str] = field(default_factory=dict)
    """Tests that may differ from TensorFlow, by the beginnings of their names, and why."""


def _files(folder: str, names: str, form: str = "{}_test.py") -> str:
    return " ".join(f"{folder}/{form.format(name)}" for name in names.split())


_PROBABILITY = "tensorflow-probability==0.25.0"
_FOR_PROBABILITY = (
    "cloudpickle decorator dm-tree gast six absl-py typing_extensions mock setuptools<81 scipy"
)
_TFP = "tensorflow_probability/python"
_WORDING = "the test looks for words of TensorFlow's message; the class of the error is the same"
_LAYERS = "activation attention convolutional core merging pooling regularization reshaping"
_NORMALIZATION = """batch_normalization group_normalization layer_normalization
spectral_normalization unit_normalization"""

_PACKAGES = [
    Package(
        "tf_keras",
        "tf-keras==2.21.0",
        needs="absl-py parameterized portpicker requests wrapt",
        copied="tf_keras",
        tests=" ".join(
            [
                _files("tf_keras", "activations backend constraints losses"),
                "tf_keras/initializers tf_keras/optimizers/lion_test.py",
                *[f"tf_keras/layers/{folder}" for folder in _LAYERS.split()],
                _files("tf_keras/layers/experimental", "dynamic_embedding dynamic_lookup"),
                _files("tf_keras/layers/normalization", _NORMALIZATION),
                _files("tf_keras/metrics", "accuracy_metrics base_metric f_score_metrics"),
                _files("tf_keras/metrics", "hinge_metrics iou_metrics regression_metrics"),
            ]
        ),
        from_source=True,
        aliases=("tensorflow",),
        generated="tf_keras/protobuf",
        differences={
            "tf_keras.losses_test.MeanSquaredErrorTest.test_invalid_sample_weight": _WORDING,
            "tf_keras.losses_test.MeanAbsoluteErrorTest.test_invalid_sample_weight": _WORDING,
        },
    ),
    Package(
        "sonnet",
        "dm-sonnet==2.0.2",
        needs="absl-py dm-tree wrapt tabulate mock",
        copied="sonnet",
        tests=_files(
            "sonnet/src",
            """base batch_apply bias build deferred dropout embed initializers leaky_clip_by_value
            linear metrics moving_averages once pad parallel_linear regularizers reshape
            scale_gradient sequential utils""",
        )
        + " sonnet/src/nets/mlp_test.py sonnet/src/optimizers/adam_test.py",
        differences={
            "sonnet.src.base_test.TestModuleNaming.test_invalid_name": _WORDING,
            "sonnet.src.reshape_test.ReshapeTest.testIncompatibleShape": _WORDING,
            "sonnet.src.reshape_test.ReshapeTest.testInvalid_negativeSize": _WORDING,
        },
    ),
    Package(
        "gpflow",
        f"gpflow==2.11.2 {_PROBABILITY}",
        needs=f"{_FOR_PROBABILITY} check_shapes deprecated multipledispatch tabulate",
        copied="tests/gpflow",
        tests=_files(
            "tests/gpflow",
            """base base_prior functions inducing_variables initial_value kullback_leiblers
            logdensities""",
            "test_{}.py",
        )
        + " tests/gpflow/utilities tests/gpflow/covariances tests/gpflow/config"
        + " tests/gpflow/likelihoods/test_likelihoods.py tests/gpflow/optimizers/test_mcmc.py",
        differences={
            "tests.gpflow.utilities.test_traversal.test_print_summary": (
                "the summary names the class of a variable, which is ResourceVariable in TensorFlow"
            ),
        },
    ),
    Package(
        "probability",
        _PROBABILITY,
        needs=_FOR_PROBABILITY,
        copied="tensorflow_probability",
        tests=" ".join(
            [
                _files(f"{_TFP}/distributions", "bernoulli poisson uniform gumbel laplace"),
                _files(f"{_TFP}/bijectors", "exp sigmoid shift scale invert permute"),
                _files(f"{_TFP}/mcmc", "random_walk_metropolis"),
                _files(f"{_TFP}/optimizer", "nelder_mead bfgs"),
            ]
        ),
        from_source=True,
        differences={
            f"{_TFP.replace('/', '.')}.distributions.bernoulli_test.BernoulliSlicingTest": _WORDING,
        },
    ),
]
CATALOG = {package.name: package for package in _PACKAGES}
