"""The chapters of a book as syntax trees: what the offline engine renders, and what every render is
checked by.
"""

from kvreport.base.parallel import parallel_map
from kvreport.render.book import Book, Chapter, markdown_of, variables_of
from kvreport.render.crossref import Document, Target, number
from kvreport.render.pandoc import parse


def read_documents(book: Book) -> tuple[list[Document], dict[str, Target], list[str]]:
    """The chapters as syntax trees, everything in them that has a name, and what is wrong with the
    names.
    """
    known = variables_of(book.root)

    def document(chapter: Chapter) -> Document:
        markdown, pictures = markdown_of(book.root / chapter.source, known)
        return Document(chapter, parse(markdown), pictures)

    documents = list(parallel_map(document, book.chapters))
    targets, problems = number(documents)
    return documents, targets, problems
