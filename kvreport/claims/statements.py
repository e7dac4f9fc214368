"""What the sources state, test by test: named claims, each with its check and the exhibits it is
about. Those on threads, maps and RocksJava are in claims.statements_jvm.
"""

from kvreport.claims.statements_conclusion import CONCLUSION
from kvreport.claims.statements_lmdb import TEST_4, TEST_5, TEST_6
from kvreport.claims.statements_page import TEST_7

__all__ = [
    "CONCLUSION",
    "TEST_4",
    "TEST_5",
    "TEST_6",
    "TEST_7",
]
