"""The settings of a project that need consent: servers are asked for their tools, and the others are reported.

The child process has no connections: it receives the list of each server that a target or a file refers to. The
server's own description of its tools is checked, whether or not the user trusts it.

Few projects have such settings, so this module is imported only for those.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolkit.lint.engine.requests import Request, means_all
from toolkit.mcp.settings.server_settings import offered_prefix
from toolkit.problems import Problem
from toolkit.regular_files import bounded_text
from toolkit.settings.configuration import Configuration
from toolkit.settings.setting_consents import consents_for, waiting_accesses
from toolkit.sources.servers import ConfiguredServers, ListedServer

if TYPE_CHECKING:
    from toolkit.approvals.gates import Gate


def with_listed_servers(
    configuration: Configuration, requests: Iterable[Request], gate: "Gate | None"
) -> Configuration:
    """Return the configuration with the tools that its servers list; servers that nothing mentions have none.

    Args:
        configuration: The settings of the project.
        requests: The files and names to check.
        gate: Asks before connecting to a server of the project.

    Raises:
        ExitEarlyError: If the reviewer ends the run.
    """
    servers = ConfiguredServers(configuration._replace(holds_pins=False), consents_for(configuration, gate))
    wanted = _mentioned_servers(configuration, requests)
    listed: dict[str, Any] = {
        name: ListedServer.of(server, servers.open(name) if name in wanted else None)
        for name, server in configuration.mcp.items()
    }
    return configuration._replace(mcp=listed)


def _mentioned_servers(configuration: Configuration, requests: Iterable[Request]) -> set[str]:
    """Return the servers that are mentioned by a target, a YAML file, or a group that is mentioned."""
    words: set[str] = set()
    for request in requests:
        if request.file is None:
            words |= _words_in(request.target)
        elif request.kind == "pipeline":
            with suppress(OSError):  # the check of the file reports it
                words |= _words_in(bounded_text(request.file))
    for name in words & configuration.groups.keys():
        group = configuration.groups[name]
        words |= _words_in(" ".join([*group.sources, *group.tools]))
    return {
        name
        for name, server in configuration.mcp.items()
        if name in words or ((prefix := offered_prefix(server)) and any(word.startswith(prefix) for word in words))
    }


def _words_in(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z][\w-]*", text))


def waiting_for_consent(targets: Sequence[str], configuration: Configuration) -> list[Problem]:
    """Return an info (`TK011`) for each setting that waits for consent, if the whole project is checked.

    Args:
        targets: The targets of the check; empty means the whole project.
        configuration: The settings of the project.
    """
    if not means_all(targets, configuration.directory):
        return []
    consents = consents_for(configuration)
    waiting = [access.refusal for access in waiting_accesses(configuration) if not consents.is_given(access)]
    return [replace(problem, severity="info") for problem in waiting]
