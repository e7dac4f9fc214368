"""Work that nobody times, done on all processors at once."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

MOST = 4  # at once: each may be a kernel, with some hundred MB of its own


def parallel_map(work: Callable, items: Iterable) -> Iterator:
    """The results of some work on each item, in the items' order. The first failure ends it: what
    has not begun by then is left.
    """
    pool = ThreadPoolExecutor(min(MOST, len(os.sched_getaffinity(0))))
    try:
        yield from pool.map(work, items)
    finally:
        pool.shutdown(cancel_futures=True)
