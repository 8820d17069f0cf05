"""A vocabulary learned from texts, and texts as numbers of it."""

from __future__ import annotations

import json
import warnings
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from runnel.keras.preprocessing.words import FILTERS, text_to_word_sequence
from runnel.keras.utils.padding import filled


class Tokenizer:
    """Numbers words by how often they occur, from 1; 0 is left for padding.

    >>> tokenizer = tf.keras.preprocessing.text.Tokenizer()
    >>> tokenizer.fit_on_texts(["the cat sat", "the dog"])
    >>> tokenizer.texts_to_sequences(["the dog sat"])
    [[1, 4, 3]]
    """

    def __init__(
        self,
        num_words: int | None = None,
        filters: str = FILTERS,
        lower: bool = True,
        split: str = " ",
        char_level: bool = False,
        oov_token: str | None = None,
        analyzer: Callable[[str], list[str]] | None = None,
        **kwargs: Any,
    ) -> None:
        if "nb_words" in kwargs:
            warnings.warn("`nb_words` of Tokenizer is now called `num_words`.", stacklevel=2)
            num_words = kwargs.pop("nb_words")
        self.document_count: int = kwargs.pop("document_count", 0)
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        self.num_words = num_words
        self.filters = filters
        self.lower = lower
        self.split = split
        self.char_level = char_level
        self.oov_token = oov_token
        self.analyzer = analyzer
        self.word_counts: dict[str, int] = OrderedDict()
        self.word_docs: dict[str, int] = defaultdict(int)
        self.index_docs: dict[int, int] = defaultdict(int)
        self.word_index: dict[str, int] = {}
        self.index_word: dict[int, str] = {}

    def fit_on_texts(self, texts: Iterable[Any]) -> None:
        """Count the words of some texts and number them anew."""
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for word in words:
                self.word_counts[word] = self.word_counts.get(word, 0) + 1
            for word in set(words):
                self.word_docs[word] += 1
        ranked = sorted(self.word_counts, key=lambda word: -self.word_counts[word])
        first = [] if self.oov_token is None else [self.oov_token]
        self.word_index = {word: i for i, word in enumerate(first + ranked, start=1)}
        self.index_word = {i: word for word, i in self.word_index.items()}
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences: Any) -> None:
        """Count in how many sequences each number occurs (for "tfidf")."""
        self.document_count += len(sequences)
        for sequence in sequences:
            for number in set(sequence):
                self.index_docs[number] += 1

    def texts_to_sequences(self, texts: Iterable[Any]) -> list[list[int]]:
        """Each text as the numbers of its words; unknown words are left out, or `oov_token`."""
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts: Iterable[Any]) -> Iterator[list[int]]:
        """`texts_to_sequences`, one after another."""
        unknown = self._oov_number()
        for text in texts:
            numbers = [self._known(self.word_index.get(word)) for word in self._words(text)]
            known = [unknown if number is None else number for number in numbers]
            yield [number for number in known if number is not None]

    def sequences_to_texts(self, sequences: Iterable[Iterable[int]]) -> list[str]:
        """Each sequence of numbers as words, joined by blanks."""
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences: Iterable[Iterable[int]]) -> Iterator[str]:
        """`sequences_to_texts`, one after another."""
        unknown = self._oov_number()
        for sequence in sequences:
            known = [self._known(n if n in self.index_word else None) for n in sequence]
            numbers = [unknown if number is None else number for number in known]
            yield " ".join(self.index_word[number] for number in numbers if number is not None)

    def texts_to_matrix(self, texts: Iterable[Any], mode: str = "binary") -> np.ndarray:
        """A row per text, a column per word: "binary", "count", "freq" or "tfidf"."""
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode=mode)

    def sequences_to_matrix(self, sequences: Any, mode: str = "binary") -> np.ndarray:
        """A row per sequence, a column per number: "binary", "count", "freq" or "tfidf"."""
        if not self.num_words and not self.word_index:
            raise ValueError("Give `num_words`, or fit the tokenizer on some texts first.")
        if mode == "tfidf" and not self.document_count:
            raise ValueError('Fit the tokenizer on some texts first: mode "tfidf" needs counts.')
        width = self.num_words or len(self.word_index) + 1
        matrix = filled("sequences_to_matrix", (len(sequences), width), 0.0, float)
        for row, sequence in zip(matrix, sequences):
            known = [number for number in sequence if number < width]
            if not all(isinstance(number, int | np.integer) for number in known):
                raise ValueError(f"Sequences must be of whole numbers, got {sequence!r}.")
            for number, count in Counter(known).items():
                row[number] = self._weight(mode, number, count, len(sequence))
        return matrix

    def get_config(self) -> dict[str, Any]:
        """The arguments and what was learned, tables as JSON."""
        plain = "num_words filters lower split char_level oov_token document_count".split()
        tables = "word_counts word_docs index_docs index_word word_index".split()
        return {name: getattr(self, name) for name in plain} | {
            name: json.dumps(getattr(self, name)) for name in tables
        }

    def to_json(self, **kwargs: Any) -> str:
        """The tokenizer as JSON, for `tokenizer_from_json`."""
        config = {"class_name": type(self).__name__, "config": self.get_config()}
        return json.dumps(config, **kwargs)

    def _words(self, text: Any) -> Any:
        if self.char_level or isinstance(text, list):
            if not self.lower:
                return text
            return [word.lower() for word in text] if isinstance(text, list) else text.lower()
        if self.analyzer is not None:
            return self.analyzer(text)
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def _oov_number(self) -> int | None:
        return None if self.oov_token is None else self.word_index.get(self.oov_token)

    def _known(self, number: int | None) -> int | None:
        """The number, unless it is beyond those that are kept."""
        if number is None or (self.num_words and number >= self.num_words):
            return None
        return number

    def _weight(self, mode: str, number: int, count: int, length: int) -> float:
        if mode == "binary":
            return 1
        if mode == "count":
            return count
        if mode == "freq":
            return count / length
        if mode == "tfidf":
            documents = self.index_docs.get(number, 0)
            inverse = np.log(1 + self.document_count / (1 + documents))
            return float((1 + np.log(count)) * inverse)
        raise ValueError("Unknown vectorization mode:", mode)


def tokenizer_from_json(json_string: str) -> Tokenizer:
    """The tokenizer that `to_json` described.

    >>> tokenizer = tf.keras.preprocessing.text.Tokenizer()
    >>> tokenizer.fit_on_texts(["a b"])
    >>> tf.keras.preprocessing.text.tokenizer_from_json(tokenizer.to_json()).word_index
    {'a': 1, 'b': 2}
    """
    saved = json.loads(json_string)
    config = saved.get("config") if isinstance(saved, dict) else None
    if not isinstance(config, dict):
        raise ValueError("`json_string` must describe a tokenizer: it has no `config`.")
    tables = "word_counts word_docs index_docs index_word word_index".split()
    learned = {name: _table(name, config.pop(name, None)) for name in tables}
    tokenizer = Tokenizer(**config)
    for name, table in learned.items():
        if name.startswith("index_"):  # JSON's keys are strings
            table = {int(key): value for key, value in table.items()}
        setattr(tokenizer, name, table)
    return tokenizer


def _table(name: str, text: Any) -> dict[Any, Any]:
    table = json.loads(text) if isinstance(text, str) else None
    if not isinstance(table, dict):
        raise ValueError(f"The tokenizer's config must have `{name}`, a table in JSON.")
    return table
