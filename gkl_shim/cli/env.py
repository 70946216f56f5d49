"""``gkl-shim env``: print the environment variables that enable the shim in any GATK launcher."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
import re
import shlex
import sys
from pathlib import Path

import click

from gkl_shim.cli.common import _options
from gkl_shim.cli.common._command import subcommand
from gkl_shim.cli.common._json import write_json
from gkl_shim.common._output_files import check_outputs
from gkl_shim.common._printable import printable
from gkl_shim.errors import MissingComponent
from gkl_shim.gatk import archive, programs, run, swaps


@subcommand(
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
@_options.classpath("For library-path and --archive: ")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="For library-path: the folder to prepare.",
)
@click.option(
    "--archive",
    "archive_folder",
    type=click.Path(path_type=Path),
    help="For agent: start GATK sooner, with an archive of its classes in this folder. If the "
    "folder has none that fits, a short run of GATK makes it.",
)
@_options.json_file("variables and options")
def command(
    swap: str,
    classpath: str | None,
    output: Path | None,
    archive_folder: Path | None,
    json_file: str | None,
) -> None:
    """Print the environment variables with which any GATK launcher runs the shim.

    The default, the agent, needs only one variable. It works with GATK's own script, in a container
    and under Spark. If the Java here is 24 or later, which warns of native libraries, the variable
    also allows them.
    """
    if swap == "library-path" and output is None:
        raise click.UsageError("--swap library-path needs --output, the folder to prepare")
    if swap != "library-path" and output is not None:
        raise click.UsageError("--output is for --swap library-path")
    if swap != "agent" and archive_folder is not None:
        raise click.UsageError("--archive is for --swap agent")
    if swap != "library-path" and archive_folder is None and classpath is not None:
        raise click.UsageError("--classpath is for --swap library-path and for --archive")
    check_outputs(json_file)
    variables: tuple[str, ...] = ()
    if swap == "classpath":
        chosen = swaps.classpath()
    elif output is None:
        chosen = swaps.agent()
        if archive_folder is not None:
            found = run.find_classpath(classpath)
            made = archive.for_gatk(found, archive_folder.absolute())
            chosen = dataclasses.replace(chosen, archive=made)
        variables = ("JAVA_TOOL_OPTIONS",)
    else:
        folder = output.absolute()
        swaps.library_folder(run.find_classpath(classpath), folder)
        chosen = swaps.library_path(folder)
        variables = ("USE_LIBRARY_PATH", "JAVA_TOOL_OPTIONS")
    if importlib.util.find_spec("cupy") is not None:
        variables += ("GKL_SHIM_PYTHON",)
    environment = chosen.environment(os.environ)
    exports = {name: environment[name] for name in variables}
    options = exports.get("JAVA_TOOL_OPTIONS")
    if options is not None and swaps.NATIVE_ACCESS not in options and _warns_of_libraries():
        exports["JAVA_TOOL_OPTIONS"] += f" {swaps.NATIVE_ACCESS}"
    _warn_of_locale(chosen)
    jars = [str(jar) for jar in chosen.jars]
    if json_file is not None:
        report = {"swap": swap, "environment": exports, "classpath_first": jars}
        write_json(json_file, report)
    if json_file == "-":
        return
    lines = [f"export {name}={shlex.quote(value)}" for name, value in exports.items()]
    for jar in jars:
        lines.append("# Put this jar in front of GATK's jar on the class path:")
        # A newline would end the comment, and a shell would run the rest of the path.
        quoted = shlex.quote(jar).replace("\n", "\\n")
        lines.append(f'# java -cp {quoted}:"$GATK_LOCAL_JAR" {run.MAIN_CLASS} ...')
    # Printed as bytes, because a path may not be valid text in any encoding.
    click.echo(b"".join(os.fsencode(line) + b"\n" for line in lines), nl=False)


def _warns_of_libraries() -> bool:
    """Return whether Java warns of native libraries, as Java 24 and later do."""
    try:
        version = re.match(r"\d+", programs.java_version())
    except MissingComponent:
        return False
    return version is not None and int(version[0]) >= 24


def _warn_of_locale(chosen: swaps.Swap) -> None:
    """Warn of files that Java cannot find. Without its agent, no JVM starts.

    In the locale C, which is also the one without any settings, Java finds no file whose path is
    not ASCII. Python takes UTF-8 mode for that locale when it starts.
    """
    if not sys.flags.utf8_mode or "PYTHONUTF8" in os.environ:
        return
    for path in (chosen.agent, *chosen.jars, chosen.libraries, chosen.archive):
        if path is not None and not str(path).isascii():
            click.echo(
                f"gkl-shim: warning: {printable(str(path))}: in the locale C, Java finds no path "
                "that is not ASCII; set LC_ALL=C.UTF-8, or use another folder",
                err=True,
            )
