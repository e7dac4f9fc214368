"""Power cuts below a real file system: what a disk may have kept of the writes that it was given.

A disk that records every write and every flush carries a file system, on which a store commits.
From its log come images of the disk as a power cut could have left it; each is mounted, and the
store's own recovery has to find what it had acknowledged.
"""
