"""Dated versions: frozen, dressed, exported and listed."""
