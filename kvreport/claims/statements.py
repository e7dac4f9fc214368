"""What the sources state, test by test: named claims, each with its check and the exhibits it is
about.
"""

from kvreport.claims.statements_conclusion import CONCLUSION
from kvreport.claims.statements_lmdb import TEST_4, TEST_5, TEST_6

__all__ = [
    "CONCLUSION",
    "TEST_4",
    "TEST_5",
    "TEST_6",
]
