"""The one family of errors.

Each class carries a stable ``code`` (what ``--json`` prints: snake_case, the kernel's own in kebab-case) and the exit
code of cli.md; each instance carries one line of what is wrong with which file or value, and a hint that says what to
do. A domain function raises one of these or returns a value; ``cli/app.py`` is the one place that turns it into text or
JSON.

::

    ZeroclawError                 1   anything that failed
    ├── UsageError                2   the command line is wrong, or an answer is needed and there is no terminal
    │   └── NoBackend                 a memory command, and no backend is chosen
    ├── ConfigError               1   a config command that cannot be carried out; the file is untouched
    │   ├── PathNotFound              no such dotted path
    │   ├── ValueTypeMismatch         text that is not a value of the field's kind
    │   ├── ValidationFailed          a value outside the field's range, or a config that contradicts itself
    │   ├── UnknownOverride           a ZEROCLAW_… override that names no field
    │   └── SchemaVersion             a file stamped by an older or newer schema
    ├── SecretError               1   a secret that cannot be read or written
    ├── NotFound                  3   the named thing does not exist
    │   ├── PluginNotFound            no installed package of that name
    │   ├── SourceNotFound            no such directory, manifest or file to install from
    │   ├── ToolMissing               a program that builds plugins is not installed
    │   ├── ProviderNotFound          no Python memory provider of that name
    │   ├── LayerNotFound             no memory layer of that id
    │   ├── StrategyNotFound          no strategy of that id and version
    │   └── EntryNotFound             no memory entry under that key
    ├── PluginError               1   a package that is not acceptable as it is
    │   ├── ManifestIo                a file of the package cannot be read
    │   │   └── LinkRefused               it is a symbolic link, which a package may not hold
    │   ├── TomlParse                 the manifest is not TOML of the right types
    │   ├── InvalidManifest           the manifest breaks a rule
    │   │   ├── InvalidSkills             the skill bundle breaks a rule
    │   │   └── InvalidConfigSchema       config_schema and the permission config_read break a rule
    │   ├── ComponentMissing          the component that the manifest names is not there
    │   ├── BuildFailed               a toolchain refused the sources; details.output has its own words
    │   ├── InvalidInstanceId         a package, capability or binding that makes no instance key
    │   ├── AlreadyInstalled          another package of that name is installed
    │   ├── Ambiguous                 several directories hold a package of that name
    │   ├── KeyExists                 a key file that is there already; keys are never replaced
    │   ├── SourceNotSupported        a source that cannot be installed from
    │   └── ComponentInvalid          bytes that are no component, or one of another world
    ├── Refused                   4   policy, trust, a gate or an owner says no
    │   ├── UnsignedPlugin            signature_mode = strict, and no signature
    │   ├── PolicyUnclear             a key of the config that may have been meant as a rule of the signature policy
    │   ├── UntrustedPublisher        signed by a key that is not trusted
    │   ├── SignatureInvalid          the signature does not verify
    │   ├── DigestMismatch            bytes that are not the recorded ones
    │   ├── GateOff                   a switch in the config is off
    │   ├── BackendDisabled           memory.backend = none
    │   ├── BackendNotMemory          the chosen package provides no memory
    │   ├── ImportNotGranted          the component imports what it was not granted
    │   ├── PrecompiledRefused        a .cwasm component while plugins.allow_precompiled is false
    │   ├── Downgrade                 a version that is not newer than the one it would take the place of
    │   ├── DataOwner                 the data belongs to another publisher's package
    │   ├── ProviderUntrusted         a Python provider whose tree nobody approved, or that changed or is unsafe
    │   └── StrategyUntrusted         a strategy.py that nobody approved
    ├── MemoryFailure             1   a memory operation that did not succeed
    │   ├── NotSupported              the backend does not have this method
    │   ├── UnknownBackend            a word that is not a backend
    │   ├── GuestError                the guest answered with an error of its own
    │   ├── Trap                      the guest trapped, exited or broke the sandbox's rules
    │   ├── InstantiationFailed       the component does not start
    │   ├── CallTimeout               the call did not end within call_timeout_ms
    │   ├── ResultTooLarge            the guest returned more than the limits allow
    │   ├── CompactionRefused         a journal whose rewriting would lose something; the old one stays
    │   ├── Busy                      another process holds the lock of what is to be written
    │   ├── Conflict                  an import met a row that is already there
    │   ├── TransferIncomplete        a memory that does not keep what it was given
    │   ├── ProviderBroken            a Python provider that cannot be loaded or does not start
    │   ├── ProviderUnavailable       a Python provider that says it cannot work now
    │   ├── ProviderFailed            a hook or a tool of a Python provider raised, or answered with an error
    │   ├── DependencyFailure         requirements of a Python provider that could not be installed
    │   ├── NotDurable                work that was handed over and not finished when the command ended
    │   ├── KernelFailure             what the memory kernel refused or a receipt that did not succeed; the code varies
    │   └── DocumentFailure           an operation on documents; carries ``kind`` and ``reason``
    │       ├── DocumentInput             the caller can mend the arguments
    │       │   ├── DocumentArgument  2   a value that is none of its kind: a path, a time zone, an id
    │       │   └── DocumentNotFound  3   no such document
    │       ├── DocumentOperation         the store refused or failed; a text that the safety check refused exits with 4
    │       │   ├── DocumentConflict      the document is not the one that was expected
    │       │   └── UndeclaredCapability  a tool that the bound manifest does not declare
    │       ├── FilesystemDenied      4   a tool without the mounts that its effects need
    │       └── DocumentUnavailable       the provider, or the lane asked for, is not there
    ├── Damaged                   5   state on disk is damaged; the message says which and how to repair it
    │   ├── ConfigDamaged             config.toml does not parse, or a section of it is malformed
    │   ├── SecretKeyDamaged          .secret_key is not 32 bytes of hex, or is a link
    │   ├── LockDamaged               plugins.lock does not parse
    │   ├── OwnerDamaged              owner.toml does not parse
    │   ├── HistoryDamaged            history.toml does not parse
    │   ├── PreviousDamaged           the version that is kept for a rollback cannot be read
    │   ├── TrustDamaged              trust.json, the approvals of Python providers, does not parse or is not the user's
    │   ├── StrategiesDamaged         the evidence or history of strategies, or an installed strategy, is not as it was
    │   ├── JournalDamaged            a journal that cannot be read or no longer replays
    │   └── StoreDamaged              the native store is not a sound database, and no backup could replace it
    └── Interrupted             130   Ctrl-C
"""

