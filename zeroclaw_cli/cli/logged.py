"""What the rooms below log, as warnings of the command."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from zeroclaw_cli.providers.home import NAMESPACE

if TYPE_CHECKING:
    from zeroclaw_cli.cli.session import Session

_PROGRAM: Final = "zeroclaw_cli"
_PROVIDERS: Final = "zeroclaw_cli.providers"


class _AsWarnings(logging.Handler):
    def __init__(self, this: Session) -> None:
        super().__init__(logging.WARNING)
        self._session = this

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith(_PROVIDERS):
            from zeroclaw_cli.providers.session import TELLS_OF

            # What a session raises for such a hook is shown as the command's own error or warning.
            if getattr(record, "hook", None) in TELLS_OF:
                return
        try:
            text = record.getMessage()
        except Exception:  # noqa: BLE001 - whoever is in the process may log here, with whatever arguments
            text = str(record.msg)
        if record.name.startswith((_PROVIDERS, NAMESPACE)):
            from zeroclaw_cli.providers.shown import shown

            text = shown(text)
        if record.name.startswith(NAMESPACE):
            # A provider logs under the name of its module, which nobody knows here.
            name = ([*record.name.split("."), "", ""])[2]
            text = f"provider {name}: {' '.join(text.split())}"
        try:
            self._session.warn(text)
        except OSError:
            # Nobody reads it any more, and a thread of the manager cannot be told.
            return


def show(this: Session) -> None:
    """Let what is logged as a warning reach the person of this run, once each, with ``-q`` and all. At a terminal a
    provider may say something of its own too."""
    for name in (_PROGRAM, NAMESPACE):
        logger = logging.getLogger(name)
        for handler in [handler for handler in logger.handlers if isinstance(handler, _AsWarnings)]:
            logger.removeHandler(handler)
        logger.addHandler(_AsWarnings(this))
        logger.propagate = False
    from zeroclaw_cli.cli import output

    if output.can_ask():
        from zeroclaw_cli.providers.callbacks import listen

        listen(warning=this.warn, status=this.note)
