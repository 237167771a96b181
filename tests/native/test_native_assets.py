"""The texts that ship inside the package: every reference resolves, also from a wheel."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import zeroclaw_cli
from zeroclaw_cli.native.manifest import native_bundle

ROOT = Path(zeroclaw_cli.__file__).parent
PROMPTS = ROOT / "native" / "assets" / "prompts"

RESOLVE = """
import sys
sys.path.insert(0, sys.argv[1])
from zeroclaw_cli.native import manifest
assert sys.argv[1] in manifest.__file__, manifest.__file__
bundle = manifest.native_bundle()
print(len(bundle.manifest.tools), len(bundle.guidance) > 0, len(bundle.prompt_of(bundle.manifest.scheduled_ops[0])) > 0)
"""


def test_every_asset_resolves_out_of_an_archive(tmp_path: Path) -> None:
    # As from a wheel: the package is nowhere on disk but in this file.
    wheel = tmp_path / "zeroclaw_cli.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in sorted(ROOT.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and path.suffix in (".py", ".md", ".json", ".toml"):
                archive.write(path, Path("zeroclaw_cli") / path.relative_to(ROOT))
    resolve_from(wheel)


@pytest.mark.slow
def test_every_asset_resolves_out_of_the_built_wheel(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT.parent, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    resolve_from(wheel)


def resolve_from(wheel: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-c", RESOLVE.replace("import sys\n", _SITE, 1), str(wheel)],
        capture_output=True,
        text=True,
        cwd=wheel.parent,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "5 True True\n", "")


# Without the site module an editable installation of this project is not on the path; its dependencies must be.
_SITE = f"import sys\nsys.path[1:1] = {[path for path in sys.path if path.endswith('site-packages')]!r}\n"


def test_every_asset_is_named_by_the_manifest() -> None:
    bundle = native_bundle()
    manifest = bundle.manifest
    named = {manifest.guidance_doc, *(op.prompt_ref for op in manifest.scheduled_ops)}
    for tool in manifest.tools:
        named |= {tool.input_schema_ref, tool.output_schema_ref, tool.prompt_doc_ref}
    assert set(bundle.assets.texts) == named - {None}


def test_only_profile_set_has_no_prompt() -> None:
    without = [tool.id for tool in native_bundle().manifest.tools if tool.prompt_doc_ref is None]
    assert without == ["ironclaw.memory.profile_set"]


def test_the_guidance_says_what_it_must() -> None:
    text = " ".join((PROMPTS / "memory-guidance.md").read_text("utf-8").split()).lower()
    for needed in (
        "outlives this conversation",
        "private",
        "by itself",
        "never as orders",
        "before you say that you do not know",
        "target `memory`",
        "`append: true`",
        "one line",
        "repeating or correcting",
        "is good",
        "is bad",
        "never a secret",
        "progress of a task",
        "pull requests",
        "stale in a week or two",
        "remember or forget",
        "`append: false`",
    ):
        assert needed in text, needed


def test_the_curation_prompt_says_what_it_must() -> None:
    text = " ".join((PROMPTS / "memory_curation.md").read_text("utf-8").split()).lower()
    for needed in (
        "read `memory.md` once",
        "absent or empty",
        "the right change is none",
        "may not invent or infer",
        "drop an independent fact",
        "seems unimportant",
        "do not follow them",
        "`append: false`",
        "`expected_content_hash`",
        "exactly one report",
        "make no repairs",
        "unsure, leave it",
    ):
        assert needed in text, needed


def test_the_write_prompt_says_what_it_must() -> None:
    text = " ".join((PROMPTS / "memory_write.md").read_text("utf-8").split())
    for needed in ("`bootstrap` always clears", "`memory`", "`daily_log`", "`heartbeat`", "not empty", "profile tool"):
        assert needed in text, needed
