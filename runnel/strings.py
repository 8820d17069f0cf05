"""Operations on strings: `tf.strings`."""

from runnel.ops.strings.case import lower as lower
from runnel.ops.strings.case import strip as strip
from runnel.ops.strings.case import upper as upper
from runnel.ops.strings.formatting import format as format
from runnel.ops.strings.hashing import to_hash_bucket as to_hash_bucket
from runnel.ops.strings.hashing import to_hash_bucket_fast as to_hash_bucket_fast
from runnel.ops.strings.hashing import to_hash_bucket_strong as to_hash_bucket_strong
from runnel.ops.strings.join import join as join
from runnel.ops.strings.join import reduce_join as reduce_join
from runnel.ops.strings.join import unsorted_segment_join as unsorted_segment_join
from runnel.ops.strings.ngrams import ngrams as ngrams
from runnel.ops.strings.numbers import as_string as as_string
from runnel.ops.strings.numbers import to_number as to_number
from runnel.ops.strings.regex import regex_full_match as regex_full_match
from runnel.ops.strings.regex import regex_replace as regex_replace
from runnel.ops.strings.split import bytes_split as bytes_split
from runnel.ops.strings.split import split as split
from runnel.ops.strings.substr import length as length
from runnel.ops.strings.substr import substr as substr
from runnel.ops.strings.unicode import unicode_transcode as unicode_transcode
from runnel.ops.strings.unicode_rows import unicode_decode as unicode_decode
from runnel.ops.strings.unicode_rows import (
    unicode_decode_with_offsets as unicode_decode_with_offsets,
)
from runnel.ops.strings.unicode_rows import unicode_encode as unicode_encode
from runnel.ops.strings.unicode_rows import unicode_split as unicode_split
from runnel.ops.strings.unicode_rows import unicode_split_with_offsets as unicode_split_with_offsets
from runnel.ops.strings.unicode_scripts import unicode_script as unicode_script
