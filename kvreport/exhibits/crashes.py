"""The first page's name for analysis.crashes.on_device, until that page asks for it there."""

from typing import Any

from kvreport.analysis.crashes import on_device


class Crashes:
    """The crashes that the report shows."""

    @classmethod
    def shown(cls) -> "Crashes":
        return cls()

    def on_disk(self) -> dict[str, Any]:
        return on_device()
