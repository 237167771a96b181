"""``plugin check``: every rule on a package that is not installed yet, for its author (cli.md).

The rules are those of the inspection, taken one by one so that one failure does not hide the next. The ids are stable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from zeroclaw_cli.config.model import Config, SignatureMode
from zeroclaw_cli.config.publisher_key import comparable_key, distrust, is_revoked, key_problem
from zeroclaw_cli.errors import InvalidConfigSchema, InvalidManifest, ManifestIo, TomlParse, ZeroclawError
from zeroclaw_cli.plugins import owner, payload, probing, signature
from zeroclaw_cli.plugins.config_schema import check_config_contract
from zeroclaw_cli.plugins.install import RESERVED
from zeroclaw_cli.plugins.manifest import read_manifest
from zeroclaw_cli.plugins.model import ComponentProbe, Manifest, PluginCapability, ProbeReport, SignatureState
from zeroclaw_cli.plugins.skills import check_skills, sha256_hex, skills_sha256
from zeroclaw_cli.plugins.sources import local_source


@dataclass(frozen=True, slots=True)
class Check:
    """One rule: ``detail`` says what was found, ``hint`` what to do; an ``ok`` check may carry advice."""

    id: str
    ok: bool
    detail: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The checks that could be judged, in the order of specs/zeroclaw.md §1.6 and then those of the component."""

    directory: Path
    name: str | None
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)


def check(directory: str, config: Config, probe: ComponentProbe | None) -> CheckReport:
    """Check the package in ``directory`` (or of that manifest file), as typed. Installs and executes nothing.

    Raises SourceNotFound and SourceNotSupported unless it is a local package; every other finding is a :class:`Check`.
    """
    origin = local_source(directory)
    run = _Run(origin.root)
    manifest = _manifest(run, origin.root / origin.manifest_name)
    if manifest is None:
        return CheckReport(origin.root, None, tuple(run.checks))
    if manifest.has(PluginCapability.SKILL):
        run.judge("skills", lambda: _skills(origin.root))
        if manifest.skills_sha256 is not None:
            run.judge("skills-digest", lambda: _same("skills_sha256", manifest.skills_sha256, skills_sha256(run.root)))
    _signature(run, manifest, config)
    run.judge("config-schema", lambda: _config_schema(manifest))
    component = _component(run, manifest)
    if component is not None and probe is not None:
        _probe(run, probe, component, manifest)
    return CheckReport(origin.root, manifest.name, tuple(run.checks))


_SIGN: Final = "zeroclaw plugin sign DIR --key FILE"
_Verdict = tuple[str, str | None]


@dataclass
class _Run:
    root: Path
    checks: list[Check] = field(default_factory=list)

    def judge(self, id: str, rule: Callable[[], _Verdict]) -> bool:
        """Record what ``rule`` returns (detail, advice) as passed, what it raises as failed."""
        try:
            detail, advice = rule()
        except ZeroclawError as error:
            return self.fail(id, error)
        self.checks.append(Check(id, True, detail, advice))
        return True

    def fail(self, id: str, error: ZeroclawError) -> bool:
        self.checks.append(Check(id, False, error.message, error.hint))
        return False

    def passed(self, id: str, detail: str) -> None:
        self.checks.append(Check(id, True, detail))


def _manifest(run: _Run, path: Path) -> Manifest | None:
    """The manifest, with the three checks that stand for its kinds of failure; the first failure ends them."""
    try:
        manifest = read_manifest(path)
        _not_reserved(manifest, path)
    except ManifestIo as error:
        run.fail("manifest-file", error)
        return None
    except TomlParse as error:
        run.passed("manifest-file", f"{path} can be read")
        run.fail("manifest-toml", error)
        return None
    except InvalidManifest as error:
        run.passed("manifest-file", f"{path} can be read")
        run.passed("manifest-toml", "TOML with the right fields and words")
        run.fail("config-schema" if isinstance(error, InvalidConfigSchema) else "manifest-rules", error)
        return None
    run.passed("manifest-file", f"{path} can be read")
    run.passed("manifest-toml", "TOML with the right fields and words")
    advice = "; ".join(manifest.warnings) or None
    run.checks.append(Check("manifest-rules", True, f"{manifest.name} v{manifest.version}", advice))
    return manifest


def _not_reserved(manifest: Manifest, path: Path) -> None:
    if manifest.name in RESERVED:
        raise InvalidManifest(
            f"invalid manifest: {path}: the name {manifest.name!r} is in use by the program itself",
            hint="give the package another name",
        )


