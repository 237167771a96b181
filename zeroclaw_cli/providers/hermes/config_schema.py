"""``plugins.memory.config_schema``: the form of a provider's settings, as data for a window of its host.

Nothing here reads such a form: setup asks for what ``get_config_schema`` returns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "KIND_BOOL",
    "KIND_JSON",
    "KIND_NUMBER",
    "KIND_SECRET",
    "KIND_SELECT",
    "KIND_TEXT",
    "STORAGE_FLAT_JSON",
    "STORAGE_HONCHO_HOST_BLOCK",
    "ProviderConfigSchema",
    "ProviderField",
    "ProviderFieldOption",
]

KIND_BOOL: Final = "bool"
KIND_JSON: Final = "json"
KIND_NUMBER: Final = "number"
KIND_SECRET: Final = "secret"  # noqa: S105 - the word of a kind
KIND_SELECT: Final = "select"
KIND_TEXT: Final = "text"
STORAGE_FLAT_JSON: Final = "flat_json"
STORAGE_HONCHO_HOST_BLOCK: Final = "honcho_host_block"


@dataclass(frozen=True)
class ProviderFieldOption:
    """A choice of a field of the kind ``select``."""

    value: str
    label: str
    description: str = ""


@dataclass(frozen=True)
class ProviderField:
    """One setting."""

    key: str
    label: str
    kind: str = KIND_TEXT
    default: str = ""
    description: str = ""
    placeholder: str = ""
    options: tuple[ProviderFieldOption, ...] = ()
    env_key: str | None = None
    aliases: tuple[str, ...] = ()
    env_fallbacks: tuple[str, ...] = ()
    inline: bool = False
    group: str = ""
    info: str = ""
    scope: str = "host"

    @property
    def is_secret(self) -> bool:
        """Whether its value must not be shown."""
        return self.kind == KIND_SECRET

    def allowed_values(self) -> set[str]:
        """The values of its choices."""
        return {option.value for option in self.options}


@dataclass(frozen=True)
class ProviderConfigSchema:
    """The settings of one provider."""

    name: str
    label: str
    storage: str = STORAGE_FLAT_JSON
    docs_url: str = ""
    fields: tuple[ProviderField, ...] = ()

    def inline_fields(self) -> tuple[ProviderField, ...]:
        """The fields of the short form."""
        return tuple(field for field in self.fields if field.inline)
