"""What only a person may decide about a strategy: that its code may run, and that it is promoted."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.arguments import path_argument
from zeroclaw_cli.cli.session import Session
from zeroclaw_cli.errors import Refused, StrategyUntrusted, UsageError, explain
from zeroclaw_cli.memory.text import counted
from zeroclaw_cli.operations import permissions

if TYPE_CHECKING:
    from zeroclaw_cli.kernel.strategies.artefact import Artefact
    from zeroclaw_cli.kernel.strategies.store import StrategyStore
    from zeroclaw_cli.kernel.strategy_plugin import StrategyManifest

_RIGHTS: Final = (
    "strategy.py is Python code. It runs in a process of its own, without your environment, files and network, which "
    "contains accidents and is no sandbox: trust it only if you trust its author."
)


def trust(store: StrategyStore, artefact: Artefact, given: str | None) -> None:
    """Let the code of ``artefact`` run, if it has any and a person says so. Raises StrategyUntrusted.
    An agent is not asked."""
    import re

    word = None if given is None else given.strip().lower().removeprefix("sha256:")
    if word is not None and word != "now" and re.fullmatch(r"[0-9a-f]{64}", word) is None:
        raise UsageError(
            "--trust takes a SHA-256 of 64 hex digits, or now", hint="`zeroclaw strategy check DIR` shows it"
        )
    if artefact.kind != "python":
        return
    if word not in (None, "now", artefact.digest):
        raise StrategyUntrusted(
            f"{artefact.directory} is not the strategy that --trust names: its digest is {artefact.digest}",
            hint="look at its files again; `zeroclaw strategy check DIR` shows the digest",
        )
    if store.evidence(artefact.digest).trusted_at is not None:
        return
    if word is None:
        if permissions.is_agent():
            raise StrategyUntrusted(
                f"{artefact.directory} is not run: its code has not been approved",
                hint=f"ask a person to trust it; its digest is {artefact.digest}",
            )
        if not output.can_ask():
            # Says what is wrong and which option to pass.
            return
        for line in (f"in {artefact.directory}", f"sha256 {artefact.digest}", _RIGHTS):
            output.talk(line)
        if not _typed_yes("Let this code run? Type yes: "):
            raise StrategyUntrusted(
                f"{artefact.directory} is not trusted, so nothing was run",
                hint="run the command again to be asked again",
            )
    store.trust(artefact.digest)


def _typed_yes(question: str) -> bool:
    output.ask(question)
    return sys.stdin.readline().strip().lower() == "yes"


def approval(
    this: Session,
    artefact: Artefact,
    manifest: StrategyManifest,
    signature: str | None,
    canary: int | None,
    *,
    yes: bool,
) -> tuple[bool, str | None]:
    """Whether the promotion is approved, and by which publisher's key if by one.

    Raises Refused where only a person could and an agent asks, UsageError where nobody can be asked.
    """
    from zeroclaw_cli.kernel.strategies import signing

    security = this.config().plugins.security
    if signature is not None:
        data = path_argument(signature, "--signature").read_bytes()
        return True, signing.verify(artefact, security, data)
    if artefact.signature is not None:
        try:
            return True, signing.verify(artefact, security)
        except Refused as refused:
            this.warn(f"its signature does not count: {explain(refused)}")
    permissions.require_person("promoting a strategy that no trusted publisher signed")
    if yes:
        return True, None
    share = "" if canary is None else f" for {canary} % of the turns"
    question = f"Let {manifest.id}@{manifest.version} plan the memory{share}?"
    if output.can_ask():
        _say_what_it_may_do(manifest)
    return output.confirm(question, option="--yes"), None


def _say_what_it_may_do(manifest: StrategyManifest) -> None:
    granted = manifest.permissions
    output.talk(f"{manifest.id}@{manifest.version}: {manifest.description}")
    output.talk(f"it may use the layers {', '.join(granted.layer_ids) or 'none'}")
    output.talk(f"with the adapters {', '.join(granted.adapter_ids) or 'none'}")
    output.talk(f"for {', '.join(granted.capabilities) or 'nothing'}, in {counted(granted.max_steps, 'step')} at most")
