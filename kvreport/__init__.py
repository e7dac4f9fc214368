"""Measures embedded key-value stores for the JVM and renders the report on them."""

import sys
from types import ModuleType
from typing import cast

# Where this is installed (JupyterLab brings it) jsonschema, and so Altair, imports it and compiles
# a grammar for more than a second,
# for a format that nothing here has. None lets the import fail, which jsonschema is prepared for.
sys.modules.setdefault("rfc3987_syntax", cast(ModuleType, None))
