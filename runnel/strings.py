"""Operations on strings: `tf.strings`."""

from runnel.ops.formatting import format as format
from runnel.ops.ngrams import ngrams as ngrams
from runnel.ops.regex import regex_full_match as regex_full_match
from runnel.ops.regex import regex_replace as regex_replace
from runnel.ops.string_case import lower as lower
from runnel.ops.string_case import strip as strip
from runnel.ops.string_case import upper as upper
from runnel.ops.string_hashing import to_hash_bucket as to_hash_bucket
from runnel.ops.string_hashing import to_hash_bucket_fast as to_hash_bucket_fast
from runnel.ops.string_hashing import to_hash_bucket_strong as to_hash_bucket_strong
from runnel.ops.string_joining import join as join
from runnel.ops.string_joining import reduce_join as reduce_join
from runnel.ops.string_joining import unsorted_segment_join as unsorted_segment_join
from runnel.ops.string_numbers import as_string as as_string
from runnel.ops.string_numbers import to_number as to_number
from runnel.ops.string_splitting import bytes_split as bytes_split
from runnel.ops.string_splitting import split as split
from runnel.ops.substrings import length as length
from runnel.ops.substrings import substr as substr
from runnel.ops.unicode import unicode_transcode as unicode_transcode
from runnel.ops.unicode_rows import unicode_decode as unicode_decode
from runnel.ops.unicode_rows import unicode_decode_with_offsets as unicode_decode_with_offsets
from runnel.ops.unicode_rows import unicode_encode as unicode_encode
from runnel.ops.unicode_rows import unicode_split as unicode_split
from runnel.ops.unicode_rows import unicode_split_with_offsets as unicode_split_with_offsets
from runnel.ops.unicode_scripts import unicode_script as unicode_script
