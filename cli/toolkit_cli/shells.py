"""Shells: the script that completes commands in one is shown, or installed."""

from typer import _completion_shared as scripts

from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure

VARIABLE = "_TOOLKIT_COMPLETE"
"""The environment variable by which the script asks for completions."""

_PROGRAM = "toolkit"
_SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


def show_completion(shell: str | None) -> None:
    """Print the script that completes in a shell, by default in this one."""
    shell = _known(shell, "--show-completion")
    script = scripts.get_completion_script(prog_name=_PROGRAM, complete_var=VARIABLE, shell=shell)
    console.write_data(f"{script}\n")


def install_completion(shell: str | None) -> None:
    """Install completion for a shell, by default for this one; where goes to stdout."""
    shell = _known(shell, "--install-completion")
    _, path = scripts.install(shell, _PROGRAM, VARIABLE)
    console.write_data(f"{path}\n")
    console.say(f"completion for {shell} is installed; it takes effect in the next shell you open")


def _known(shell: str | None, option: str) -> str:
    name = shell or scripts._get_shell_name()  # noqa: SLF001 - the parser's own way to ask
    if name in _SHELLS:
        return str(name)
    problem = f"there is no completion for '{name}'" if name else "cannot tell which shell this is"
    raise Failure(ExitCode.USAGE, problem, hint=f"name one of {', '.join(_SHELLS)}, as in `toolkit {option} bash`")