def _skills(root: Path) -> _Verdict:
    names = check_skills(root)
    return f"{len(names)} skill{'s' if len(names) > 1 else ''}: {', '.join(names)}", None


def _same(field_name: str, covered: str | None, actual: str) -> _Verdict:
    if covered != actual:
        raise InvalidManifest(
            f"{field_name} is {covered}, and the SHA-256 of what is there is {actual}",
            hint=f'write {field_name} = "{actual}", or sign the package again: {_SIGN}',
        )
    return f"{field_name} holds", None


def _signature(run: _Run, manifest: Manifest, config: Config) -> None:
    """Whether the signature verifies is told apart from whether the operator trusts the key: only the first can be
    the author's mistake."""
    security = config.plugins.security
    strict = security.signature_mode is SignatureMode.STRICT
    key = manifest.publisher_key
    if key is None or manifest.signature is None:
        advice = f"to sign it: {_SIGN}"
        if strict:
            advice = f"signature_mode is strict here, so it cannot be installed here; {advice}"
        detail = f"unsigned: {signature.unsigned_reason(manifest)}" if manifest.misplaced else "unsigned"
        run.checks.append(Check("signature", True, detail, advice))
        return
    own = replace(
        security, signature_mode=SignatureMode.PERMISSIVE, trusted_publisher_keys=(key,), revoked_publisher_keys=()
    )
    verdict = signature.verify(manifest, own)
    if owner.publisher(manifest) == owner.UNSIGNED:
        detail = f"invalid plugin signature: {verdict.reason}"
        remedy = "sign it again, as the last step" if key_problem(key) is None else "sign it with a key of your own"
        run.checks.append(Check("signature", False, detail, f"{remedy}: {_SIGN}"))
        return
    covers = signature.covers(
        manifest, manifest.wasm_path is not None, manifest.has(PluginCapability.SKILL), SignatureState.VALID
    )
    who = "a revoked" if is_revoked(key, security) else "a" if distrust(key, security) else "the trusted"
    detail = f"valid, by {who} publisher {comparable_key(key)}"
    detail += "" if covers else "; it covers the manifest only"
    cover = None if covers else f"a signature made now covers the payload, too: {_SIGN}"
    run.checks.append(Check("signature", True, detail, cover))


def _config_schema(manifest: Manifest) -> _Verdict:
    advice = check_config_contract(manifest)
    detail = "no config is read" if manifest.config_schema is None else "the schema is accepted"
    return detail, "; ".join(advice) or None


def _component(run: _Run, manifest: Manifest) -> bytes | None:
    """The bytes of the component, when the package names one and it can be read."""
    wasm_path = manifest.wasm_path
    if wasm_path is None:
        if manifest.wasm_sha256 is not None:
            run.fail(
                "component-digest",
                InvalidManifest("wasm_sha256 covers a component, and the package has none", hint="remove wasm_sha256"),
            )
        return None
    found: list[bytes] = []

    def read() -> _Verdict:
        payload.locate_component(run.root, wasm_path)
        found.append(payload.read_file(run.root, wasm_path))
        return f"{wasm_path}, {len(found[0])} bytes", None

    if not run.judge("component-file", read):
        return None
    if manifest.wasm_sha256 is not None:
        run.judge("component-digest", lambda: _same("wasm_sha256", manifest.wasm_sha256, sha256_hex(found[0])))
    return found[0]


def _probe(run: _Run, probe: ComponentProbe, component: bytes, manifest: Manifest) -> None:
    report: list[ProbeReport] = []

    def compile_it() -> _Verdict:
        report.append(probe.probe(component, manifest))
        return f"a WebAssembly component with {len(report[0].imports)} imports", None

    if not run.judge("component-format", compile_it):
        return
    found = report[0]
    required = manifest.has(PluginCapability.MEMORY)
    if found.ungranted:
        text = "; ".join(map(probing.describe_import, found.ungranted))
        run.checks.append(Check("component-imports", not required, text, probing.import_hint(found)))
    else:
        beyond = probing.describe_denied(found)
        run.checks.append(Check("component-imports", True, ", ".join(found.imports) or "it imports nothing", beyond))
    if not required:
        run.passed("component-world", "not compared: this host runs memory plugins and knows no other world's types")
        return
    if found.differences:
        hint = "build it against the WIT of this version"
        run.checks.append(Check("component-world", False, "; ".join(found.differences), hint))
    else:
        run.passed("component-world", "every function has the type that the world memory-plugin gives it")
