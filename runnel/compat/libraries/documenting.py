"""`tensorflow.tools.docs.doc_controls`: marks for a generator of documentation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Marked = TypeVar("Marked")
_HEADER = "_tf_docs_inheritable_header"


def _marking(attribute: str, meaning: str) -> Callable[[Marked], Marked]:
    def mark(obj: Marked) -> Marked:
        setattr(obj, f"_tf_docs_{attribute}", None)
        return obj

    mark.__doc__ = f"Mark {meaning}."
    return mark


set_deprecated = _marking("deprecated", "what is deprecated")
do_not_generate_docs = _marking("do_not_document", "what has no page, nor in derived classes")
do_not_doc_inheritable = _marking("do_not_doc_inheritable", "what derived classes do not show")
for_subclass_implementers = _marking(
    "tools_for_subclass_implementers", "what only derived classes use"
)
do_not_doc_in_subclasses = for_subclass_implementers
doc_private = _marking("doc_private", "a private name that is shown")
doc_in_current_and_subclasses = _marking(
    "doc_in_current_and_subclasses", "what derived classes show too"
)


def inheritable_header(text: str) -> Callable[[Marked], Marked]:
    """A decorator of classes: a text that comes first on the pages of derived ones."""

    def mark(cls: Marked) -> Marked:
        setattr(cls, _HEADER, text)
        return cls

    return mark


def get_inheritable_header(obj: Any) -> str | None:
    """The text that `inheritable_header` gave."""
    found: str | None = getattr(obj, _HEADER, None)
    return found
