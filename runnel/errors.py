"""The exceptions that ops raise."""

from runnel.core.values.errors import ABORTED as ABORTED
from runnel.core.values.errors import ALREADY_EXISTS as ALREADY_EXISTS
from runnel.core.values.errors import CANCELLED as CANCELLED
from runnel.core.values.errors import DATA_LOSS as DATA_LOSS
from runnel.core.values.errors import DEADLINE_EXCEEDED as DEADLINE_EXCEEDED
from runnel.core.values.errors import FAILED_PRECONDITION as FAILED_PRECONDITION
from runnel.core.values.errors import INTERNAL as INTERNAL
from runnel.core.values.errors import INVALID_ARGUMENT as INVALID_ARGUMENT
from runnel.core.values.errors import NOT_FOUND as NOT_FOUND
from runnel.core.values.errors import OK as OK
from runnel.core.values.errors import OUT_OF_RANGE as OUT_OF_RANGE
from runnel.core.values.errors import PERMISSION_DENIED as PERMISSION_DENIED
from runnel.core.values.errors import RESOURCE_EXHAUSTED as RESOURCE_EXHAUSTED
from runnel.core.values.errors import UNAUTHENTICATED as UNAUTHENTICATED
from runnel.core.values.errors import UNAVAILABLE as UNAVAILABLE
from runnel.core.values.errors import UNIMPLEMENTED as UNIMPLEMENTED
from runnel.core.values.errors import UNKNOWN as UNKNOWN
from runnel.core.values.errors import AbortedError as AbortedError
from runnel.core.values.errors import AlreadyExistsError as AlreadyExistsError
from runnel.core.values.errors import CancelledError as CancelledError
from runnel.core.values.errors import DataLossError as DataLossError
from runnel.core.values.errors import DeadlineExceededError as DeadlineExceededError
from runnel.core.values.errors import FailedPreconditionError as FailedPreconditionError
from runnel.core.values.errors import InternalError as InternalError
from runnel.core.values.errors import InvalidArgumentError as InvalidArgumentError
from runnel.core.values.errors import NotFoundError as NotFoundError
from runnel.core.values.errors import (
    OperatorNotAllowedInGraphError as OperatorNotAllowedInGraphError,
)
from runnel.core.values.errors import OpError as OpError
from runnel.core.values.errors import OutOfRangeError as OutOfRangeError
from runnel.core.values.errors import PermissionDeniedError as PermissionDeniedError
from runnel.core.values.errors import ResourceExhaustedError as ResourceExhaustedError
from runnel.core.values.errors import UnauthenticatedError as UnauthenticatedError
from runnel.core.values.errors import UnavailableError as UnavailableError
from runnel.core.values.errors import UnimplementedError as UnimplementedError
from runnel.core.values.errors import UnknownError as UnknownError
