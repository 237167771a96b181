"""The constants, enumerations and limits of specs/memory-kernel.md §2. Lengths count Unicode code points."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

CAPABILITIES: Final = (
    "status",
    "project",
    "recall",
    "search",
    "read",
    "browse",
    "write",
    "archive",
    "graph",
    "related",
    "link",
    "forget",
    "maintain",
    "export",
    "import",
)
CHANNELS: Final = ("recall", "write", "projection", "maintenance")
MODES: Final = ("off", "manual", "automatic")
TRIGGERS: Final = ("manual", "automatic", "system")
STORAGES: Final = ("global", "workspace", "custom")
STRATEGY_HOOKS: Final = (
    "admission",
    "placement",
    "retrieval-planning",
    "quality-fusion",
    "projection",
    "promotion-demotion",
    "retention",
    "maintenance",
)
LOCALITIES: Final = ("local", "remote", "hybrid")
ADAPTER_SCOPES: Final = ("global", "workspace", "custom", "provider-owned")
SOURCE_MODES: Final = ("eager", "routed")

CHANNEL_OF: Final = MappingProxyType(
    {
        "project": "projection",
        **dict.fromkeys(("write", "archive", "link", "forget", "import"), "write"),
        **dict.fromkeys(("maintain", "export", "status"), "maintenance"),
        **dict.fromkeys(("recall", "search", "read", "browse", "graph", "related"), "recall"),
    }
)
"""Which participation channel decides about a capability."""

MUTATING: Final = frozenset({"write", "archive", "link", "forget", "maintain", "import"})
"""The capabilities whose success advances the next turn view."""

PERMISSION_CODES: Final = frozenset(
    {"permission-capability", "permission-steps", "permission-layer", "permission-adapter"}
)
"""What the permission wrapper of a strategy refuses with (§10); planning lets these codes through."""

API_VERSION: Final = "dsh-mnemon/v1alpha1"
MEMORY_STRATEGY_PLUGIN_API_VERSION: Final = API_VERSION
MANIFEST_KIND: Final = "MemoryStrategyPlugin"
RUNTIME: Final = "runtime"
DOCUMENTS: Final = "documents"
MEMORY_SPACES: Final = "memory-spaces"
BUILT_IN_LAYERS: Final = (RUNTIME, DOCUMENTS, MEMORY_SPACES)
DEFAULT_TOPOLOGY_ID: Final = "default-three-tier"
DEFAULT_STRATEGY_ID: Final = "default-three-tier"

ID: Final = re.compile(r"[a-z][a-z0-9-]{0,127}")
"""A component id, for ``fullmatch`` after trimming."""

MAX_LABEL: Final = 100
MAX_DESCRIPTION: Final = 500
MAX_VERSION: Final = 100
MAX_OPERATION: Final = 200
MAX_WORKSPACE_ID: Final = 2_000
MAX_SESSION_ID: Final = 300
MAX_AGENT_ID: Final = 300
MAX_REQUEST_IDS: Final = 1_000
MAX_REQUEST_ID: Final = 128
MAX_STEPS: Final = 100
MAX_RESULTS: Final = 10_000
MAX_TOKENS: Final = 10_000_000
MAX_TIMEOUT_MS: Final = 3_600_000
DEFAULT_MAX_STEPS: Final = 32
DEFAULT_TIMEOUT_MS: Final = 10_000
MAX_REASON: Final = 4_000
PROPOSAL_S: Final = 2.0
"""Seconds that a strategy of somebody else may take for one proposal."""

MAX_OUTSTANDING_PLANS: Final = 1_024
MAX_DEPTH: Final = 64
MAX_KEY: Final = 1_000
MAX_VALUES: Final = 10_000_000
"""Most values of one JSON tree, shared parts counted as often as they would be written."""

MAX_STATE_DEPTH: Final = 32
MAX_STATE_KEY: Final = 200
MAX_STATE_CHARACTERS: Final = 10_000_000
MAX_REVISION: Final = 500
MAX_TURN_ID: Final = 300
MAX_VIEW_ID: Final = 300
MAX_EAGER_WAKE: Final = 1_000_000
MAX_ROUTED_WAKE: Final = 500
DEFAULT_COVER_CHARACTERS: Final = 4_096
MAX_COVER_CHARACTERS: Final = 1_000_000
DEFAULT_WAKE_CHARACTERS: Final = 65_536
MAX_WAKE_CHARACTERS: Final = 10_000_000
DEFAULT_VIEWS: Final = 32
MIN_VIEWS: Final = 2
MAX_VIEWS: Final = 10_000
MAX_CONFIGURED_LAYERS: Final = 64
MAX_ERROR: Final = 2_000
"""Characters of a step's ``error``; the rest is cut off."""
