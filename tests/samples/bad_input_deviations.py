"""Where the outcome of a bad call is not TensorFlow's: functions and the ids of their cases.

All of them are meant, for the reasons given. Remove a case when it agrees.
"""

from __future__ import annotations

DEVIATIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "TensorFlow takes a vector of one element for a scalar in this place": {
        ".scatter_nd_update": ("1 1 rank-1",),
        "linspace": ("1 2 [1]",),
        "signal.linear_to_mel_weight_matrix": ("1 1 [1]",),
    },
    "Indexing with lists of integers is offered here": {
        "Tensor.__getitem__": (
            "1 1 [0, 0]",
            "1 1 [[0]]",
            "2 1 0 [0, 0]",
            "2 1 0 [99]",
            "2 1 0 [[0]]",
            "2 1 1 [0, 0]",
            "2 1 1 [99]",
            "2 1 1 [[0]]",
            "3 1 1 [0, 0]",
            "3 1 1 [99]",
            "3 1 1 [[0]]",
        ),
    },
    "Whether True counts as 1: TensorFlow says so in some places": {
        "eye": (
            "1 0 True",
            "1 1 True",
        ),
        "math.top_k": ("1 1 True",),
        "nn.top_k": ("1 1 True",),
        "random.split": ("1 1 True",),
        "sequence_mask": ("1 1 True",),
        "signal.linear_to_mel_weight_matrix": (
            "1 0 True",
            "1 1 True",
        ),
        "signal.overlap_and_add": ("1 1 True",),
    },
    "TensorFlow computes something from an argument that has no meaning": {
        "experimental.numpy.arange": (
            "1 dtype 1.5",
            "1 dtype 99",
        ),
        "experimental.numpy.array": (
            "1 1 1.5",
            "1 1 99",
        ),
        "experimental.numpy.concatenate": (
            "1 0 int",
            "1 0 one",
            "1 0 text",
        ),
        "experimental.numpy.zeros": (
            "1 1 1.5",
            "1 1 99",
        ),
        "extract_volume_patches": (
            "1 1 [1, 2, 2, 2, 1, 2]",
            "1 2 [1, 1, 1, 1, 1, 2]",
        ),
        "identity_n": ("1 0 text",),
        "image.extract_patches": ("1 2 [1, 1, 1, 1, 2]",),
        "image.non_max_suppression_padded": ("1 1 rank+1",),
        "image.random_crop": ("1 1 [-1, 2, 3]",),
        "image.total_variation": ("1 0 complex",),
        "linalg.eigh_tridiagonal": ("1 0 rank+1",),
        "meshgrid": (
            "1 0 bool",
            "1 1 bool",
        ),
        "nn.atrous_conv2d": ("1 2 [1]",),
        "nn.ctc_loss": (
            "1 0 too large",
            "1 2 negative",
            "1 3 bool",
            "1 3 complex",
            "1 3 negative",
            "1 3 other kind",
            "1 blank_index -99",
            "1 blank_index 99",
        ),
        "nn.max_pool": (
            "1 2 [1, 2, 2, 0]",
            "1 2 [1, 2, 2, 99]",
        ),
        "random.set_seed": ("1 0 'a'",),
        "repeat": (
            "2 1 [-1, 2]",
            "2 1 [-3, 2]",
        ),
        "sequence_mask": (
            "1 0 bool",
            "1 0 complex",
            "1 1 1.5",
        ),
        "signal.frame": (
            "1 2 -1",
            "1 2 -99",
        ),
        "signal.stft": (
            "1 1 0",
            "1 2 -1",
            "1 2 -99",
        ),
        "unravel_index": ("1 0 negative",),
        "unstack": ("2 1 0",),
    },
    "It can be computed, and is": {
        "experimental.numpy.arange": ("1 0 True",),
        "experimental.numpy.concatenate": ("1 1 None",),
        "experimental.numpy.zeros": ("1 1 resource",),
        "image.central_crop": ("1 0 no columns",),
        "image.non_max_suppression_padded": (
            "1 2 1125899906842624",
            "1 2 True",
        ),
        "image.ssim_multiscale": (
            "1 0 other kind",
            "1 0 wider",
            "1 1 other kind",
            "1 1 wider",
        ),
        "image.stateless_random_flip_left_right": (
            "1 0 bool",
            "1 0 string",
        ),
        "linalg.banded_triangular_solve": ("1 1 no columns",),
        "linalg.matrix_rank": ("1 0 complex",),
        "linalg.pinv": ("1 0 complex",),
        "nn.avg_pool": ("1 2 [1125899906842624, 2]",),
        "nn.avg_pool1d": ("1 2 1125899906842624",),
        "nn.avg_pool2d": ("1 2 1125899906842624",),
        "nn.avg_pool3d": ("1 2 1125899906842624",),
        "nn.conv1d": ("1 2 1125899906842624",),
        "nn.conv2d": ("2 2 1125899906842624",),
        "nn.conv3d": ("1 1 no columns",),
        "nn.convolution": ("1 2 1125899906842624",),
        "nn.ctc_beam_search_decoder": ("1 2 1125899906842624",),
        "nn.ctc_loss": ("1 1 wider",),
        "nn.ctc_unique_labels": ("1 0 empty",),
        "nn.max_pool1d": ("1 2 1125899906842624",),
        "nn.max_pool2d": ("1 2 1125899906842624",),
        "nn.max_pool3d": ("1 2 1125899906842624",),
        "nn.max_pool_with_argmax": ("1 2 1125899906842624",),
        "nn.nce_loss": ("1 3 wider",),
        "random.experimental.index_shuffle": ("1 1 rank+1",),
        "random.stateless_binomial": (
            "1 2 rank+1",
            "1 3 rank+1",
        ),
        "random.stateless_gamma": ("1 2 rank+1",),
        "random.stateless_parameterized_truncated_normal": (
            "1 2 rank+1",
            "1 3 rank+1",
        ),
        "random.stateless_poisson": ("1 2 rank+1",),
        "signal.dct": ("1 0 empty",),
        "signal.idct": ("1 0 empty",),
        "signal.inverse_mdct": ("1 0 empty",),
        "signal.mdct": (
            "1 0 empty",
            "1 0 no columns",
        ),
        "signal.mfccs_from_log_mel_spectrograms": ("1 0 empty",),
        "signal.stft": ("1 1 99",),
        "unravel_index": (
            "1 0 empty",
            "1 0 no columns",
        ),
    },
    "A list of lists of axes is taken here, as every reduction takes it": {
        "nn.moments": ("1 1 [[0]]",),
        "nn.weighted_moments": ("1 1 [[0]]",),
    },
    "A name that means nothing is refused at once, not when it is used": {
        "device": (
            "1 0 int",
            "1 0 nonsense",
        ),
    },
    "The class has its public name here": {
        "DeviceSpec.from_string": (
            "1 0 None",
            "1 0 empty",
            "1 good",
        ),
    },
    "A float, a bool or a list where an integer belongs is a TypeError here; TensorFlow computes on until an op refuses it": {
        "image.crop_to_bounding_box": (
            "1 1 1.5",
            "1 2 1.5",
        ),
        "image.pad_to_bounding_box": (
            "1 1 1.5",
            "1 2 1.5",
            "1 3 1.5",
            "1 4 1.5",
        ),
        "nn.softmax": ("2 1 1.5",),
        "nn.softmax_cross_entropy_with_logits": (
            "1 2 1.5",
            "1 2 [0, 0]",
            "1 2 [[0]]",
        ),
        "signal.frame": ("1 2 True",),
        "signal.linear_to_mel_weight_matrix": ("1 1 [[1]]",),
        "signal.stft": ("1 2 True",),
    },
    "TensorFlow computes something from windows or operands without elements that do not fit the others": {
        "einsum": (
            "1 1 no columns",
            "2 1 no columns",
        ),
        "linalg.eigh_tridiagonal": (
            "1 0 empty",
            "1 0 no columns",
        ),
        "nn.atrous_conv2d": ("1 0 no columns",),
        "nn.conv1d": ("1 0 no columns",),
        "nn.conv2d": (
            "1 0 no columns",
            "2 0 no columns",
        ),
        "nn.conv3d_transpose": ("1 1 empty",),
        "nn.convolution": ("1 0 no columns",),
        "nn.ctc_loss": (
            "1 0 no columns",
            "1 1 empty",
        ),
        "nn.depthwise_conv2d": ("1 1 empty",),
        "nn.depthwise_conv2d_backprop_input": ("1 1 empty",),
        "nn.dilation2d": ("1 1 empty",),
        "nn.erosion2d": ("1 1 empty",),
        "nn.separable_conv2d": (
            "1 1 empty",
            "1 1 no columns",
        ),
        "required_space_to_batch_paddings": ("1 1 [2, 0]",),
    },
    "TensorFlow's class is that of whatever noticed the argument first": {
        "experimental.numpy.add": (
            "1 0 dict",
            "1 1 dict",
        ),
        "experimental.numpy.matmul": (
            "1 0 dict",
            "1 1 dict",
        ),
        "image.sobel_edges": ("1 0 string",),
        "linalg.lstsq": ("1 0 text",),
        "map_fn": ("1 1 object",),
        "meshgrid": (
            "1 0 mixed",
            "1 0 ragged",
            "1 1 mixed",
            "1 1 ragged",
        ),
        "nn.max_pool": ("1 1 [1, 2, 2, 99]",),
        "signal.inverse_mdct": ("1 0 string",),
        "signal.inverse_stft": (
            "1 1 -1",
            "1 1 -99",
        ),
        "signal.linear_to_mel_weight_matrix": ("1 1 None",),
        "signal.stft": (
            "1 1 -1",
            "1 1 -99",
        ),
        "while_loop": (
            "1 2 0 object",
            "1 2 1 object",
        ),
    },
}
