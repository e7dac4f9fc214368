"""The exhibits of the tests that are more than a case's panels: what is drawn, and the tables and
sentences beside it.
"""
