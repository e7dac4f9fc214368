"""The pages of published versions that no chapter is: from report/theme/versions, by Jinja2, which
escapes what it fills in.
"""

from typing import Any

import jinja2

from kvreport.base.paths import THEME
from kvreport.base.templates import separator
from kvreport.base.text import join_words
from kvreport.data import editions

_environment = jinja2.Environment(
    loader=jinja2.FileSystemLoader(THEME / "versions"),
    undefined=jinja2.StrictUndefined,
    autoescape=True,
    keep_trailing_newline=True,
)
_environment.filters |= {"days": editions.days, "join_words": join_words}
_environment.globals["separator"] = separator


def page(template: str, **values: Any) -> str:
    """A page from one of the templates: index.html, latest.html, data.html."""
    return _environment.get_template(template).render(values)
