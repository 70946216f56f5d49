"""``gkl-shim env``: print the environment variables that enable the shim in any GATK launcher."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
from pathlib import Path

import click

from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import fetch, run


@click.command(
    name="env",
    epilog='Example: eval "$(gkl-shim env)"; gatk HaplotypeCaller ...',
)
@click.option(
    "--swap",
    type=click.Choice(["agent", "classpath", "library-path"]),
    default="agent",
    show_default=True,
    help="How to replace GATK's native classes. library-path replaces PairHMM only.",
)
@click.option(
    "--gatk",
    "gatk_classpath",
    metavar="CLASSPATH",
    help="For library-path: GATK's class path or package jar. Its other Intel libraries are copied "
    "to the folder.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="For library-path: the folder to prepare.",
)
@click.option("--json", "as_json", is_flag=True, help="Print variables and options as JSON.")
def command(swap: str, gatk_classpath: str | None, output: Path | None, as_json: bool) -> None:
    """Print the environment variables with which any GATK launcher runs the shim.

    The default, the agent, needs only one variable. It works with GATK's own script, in a container
    and under Spark. If the Java here is 24 or later, which warns of native libraries, the variable
    also allows them.
    """
    if swap == "library-path" and output is None:
        raise click.UsageError("--swap library-path needs --output, the folder to prepare")
    if swap != "library-path" and (gatk_classpath is not None or output is not None):
        raise click.UsageError("--gatk and --output are for --swap library-path")
    variables: tuple[str, ...] = ()
    if swap == "classpath":
        chosen = run.classpath_swap()
    elif output is None:
        chosen = run.agent_swap()
        variables = ("JAVA_TOOL_OPTIONS",)
    else:
        folder = output.absolute()
        run.library_folder(run.find_classpath(gatk_classpath), folder)
        chosen = run.library_path_swap(folder)
        variables = ("USE_LIBRARY_PATH", "JAVA_TOOL_OPTIONS")
    if importlib.util.find_spec("cupy") is not None:
        variables += ("GKL_SHIM_PYTHON",)
    environment = chosen.environment(os.environ)
    exports = {name: environment[name] for name in variables}
    options = exports.get("JAVA_TOOL_OPTIONS")
    if options is not None and run.NATIVE_ACCESS not in options and _warns_of_libraries():
        exports["JAVA_TOOL_OPTIONS"] += f" {run.NATIVE_ACCESS}"
    jars = [str(jar) for jar in chosen.jars]
    if as_json:
        click.echo(json.dumps({"swap": swap, "environment": exports, "classpath_first": jars}))
        return
    lines = [f"export {name}={shlex.quote(value)}" for name, value in exports.items()]
    for jar in jars:
        lines.append("# Put this jar in front of GATK's jar on the class path:")
        lines.append(f'# java -cp {shlex.quote(jar)}:"$GATK_LOCAL_JAR" {run.MAIN_CLASS} ...')
    # Printed as bytes, because a path may not be valid text in any encoding.
    click.echo(b"".join(os.fsencode(line) + b"\n" for line in lines), nl=False)


def _warns_of_libraries() -> bool:
    """Return whether Java warns of native libraries, as Java 24 and later do."""
    try:
        version = re.match(r"\d+", fetch.java_version())
    except MissingComponent:
        return False
    return version is not None and int(version[0]) >= 24
