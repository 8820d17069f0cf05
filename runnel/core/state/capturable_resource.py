"""Resources that a function makes, such as lookup tables, as parts of checkpoints and models."""

from __future__ import annotations

from typing import Any

from runnel.core.op import context
from runnel.core.settings.scopes import outside_functions
from runnel.core.state.trackable import Trackable
from runnel.core.tensor.tensor import Tensor


class CapturableResource(Trackable):
    """A base for objects around a resource that functions capture.

    `_create_resource` makes it, `_initialize` fills it. A SavedModel keeps both as functions, and
    runs them when it is loaded. One that can be saved itself also has `_serialize_to_tensors` and
    `_restore_from_tensors`; for a table they give and take `-keys` and `-values`, and
    `_checkpoint_name` is `table`, as in TensorFlow's checkpoints.
    """

    _home: Any = None  # the plain graph that the resource belongs to

    def __init__(self, device: str = "") -> None:
        self._resource_device = device
        self._home = outside_functions()
        self._resource_handle: Any = None

    def _create_resource(self) -> Tensor:
        """Make the resource; its handle."""
        raise NotImplementedError(f"{type(self).__name__} has no _create_resource.")

    def _initialize(self) -> Any:
        """Fill the resource."""

    def _destroy_resource(self) -> Any:
        """Give the resource up; here it goes with its handle."""

    @property
    def resource_handle(self) -> Tensor:
        """The tensor that stands for the resource, which is made when first asked for."""
        if self._resource_handle is None:
            with context.building(self._home), context.unrecorded():
                self._resource_handle = self._create_resource()
        return self._resource_handle  # type: ignore[no-any-return]


class TrackableResource(CapturableResource):
    """A resource of a program's own: `tf.saved_model.experimental.TrackableResource`."""
