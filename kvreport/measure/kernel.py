"""The Java kernel: JJava's jar, started by a kernelspec of our own.

JJava's own kernelspec starts whatever `java` is on PATH; ours names the JDK the stores were built
with, their JVM flags and their class path. It is called `java` and lives in the environment, beside
JJava's jar; nothing goes into the home directory.
"""

import contextlib
import json
import os
from pathlib import Path

from jupyter_client.kernelspec import KernelSpec

from kvreport.base.errors import UserError
from kvreport.base.files import write_atomically
from kvreport.base.paths import JAVA_KERNEL
from kvreport.base.scratch import scratch
from kvreport.measure import jvm
from kvreport.toolchain import libraries
from kvreport.toolchain.catalogue import union
from kvreport.toolchain.jdk import QUICK_TO_START, crash_flags, find_jdk

JAR = libraries.JJAVA
JSHELL = "--add-opens=jdk.jshell/jdk.jshell=ALL-UNNAMED"
LINK = "kernel.jsa"
ARCHIVE_SECONDS = 60
# uv links an environment's files to its cache, so that both are damaged
ANEW = "remove .venv, and run `make setup`"


def archive() -> Path:
    """Return where the classes of the compiler and of JJava are, ready to be mapped (HotSpot's
    class-data sharing): a quarter less of a kernel's start.

    The stores' own classes are not among them: those come through a class loader of JJava's, as
    ever.
    """
    return JAVA_KERNEL / f"{find_jdk().version}.jsa"


def make_archive() -> None:
    """Has a kernel run a cell and keep what it loaded. Nothing depends on it: without an archive,
    or with an old one, kernels start as they are.
    """
    with scratch(JAVA_KERNEL) as work, open(os.devnull, "wb") as nowhere:
        flag = f"-XX:ArchiveClassesAtExit={work / LINK}"
        with (
            jvm.started(spec("Java", [], [], flag), {}, work, nowhere) as manager,
            contextlib.closing(jvm.Kernel(manager, nowhere, ARCHIVE_SECONDS, "", print)) as kernel,
            contextlib.suppress(jvm.Failure),
        ):
            kernel.wait()
            kernel.execute("List.of(1).forEach(each -> System.exit(each));")
        if (work / LINK).exists():
            (work / LINK).replace(archive())  # whole: with half of it a JVM crashes


def from_archive(work: Path) -> list[str]:
    """The flags of a kernel with that current directory that let it start from the archive: through
    a link there, so that no record names a folder.
    """
    if not archive().is_file():
        return []
    (work / LINK).unlink(missing_ok=True)
    (work / LINK).symlink_to(archive())
    return [f"-XX:SharedArchiveFile={LINK}"]


def register(known: dict) -> None:
    """Writes the kernelspec `java`, for JupyterLab: every store of the catalogue is on its class
    path, and the heap is the JVM's own choice."""
    if not archive().is_file():
        make_archive()
    hand = spec("Java (key-value stores)", *union(known["stores"].values()), *crash_flags())
    text = json.dumps(hand.to_dict(), indent=1)
    file = JAVA_KERNEL / "kernel.json"
    if not file.is_file() or file.read_bytes() != text.encode():
        write_atomically(file, text)


def is_registered() -> bool:
    """Return whether the environment's kernel `java` is ours, and not the one that JJava's package
    brings.
    """
    file = JAVA_KERNEL / "kernel.json"
    return JAR.exists() and file.is_file() and JSHELL.encode() in file.read_bytes()


def spec(name: str, options: list[str], class_path: list[str], *more: str) -> KernelSpec:
    """A kernel with those JVM flags and that class path; `more` flags ("-Xmx2g") come last and so
    win.
    """
    if not JAR.exists():
        raise UserError(f"The Java kernel is not installed ({JAR} is missing): {ANEW}.")
    libraries.check([JAR], ANEW)
    return KernelSpec(
        argv=[str(find_jdk().java), *options, JSHELL, *more, "-jar", str(JAR), "{connection_file}"],
        display_name=name,
        language="java",
        interrupt_mode="message",
        env={"JJAVA_CLASSPATH": libraries.class_path(class_path)},
    )


def measuring(stores: list[dict], work: Path, heap: str, *more: str) -> KernelSpec:
    """The kernel that measures those stores of the catalogue, and knows no other.

    What libraries unpack goes into its work directory or a like one, and so away with it, though it
    is killed.
    """
    return spec(
        f"Java ({', '.join(store['id'] for store in stores)})",
        *union(stores),
        *from_archive(work),
        *jvm.heap(heap),
        f"-Djava.io.tmpdir={jvm.UNPACKED}",
        "-XX:-UsePerfData",
        "-XX:-CreateCoredumpOnCrash",
        *more,
    )


def planning(known: dict, work: Path) -> KernelSpec:
    """A kernel with all stores that times nothing: it is asked what sections measure."""
    return _with_all(known, work, *QUICK_TO_START)


def showing(known: dict, work: Path, heap: str | None) -> KernelSpec:
    """A kernel with all stores, as a reader has it by hand: it makes the log of a section. Without
    a size of its heap it is one to time nothing with, which starts sooner.
    """
    return _with_all(known, work, *(jvm.heap(heap) if heap else QUICK_TO_START))


def _with_all(known: dict, work: Path, *flags: str) -> KernelSpec:
    stores = union(known["stores"].values())
    return spec("Java", *stores, *from_archive(work), f"-Djava.io.tmpdir={jvm.UNPACKED}", *flags)