from __future__ import annotations

from typing import Any, ClassVar


class ZeroclawError(Exception):
    """Base of every error that a person may see.

    ``message`` is one line without a trailing period or newline; ``hint`` says what to do, or is None; ``path`` is the
    dotted config path the error is about; ``details`` is extra data for ``--json``.
    """

    code: ClassVar[str] = "failed"
    exit_code: ClassVar[int] = 1

    def __init__(
        self, message: str, *, hint: str | None = None, path: str | None = None, details: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.path = path
        self.details = details

    def to_json(self) -> dict[str, Any]:
        """The error as the JSON object of cli.md: code, message, hint, and path and details where they apply."""
        body: dict[str, Any] = {"code": self.code, "message": self.message, "hint": self.hint}
        if self.path is not None:
            body["path"] = self.path
        if self.details is not None:
            body["details"] = self.details
        return body


def explain(error: ZeroclawError | OSError) -> str:
    """``error`` with its hint in one line, for a warning or a finding that is not the end of the command."""
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
    return error.message if error.hint is None else f"{error.message}; {error.hint}"


class LossWarning(str):
    """A warning that something remembered is gone, though the command went on; it is shown even under ``-q``."""

    __slots__ = ()


class DamageWarning(LossWarning):
    """A warning that an answer is not whole, because part of what it should hold is damaged."""


class UsageError(ZeroclawError):
    code = "usage"
    exit_code = 2


class NoBackend(UsageError):
    code = "no_backend"


class ConfigError(ZeroclawError):
    code = "config"


class PathNotFound(ConfigError):
    code = "path_not_found"


class ValueTypeMismatch(ConfigError):
    code = "value_type_mismatch"


class ValidationFailed(ConfigError):
    code = "validation_failed"


class UnknownOverride(ConfigError):
    code = "unknown_override"


class SchemaVersion(ConfigError):
    code = "schema_version"


class SecretError(ZeroclawError):
    code = "secret"


class NotFound(ZeroclawError):
    code = "not_found"
    exit_code = 3


class PluginNotFound(NotFound):
    code = "plugin_not_found"


class SourceNotFound(NotFound):
    code = "source_not_found"


class ToolMissing(NotFound):
    code = "tool_missing"


class ProviderNotFound(NotFound):
    code = "provider_not_found"


class LayerNotFound(NotFound):
    code = "layer_not_found"


class StrategyNotFound(NotFound):
    code = "strategy_not_found"


class EntryNotFound(NotFound):
    code = "entry_not_found"


class PluginError(ZeroclawError):
    code = "plugin"


class ManifestIo(PluginError):
    code = "io"


class LinkRefused(ManifestIo):
    code = "link"


class TomlParse(PluginError):
    code = "toml_parse"


class InvalidManifest(PluginError):
    code = "invalid_manifest"


class InvalidSkills(InvalidManifest):
    pass


class InvalidConfigSchema(InvalidManifest):
    pass


class ComponentMissing(PluginError):
    code = "component_missing"


class BuildFailed(PluginError):
    code = "build_failed"


class InvalidInstanceId(PluginError):
    code = "invalid_instance_id"


class AlreadyInstalled(PluginError):
    code = "already_installed"


class Ambiguous(PluginError):
    code = "ambiguous"


class KeyExists(PluginError):
    code = "key_exists"


class SourceNotSupported(PluginError):
    code = "source_not_supported"


class ComponentInvalid(PluginError):
    code = "component_invalid"


class Refused(ZeroclawError):
    code = "refused"
    exit_code = 4


class UnsignedPlugin(Refused):
    code = "unsigned_plugin"


class PolicyUnclear(Refused):
    code = "policy_unclear"


class UntrustedPublisher(Refused):
    code = "untrusted_publisher"


class SignatureInvalid(Refused):
    code = "signature_invalid"


class DigestMismatch(Refused):
    code = "digest_mismatch"


class GateOff(Refused):
    code = "gate_off"


class BackendDisabled(Refused):
    code = "backend_disabled"


class BackendNotMemory(Refused):
    code = "backend_not_memory"


class ImportNotGranted(Refused):
    code = "import_not_granted"


class PrecompiledRefused(Refused):
    code = "precompiled_refused"


class Downgrade(Refused):
    code = "downgrade"


class DataOwner(Refused):
    code = "data_owner"


class ProviderUntrusted(Refused):
    code = "provider_untrusted"


class StrategyUntrusted(Refused):
    code = "strategy_untrusted"


class MemoryFailure(ZeroclawError):
    code = "memory"


class NotSupported(MemoryFailure):
    code = "not_supported"


class UnknownBackend(MemoryFailure):
    code = "unknown_backend"


class GuestError(MemoryFailure):
    code = "guest_error"


class Trap(MemoryFailure):
    code = "trap"


class InstantiationFailed(MemoryFailure):
    code = "instantiation_failed"


class CallTimeout(MemoryFailure):
    code = "timeout"


class ResultTooLarge(MemoryFailure):
    code = "result_too_large"


class CompactionRefused(MemoryFailure):
    code = "compaction_refused"


class Busy(MemoryFailure):
    code = "busy"


class Conflict(MemoryFailure):
    code = "conflict"


class TransferIncomplete(MemoryFailure):
    code = "transfer_incomplete"


class ProviderBroken(MemoryFailure):
    code = "provider_broken"


class ProviderUnavailable(MemoryFailure):
    code = "provider_unavailable"


class ProviderFailed(MemoryFailure):
    code = "provider_failed"


class DependencyFailure(MemoryFailure):
    code = "dependency"


class NotDurable(MemoryFailure):
    code = "not_durable"


class KernelFailure(MemoryFailure):
    """``code`` is the kernel's own kebab-case code (specs/memory-kernel.md §7, §9)."""

    def __init__(
        self, code: str, message: str, *, hint: str | None = None, details: dict[str, Any] | None = None
    ) -> None:
        super().__init__(message, hint=hint, details={} if details is None else details)
        self.code = code  # type: ignore[misc]


class DocumentFailure(MemoryFailure):
    """A document operation that did not succeed (specs/native-memory.md §4).

    ``kind`` and ``fixed_text`` are all that a model is told beside ``reason``, a stable word of lower-case letters and
    ``_``; ``message`` and ``hint`` are for people.
    """

    code = "document"
    kind: ClassVar[str] = "operation"
    fixed_text: ClassVar[str] = "memory operation failed"

    def __init__(self, reason: str, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint, details={"kind": self.kind, "reason": reason})
        self.reason = reason


class DocumentInput(DocumentFailure):
    code = "document_input"
    kind = "input"
    fixed_text = "invalid memory request"


class DocumentArgument(DocumentInput):
    exit_code = 2


class DocumentNotFound(DocumentInput):
    code = "document_not_found"
    exit_code = 3
    kind = "not_found"
    fixed_text = "memory document not found"


class DocumentOperation(DocumentFailure):
    code = "document_operation"


class DocumentConflict(DocumentOperation):
    code = "document_conflict"
    kind = "conflict"
    fixed_text = "memory document changed"


class UndeclaredCapability(DocumentOperation):
    code = "undeclared_capability"


class FilesystemDenied(DocumentFailure):
    code = "filesystem_denied"
    exit_code = 4


class DocumentUnavailable(DocumentFailure):
    code = "document_unavailable"
    kind = "unavailable"
    fixed_text = "memory provider unavailable"


class Damaged(ZeroclawError):
    code = "damaged"
    exit_code = 5


class ConfigDamaged(Damaged):
    code = "config_damaged"


class SecretKeyDamaged(Damaged):
    code = "secret_key_damaged"


class LockDamaged(Damaged):
    code = "lock_damaged"


class OwnerDamaged(Damaged):
    code = "owner_damaged"


class HistoryDamaged(Damaged):
    code = "history_damaged"


class PreviousDamaged(Damaged):
    code = "previous_damaged"


class TrustDamaged(Damaged):
    code = "trust_damaged"


class StrategiesDamaged(Damaged):
    code = "strategies_damaged"


class JournalDamaged(Damaged):
    code = "journal_damaged"


class StoreDamaged(Damaged):
    code = "store_damaged"


class Interrupted(ZeroclawError):
    code = "interrupted"
    exit_code = 130
