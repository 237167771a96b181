"""What published providers import from hermes-agent, the host that they were written for (specs/memory-providers.md
P-02).

Off by default; ``memory.providers_host.hermes_compat`` offers it. ``names`` is the table of what is offered: each
module of that host that is in it has a module here, whose ``__all__`` is what providers get. The signatures, defaults
and results are those of the original; the config that they show is our own.
"""

from __future__ import annotations
