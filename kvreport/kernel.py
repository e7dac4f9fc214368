"""The Java kernel: JJava's jar, started by a kernelspec of our own.

JJava's own kernelspec starts whatever `java` is on PATH; ours names the JDK the stores were built with, their JVM flags and
their class path. It is called `java` and lives in the environment, beside JJava's jar; nothing goes into the home directory.
"""

import json
import os

from jupyter_client.kernelspec import KernelSpec

from kvreport.errors import UserError
from kvreport.jdk import find_jdk
from kvreport.paths import JAVA_KERNEL
from kvreport.stores import catalog, union

JAR = JAVA_KERNEL / "jjava.jar"
JSHELL = "--add-opens=jdk.jshell/jdk.jshell=ALL-UNNAMED"


def register():
    """Writes the kernelspec `java`, for JupyterLab: every store on its class path, and the JVM's own choice of heap."""
    known = catalog()
    hand = spec("Java (key-value stores)", *union(known["stores"].values()))
    text = json.dumps(hand.to_dict(), indent=1)
    file = JAVA_KERNEL / "kernel.json"
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def is_registered() -> bool:
    """Whether the environment's kernel `java` is ours, and not the one that JJava's package brings."""
    file = JAVA_KERNEL / "kernel.json"
    return JAR.exists() and file.exists() and JSHELL in file.read_text()


def spec(name: str, options: list[str], class_path: list[str], *more: str) -> KernelSpec:
    """A kernel with those JVM flags and that class path; `more` flags ("-Xmx2g") come last and so win."""
    if not JAR.exists():
        raise UserError(f"The Java kernel is not installed ({JAR} is missing): remove .venv and run `make setup`.")
    return KernelSpec(
        argv=[str(find_jdk().java), *options, JSHELL, *more, "-jar", str(JAR), "{connection_file}"],
        display_name=name, language="java", interrupt_mode="message",
        env={"JJAVA_CLASSPATH": os.pathsep.join(class_path)})
