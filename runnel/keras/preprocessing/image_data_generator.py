"""Augmenting images on NumPy, the way before preprocessing layers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from runnel.keras.engine.settings import checked_data_format, floatx
from runnel.keras.preprocessing.affine import apply_affine_transform
from runnel.keras.preprocessing.array_iterator import NumpyArrayIterator
from runnel.keras.preprocessing.colour_shifts import apply_brightness_shift, apply_channel_shift
from runnel.keras.preprocessing.data_frame_iterator import DataFrameIterator
from runnel.keras.preprocessing.file_iterators import DirectoryIterator

_AXES = {"channels_first": (1, 2, 3), "channels_last": (3, 1, 2)}  # channels, rows, columns
_OBSOLETE = {
    "has_ext": "the names in the frame must be those on the disk",
    "sort": "without `shuffle` the batches follow the frame",
    "drop_duplicates": "call `drop_duplicates` of the frame",
}


class ImageDataGenerator:
    """Batches of images, changed at random and standardized.

    >>> generator = tf.keras.preprocessing.image.ImageDataGenerator(rescale=0.5)
    >>> next(generator.flow(np.ones((1, 2, 2, 1)))).max()
    np.float32(0.5)
    """

    def __init__(
        self,
        featurewise_center: bool = False,
        samplewise_center: bool = False,
        featurewise_std_normalization: bool = False,
        samplewise_std_normalization: bool = False,
        zca_whitening: bool = False,
        zca_epsilon: float = 1e-06,
        rotation_range: float = 0,
        width_shift_range: Any = 0.0,
        height_shift_range: Any = 0.0,
        brightness_range: Any = None,
        shear_range: float = 0.0,
        zoom_range: Any = 0.0,
        channel_shift_range: float = 0.0,
        fill_mode: str = "nearest",
        cval: float = 0.0,
        horizontal_flip: bool = False,
        vertical_flip: bool = False,
        rescale: float | None = None,
        preprocessing_function: Any = None,
        data_format: Any = None,
        validation_split: float = 0.0,
        interpolation_order: int = 1,
        dtype: Any = None,
    ) -> None:
        self.featurewise_center = featurewise_center
        self.samplewise_center = samplewise_center
        self.featurewise_std_normalization = featurewise_std_normalization
        self.samplewise_std_normalization = samplewise_std_normalization
        self.zca_whitening = zca_whitening
        self.zca_epsilon = zca_epsilon
        self.rotation_range = rotation_range
        self.width_shift_range = width_shift_range
        self.height_shift_range = height_shift_range
        self.brightness_range = _pair("brightness_range", brightness_range)
        self.shear_range = shear_range
        self.zoom_range = _zoom(zoom_range)
        self.channel_shift_range = channel_shift_range
        self.fill_mode = fill_mode
        self.cval = cval
        self.horizontal_flip = horizontal_flip
        self.vertical_flip = vertical_flip
        self.rescale = rescale
        self.preprocessing_function = preprocessing_function
        self.data_format = checked_data_format(data_format)
        self.channel_axis, self.row_axis, self.col_axis = _AXES[self.data_format]
        if validation_split and not 0 < validation_split < 1:
            raise ValueError(
                f"`validation_split` must lie between 0 and 1, got {validation_split}."
            )
        self._validation_split = validation_split
        self.interpolation_order = interpolation_order
        self.dtype = dtype or floatx()
        self.mean: Any = None
        self.std: Any = None
        self.zca_whitening_matrix: Any = None
        self._settle_standardization()

    def _settle_standardization(self) -> None:
        """Some ways of standardizing imply others."""
        if self.zca_whitening:
            self._imply("zca_whitening", "featurewise_center", True)
            self._imply("zca_whitening", "featurewise_std_normalization", False)
        if self.featurewise_std_normalization:
            self._imply("featurewise_std_normalization", "featurewise_center", True)
        if self.samplewise_std_normalization:
            self._imply("samplewise_std_normalization", "samplewise_center", True)

    def _imply(self, reason: str, name: str, value: bool) -> None:
        if getattr(self, name) != value:
            warnings.warn(f"`{reason}` makes `{name}` {value}.", stacklevel=4)
            setattr(self, name, value)

    def flow(
        self,
        x: Any,
        y: Any = None,
        batch_size: int = 32,
        shuffle: bool = True,
        sample_weight: Any = None,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        ignore_class_split: bool = False,
        subset: str | None = None,
    ) -> NumpyArrayIterator:
        """Batches of the images in an array."""
        return NumpyArrayIterator(**self._with(locals()))

    def flow_from_directory(
        self,
        directory: Any,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: list[str] | None = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        keep_aspect_ratio: bool = False,
    ) -> DirectoryIterator:
        """Batches of the images below a folder, each subfolder a class."""
        return DirectoryIterator(**self._with(locals()))

    def flow_from_dataframe(
        self,
        dataframe: Any,
        directory: str | None = None,
        x_col: str = "filename",
        y_col: Any = "class",
        weight_col: str | None = None,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: list[str] | None = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        validate_filenames: bool = True,
        **kwargs: Any,
    ) -> DataFrameIterator:
        """Batches of the images that a pandas frame names."""
        given = {name: value for name, value in locals().items() if name != "kwargs"}
        for name in kwargs:
            if name in _OBSOLETE:
                message = f"`{name}` is deprecated: {_OBSOLETE[name]}."
                warnings.warn(message, DeprecationWarning, stacklevel=2)
        if class_mode == "other":
            message = 'class_mode="other" is deprecated: use "raw".'
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            given["class_mode"] = "raw"
        return DataFrameIterator(**self._with(given))

    def _with(self, scope: dict[str, Any]) -> dict[str, Any]:
        """The arguments of an iterator: those of a method, and what the generator says."""
        given = {name: value for name, value in scope.items() if name != "self"}
        own = {"data_format": self.data_format, "dtype": self.dtype}
        return {"image_data_generator": self, **own, **given}

    def standardize(self, x: np.ndarray) -> np.ndarray:
        """An image scaled and centred as asked for; may be changed in place."""
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x *= self.rescale
        if self.samplewise_center:
            x -= np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x /= np.std(x, keepdims=True) + 1e-6
        if self.featurewise_center and self._was_fit("featurewise_center", self.mean):
            x -= self.mean
        if self.featurewise_std_normalization and self._was_fit(
            "featurewise_std_normalization", self.std
        ):
            x /= self.std + 1e-6
        if self.zca_whitening and self._was_fit("zca_whitening", self.zca_whitening_matrix):
            flat = x.reshape(-1, np.prod(x.shape[-3:]))
            x = np.reshape(flat @ self.zca_whitening_matrix, x.shape)
        return x

    def _was_fit(self, name: str, learned: Any) -> bool:
        if learned is None:
            message = f"`{name}` does nothing before the generator was fit on data (`fit`)."
            warnings.warn(message, stacklevel=3)
        return learned is not None

    def get_random_transform(self, img_shape: Any, seed: int | None = None) -> dict[str, Any]:
        """What to do to an image of this shape, drawn at random."""
        uniform = np.random.uniform
        if seed is not None:
            np.random.seed(seed)
        theta = _either_way(self.rotation_range)
        tx = _shift(self.height_shift_range, img_shape, self.row_axis - 1)
        ty = _shift(self.width_shift_range, img_shape, self.col_axis - 1)
        shear = _either_way(self.shear_range)
        low, high = self.zoom_range
        zx, zy = (1, 1) if low == high == 1 else uniform(low, high, 2)
        # The coins are thrown whether or not they count, so that seeds mean the same.
        horizontal = (np.random.random() < 0.5) * self.horizontal_flip
        vertical = (np.random.random() < 0.5) * self.vertical_flip
        channels = self.channel_shift_range
        return {
            "theta": theta,
            "tx": tx,
            "ty": ty,
            "shear": shear,
            "zx": zx,
            "zy": zy,
            "flip_horizontal": horizontal,
            "flip_vertical": vertical,
            "channel_shift_intensity": uniform(-channels, channels) if channels != 0 else None,
            "brightness": None
            if self.brightness_range is None
            else uniform(*self.brightness_range),
        }

    def apply_transform(self, x: np.ndarray, transform_parameters: dict[str, Any]) -> np.ndarray:
        """An image changed as `get_random_transform` says."""
        given = transform_parameters.get
        rows, columns, channels = self.row_axis - 1, self.col_axis - 1, self.channel_axis - 1
        x = apply_affine_transform(
            x,
            given("theta", 0),
            given("tx", 0),
            given("ty", 0),
            given("shear", 0),
            given("zx", 1),
            given("zy", 1),
            row_axis=rows,
            col_axis=columns,
            channel_axis=channels,
            fill_mode=self.fill_mode,
            cval=self.cval,
            order=self.interpolation_order,
        )
        if given("channel_shift_intensity") is not None:
            x = apply_channel_shift(x, transform_parameters["channel_shift_intensity"], channels)
        if given("flip_horizontal", False):
            x = np.flip(x, columns)
        if given("flip_vertical", False):
            x = np.flip(x, rows)
        if given("brightness") is not None:
            x = apply_brightness_shift(x, transform_parameters["brightness"], False)
        return x

    def random_transform(self, x: np.ndarray, seed: int | None = None) -> np.ndarray:
        """An image changed at random."""
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))

    def fit(self, x: Any, augment: bool = False, rounds: int = 1, seed: int | None = None) -> None:
        """Learn the statistics that featurewise standardization and whitening need."""
        x = np.array(x, dtype=self.dtype)
        self._check_images(x)
        if seed is not None:
            np.random.seed(seed)
        if self.rescale:
            x *= self.rescale
        if augment:
            x = np.stack([self.random_transform(image) for _ in range(rounds) for image in x])
        axes = (0, self.row_axis, self.col_axis)
        shape = [1, 1, 1]
        shape[self.channel_axis - 1] = x.shape[self.channel_axis]
        if self.featurewise_center:
            self.mean = np.mean(x, axis=axes).reshape(shape)
            x = x - self.mean
        if self.featurewise_std_normalization:
            self.std = np.std(x, axis=axes).reshape(shape)
            x = x / (self.std + 1e-6)
        if self.zca_whitening:
            u, s, _ = np.linalg.svd(x.reshape(len(x), -1).T, full_matrices=False)
            self.zca_whitening_matrix = (u * (np.sqrt(len(x)) / (s + self.zca_epsilon))) @ u.T

    def _check_images(self, x: np.ndarray) -> None:
        if x.ndim != 4:
            raise ValueError(f"`fit` takes images of rank 4, got the shape {x.shape}.")
        if x.shape[self.channel_axis] not in (1, 3, 4):
            warnings.warn(
                f'With the data format "{self.data_format}" axis {self.channel_axis} should hold '
                f"1, 3 or 4 channels, but the images have the shape {x.shape}.",
                stacklevel=3,
            )


def _pair(name: str, value: Any) -> Any:
    if value is not None and (not isinstance(value, tuple | list) or len(value) != 2):
        raise ValueError(f"`{name}` must be two floats, got {value}.")
    return value


def _zoom(zoom_range: Any) -> list[float]:
    if isinstance(zoom_range, float | int):
        return [1 - zoom_range, 1 + zoom_range]
    if len(zoom_range) == 2 and all(isinstance(value, float | int) for value in zoom_range):
        return [zoom_range[0], zoom_range[1]]
    raise ValueError(f"`zoom_range` must be a float or two floats, got {zoom_range}.")


def _either_way(most: float) -> float:
    return np.random.uniform(-most, most) if most else 0


def _shift(most: Any, shape: Any, axis: int) -> float:
    """Pixels to move: one of a list of steps, less than an integer, or up to a fraction."""
    if not most:
        return 0
    try:
        pixels = np.random.choice(most) * np.random.choice([-1, 1])
    except ValueError:  # a fraction is no list to choose from
        pixels = np.random.uniform(-most, most)
    return pixels * shape[axis] if np.max(most) < 1 else pixels
