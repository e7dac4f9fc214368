"""The schemas of data/schema, compiled."""

import functools
from collections.abc import Callable

import fastjsonschema

from kvreport.base import paths
from kvreport.base.files import own_json


@functools.cache
def schema_text(schema: str) -> str:
    """The text of a schema."""
    return (paths.SCHEMA / f"{schema}.schema.json").read_text()


@functools.cache
def newest_format(schema: str) -> int:
    """The highest number of its form that a schema accepts."""

    def highest(content: dict) -> int:
        declared = content["properties"]["format"]
        return max(declared.get("enum") or [declared["const"]])

    return own_json(paths.SCHEMA / f"{schema}.schema.json", highest)


@functools.cache
def validator(schema: str) -> Callable[[dict], dict]:
    """Of "trial", "environment" and so on; it raises JsonSchemaValueException. Compiled, as every
    chapter validates every trial; our schemas use nothing that is newer than the drafts it knows.
    """
    return own_json(
        paths.SCHEMA / f"{schema}.schema.json",
        lambda content: fastjsonschema.compile(content, use_default=False),
    )


@functools.cache
def store_validator() -> Callable[[dict], dict]:
    """Of what a store says of itself: what a trial's record has of it, without what is known only
    once it runs.
    """

    def compiled(content: dict) -> Callable[[dict], dict]:
        store = content["properties"]["store"]
        later = "version", "engine", "code"
        said = [name for name in store["required"] if name not in later]
        of_store = {"type": "object", "properties": store["properties"], "required": said}
        return fastjsonschema.compile(of_store, use_default=False)

    return own_json(paths.SCHEMA / "trial.schema.json", compiled)
