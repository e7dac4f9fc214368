"""Pages and PDF from the book's sources: Quarto, the offline engine, which chapters are out of
date.
"""
