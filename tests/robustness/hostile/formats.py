"""All formats of the trial; their shares are those of ten thousand files."""

from tests.robustness.hostile import archives, data_files, media, models

FORMATS = [*models.FORMATS, *archives.FORMATS, *data_files.FORMATS, *media.FORMATS]
