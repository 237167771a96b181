"""What only a person may decide about a provider: that its code may run, and that packages are installed for it.

specs/memory-providers.md §11, §12. ``--yes`` answers neither.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from zeroclaw_cli.errors import ProviderUnavailable, ProviderUntrusted, UsageError
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.providers import trust
from zeroclaw_cli.providers.setup.answers import NOW, Answers, Tell

if TYPE_CHECKING:
    from zeroclaw_cli.providers.discovery import ProviderPlugin
    from zeroclaw_cli.providers.plugin_yaml import PluginInfo

_RIGHTS = (
    "A provider is Python code that runs with all your rights. It can read and change your files, see your environment "
    "and your conversations, and use the network. Nothing here is a sandbox: trust it only if you trust its author."
)
_SEES = "It sees tool calls and their results, so it may receive paths and the output of commands."


def approve(
    home: Path, plugin: ProviderPlugin, given: str | None, answers: Answers | None, tell: Tell
) -> tuple[str, bool]:
    """The digest of the tree that may run, and whether that still has to be recorded.

    ``given`` is what ``--trust`` says. Without it a person must type yes. Raises UsageError when nobody can be asked,
    ProviderUntrusted when the tree is unsafe, has another digest than ``given``, or is declined.
    """
    wanted = digest_option(given)
    found = trust.verdict(home, plugin)
    if found.state == "unsafe":
        raise ProviderUntrusted(f"memory provider {plugin.name} is not loaded: {found.reason}", hint=found.hint)
    if wanted not in (None, NOW, found.digest):
        raise ProviderUntrusted(
            f"memory provider {plugin.name} is not the one that --trust names: its digest is {found.digest}",
            hint="look at its files again; `zeroclaw memory providers` shows the digest",
        )
    if found.loadable:
        return found.digest, False
    if wanted is None and answers is None:
        raise UsageError(
            f"memory provider {plugin.name} is not trusted: {found.reason}",
            hint=f"look at {plugin.directory}, then pass --trust {found.digest} (or --trust now)",
        )
    for line in consent_text(plugin, found):
        tell(line)
    if wanted is None and answers is not None and answers.ask("Let this code run? Type yes", "").lower() != "yes":
        raise ProviderUntrusted(
            f"memory provider {plugin.name} is not trusted, so nothing was changed",
            hint=f"`zeroclaw memory trust {plugin.name}` asks again",
        )
    return found.digest, True


def digest_option(given: str | None) -> str | None:
    """What ``--trust`` says: None, ``now``, or 64 lower-case hex digits. Raises UsageError for anything else."""
    if given is None:
        return None
    word = given.strip().lower().removeprefix("sha256:")
    if word != NOW and re.fullmatch(r"[0-9a-f]{64}", word) is None:
        raise UsageError(
            "--trust takes a SHA-256 of 64 hex digits, or now", hint="`zeroclaw memory providers` shows it"
        )
    return word


def consent_text(plugin: ProviderPlugin, found: trust.TrustVerdict) -> list[str]:
    """What a person should know before the code of ``plugin`` runs."""
    info = plugin.info
    title = " ".join(filter(None, (plugin.name, info.version)))
    lines = [f"{title}: {info.description}" if info.description else title]
    lines += [f"in {plugin.directory}", f"sha256 {found.digest}"]
    if found.changed:
        lines.append(f"since it was approved: {', '.join(found.changed)}")
    return [*lines, _RIGHTS, *data_text(info)]


def data_text(info: PluginInfo) -> list[str]:
    """Whether the provider says that data leaves this device (P-44)."""
    if info.network is None:
        declared = "It does not say whether it sends data off this device."
    elif info.network:
        declared = "It says that it sends data off this device."
    else:
        declared = "It says that it sends nothing off this device."
    return [declared, _SEES]


def install_missing(
    home: Path, plugin: ProviderPlugin, allowed: bool, answers: Answers | None, tell: Tell
) -> tuple[str, ...]:
    """Install what the provider needs and this program does not have, after a yes; returns the requirements installed.

    ``allowed`` is ``--install-deps``. Raises UsageError when nobody can be asked, ProviderUnavailable when it is
    declined, and what ``dependencies`` raises.
    """
    from zeroclaw_cli.providers import dependencies

    requirements, refused = dependencies.parse(list(plugin.info.pip_dependencies))
    if refused:
        text, reason = refused[0]
        raise ProviderUnavailable(
            f"memory provider {plugin.name} asks for '{text}', which is never installed: {reason}",
            hint="only names with version specifiers are; ask its author",
        )
    where = dependencies.folder_of(home, plugin.name)
    absent = dependencies.missing(requirements, where)
    if not absent:
        return ()
    shown = tuple(map(str, absent))
    if not allowed and answers is None:
        raise UsageError(
            f"memory provider {plugin.name} needs {', '.join(shown)}",
            hint="pass --install-deps to install them for this provider alone",
        )
    tell(f"{plugin.name} needs {counted(len(shown), 'package')} that this program does not have: {', '.join(shown)}")
    tell(f"setup installs into {where}, for this provider alone")
    if not allowed and answers is not None and not answers.confirm("Install them?", default=False):
        raise ProviderUnavailable(
            f"memory provider {plugin.name} needs {', '.join(shown)}, so nothing was changed",
            hint="run the command again with --install-deps",
        )
    dependencies.install(absent, where)
    return shown


def tell_external(info: PluginInfo, tell: Tell) -> None:
    """Say which programs outside Python are missing and how its author installs them; only for a trusted provider."""
    from zeroclaw_cli.providers import dependencies

    for program in dependencies.external_missing(info.external_dependencies):
        how = f"; to install it: {program.install}" if program.install else ""
        tell(f"the program {program.name} is missing{how}")
