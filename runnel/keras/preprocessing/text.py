"""`tf.keras.preprocessing.text`."""

from runnel.keras.preprocessing.tokenizer import Tokenizer as Tokenizer
from runnel.keras.preprocessing.tokenizer import tokenizer_from_json as tokenizer_from_json
from runnel.keras.preprocessing.words import hashing_trick as hashing_trick
from runnel.keras.preprocessing.words import one_hot as one_hot
from runnel.keras.preprocessing.words import text_to_word_sequence as text_to_word_sequence
