"""Shows or installs the completion script for a shell."""

from typer import _completion_shared as scripts

from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure

VARIABLE = "_TOOLKIT_COMPLETE"
"""The environment variable that the script sets to request completions."""

_PROGRAM = "toolkit"
_SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


def show_completion(shell: str | None) -> None:
    """Print the completion script for a shell, by default the current one."""
    shell = _known(shell, "--show-completion")
    script = scripts.get_completion_script(prog_name=_PROGRAM, complete_var=VARIABLE, shell=shell)
    console.write_data(f"{script}\n")


def install_completion(shell: str | None) -> None:
    """Install completion for a shell, by default the current one, and print the path of the script."""
    shell = _known(shell, "--install-completion")
    _, path = scripts.install(shell, _PROGRAM, VARIABLE)
    console.write_data(f"{path}\n")
    console.say(f"completion for {shell} is installed; it takes effect in the next shell you open")


def _known(shell: str | None, option: str) -> str:
    name = shell or scripts._get_shell_name()  # noqa: SLF001 - how Typer detects the shell
    if name in _SHELLS:
        return str(name)
    problem = f"there is no completion for '{name}'" if name else "the current shell could not be detected"
    raise Failure(ExitCode.USAGE, problem, hint=f"choose one of {', '.join(_SHELLS)}, as in `toolkit {option} bash`")
