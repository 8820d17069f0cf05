"""Ops on summary writers. What they write is compared in `tests/golden/cases_summary.py`.

No row has a vector for a scalar: TensorFlow does not raise then, it aborts.
"""

import numpy as np

from tests.samples import handle, sample

STEP = np.int64(3)


def writer(**options):
    return handle(
        "summary.create_file_writer", "ram://events", experimental_trackable=True, **options
    )


ROWS = [
    sample("SummaryWriter"),
    sample("CreateSummaryFileWriter", writer(), "ram://events", np.int32(1), np.int32(1000), ".v2"),
    sample("FlushSummaryWriter", writer()),
    sample("CloseSummaryWriter", writer()),
    sample("WriteSummary", writer(), STEP, np.float32(1), "tag", ""),
    sample("WriteSummary", writer(), STEP, ["some", "text"], "tag", b"\n\x05\n\x03abc"),
    sample("WriteRawProtoSummary", writer(), STEP, b""),
    sample("WriteRawProtoSummary", writer(), STEP, b"\xff\xff"),
    sample("WriteGraphSummary", writer(), STEP, b""),
    sample("WriteGraphSummary", writer(), STEP, b"\xff\xff"),
    sample("WriteScalarSummary", writer(), STEP, "tag", np.float32(2)),
    sample("WriteScalarSummary", writer(), STEP, "tag", np.int32(2)),
]
