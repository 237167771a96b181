from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.guests import component
from tests.wasm.helpers import config, manifest
from zeroclaw_cli.errors import ComponentInvalid, ImportNotGranted, InstantiationFailed, Trap, ZeroclawError
from zeroclaw_cli.memory.types import Capability
from zeroclaw_cli.plugins.model import ComponentProbe, ImportFinding
from zeroclaw_cli.wasm.host import HostOptions
from zeroclaw_cli.wasm.probe import WasmProbe


@pytest.fixture
def probe(tmp_path: Path) -> ComponentProbe:
    return WasmProbe(config(tmp_path, call_fuel=50_000_000), HostOptions(cache_dir=tmp_path / "cache"))


def test_a_fitting_component_reports_its_imports_only(probe: ComponentProbe) -> None:
    report = probe.probe(component("notes"), manifest())
    assert "zeroclaw:plugin/logging@0.1.0" in report.imports
    assert (report.ungranted, report.differences) == ((), ())


def test_what_is_not_granted_and_what_differs_is_reported_not_raised(probe: ComponentProbe) -> None:
    assert ImportFinding("acme:net/raw@1.0.0", None) in probe.probe(component("unknown_import"), manifest()).ungranted
    assert len(probe.probe(component("stale_export"), manifest()).differences) == 1


def test_probing_warms_the_cache(probe: ComponentProbe, tmp_path: Path) -> None:
    probe.probe(component("plain"), manifest())
    assert len(list((tmp_path / "cache").glob("*.cwasm"))) == 1


@pytest.mark.parametrize("guest", ["trap_at_start", "spin_at_start", "http", "stale_export"])
def test_probing_runs_nothing(probe: ComponentProbe, guest: str) -> None:
    probe.probe(component(guest), manifest())


def test_loading_gives_the_capabilities_in_the_order_of_the_world(probe: ComponentProbe) -> None:
    assert probe.load(component("notes"), manifest()) == tuple(word.value for word in Capability)
    assert probe.load(component("plain"), manifest()) == ()
    assert probe.load(component("partial"), manifest()) == (
        "get-for-agent",
        "purge-namespace",
        "ensure-agent-uuid",
        "export-entries",
    )


@pytest.mark.parametrize(
    ("guest", "error"),
    [
        ("trap_at_start", InstantiationFailed),
        ("spin_at_start", InstantiationFailed),
        ("trap_in_capabilities", Trap),
        ("http", ImportNotGranted),
        ("missing_export", ComponentInvalid),
    ],
)
def test_loading_refuses_what_must_not_or_does_not_start(
    probe: ComponentProbe, guest: str, error: type[ZeroclawError]
) -> None:
    with pytest.raises(error):
        probe.load(component(guest), manifest())


def test_bytes_that_are_no_component_are_refused(probe: ComponentProbe) -> None:
    with pytest.raises(ComponentInvalid):
        probe.probe(b"nothing", manifest())
