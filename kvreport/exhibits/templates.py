"""Sentences of the chapters: the words are in the notebooks, as templates (base.templates), the
numbers computed.
"""

from typing import Any

from IPython.display import Markdown

from kvreport.base.templates import fill


class Sentence(Markdown):
    """Text of a chapter, with what it was filled with: `numbers`. Jupyter shows the text; a console
    shows the numbers too.
    """

    def __init__(self, template: str, **numbers: Any):
        super().__init__(fill(template, **numbers))
        self.template, self.numbers = template, numbers

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.numbers.items())
        return f"{self.data} ({given})" if given else self.data
