from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zeroclaw_cli.config.values import is_package_name
from zeroclaw_cli.errors import (
    InvalidConfigSchema,
    InvalidManifest,
    LinkRefused,
    ManifestIo,
    PluginError,
    TomlParse,
)
from zeroclaw_cli.plugins.manifest import parse_manifest, read_manifest
from zeroclaw_cli.plugins.model import Manifest, Permission, PluginCapability

# How long one example takes says more about the load of the machine than about the code.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

SOURCE = Path("dir/manifest.toml")
BASE = 'name = "vec"\nversion = "1.0.0"\nwasm_path = "vec.wasm"\ncapabilities = ["memory"]\n'
DIGEST = "0123456789abcdef" * 4


def parse(text: str) -> Manifest:
    return parse_manifest(text.encode(), source=SOURCE)


def refused(text: str | bytes, kind: type[PluginError], problem: str) -> PluginError:
    """The error of ``text``: of exactly this kind, one line, naming the file, with a hint."""
    with pytest.raises(PluginError, match=problem) as caught:
        parse_manifest(text.encode() if isinstance(text, str) else text, source=SOURCE)
    assert type(caught.value) is kind
    assert str(SOURCE) in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint
    return caught.value


def test_every_field_is_read() -> None:
    text = (
        'name = "vec"\nversion = "1"\ndescription = "d"\nauthor = "a"\nwasm_path = "sub/x.wasm"\n'
        'capabilities = ["tool", "skill", "tool"]\npermissions = ["config_read", "http_client", "http_client"]\n'
        f'signature = ""\npublisher_key = "K"\nwasm_sha256 = "{DIGEST}"\nskills_sha256 = "sha256:{DIGEST}"\n'
        'provides = "matrix"\n[config_schema]\ntype = "object"\nn = [1, 2.5, true]\n'
    )
    manifest = parse(text)
    assert manifest == Manifest(
        name="vec",
        version="1",
        description="d",
        author="a",
        wasm_path="sub/x.wasm",
        capabilities=(PluginCapability.TOOL, PluginCapability.SKILL, PluginCapability.TOOL),
        permissions=(Permission.CONFIG_READ, Permission.HTTP_CLIENT, Permission.HTTP_CLIENT),
        config_schema={"type": "object", "n": [1, 2.5, True]},
        signature="",
        publisher_key="K",
        wasm_sha256=DIGEST,
        skills_sha256=DIGEST,
        text=text,
        raw=text.encode(),
    )


def test_what_is_not_there_is_none_or_empty() -> None:
    manifest = parse(BASE)
    absent = (manifest.description, manifest.author, manifest.config_schema, manifest.signature, manifest.wasm_sha256)
    assert absent == (None,) * 5
    assert (manifest.permissions, manifest.warnings) == ((), ())


def test_one_byte_order_mark_is_dropped_from_the_text_and_kept_in_the_bytes() -> None:
    manifest = parse("\ufeff" + BASE)
    assert manifest.text == BASE
    assert manifest.raw == b"\xef\xbb\xbf" + BASE.encode()
    refused("\ufeff\ufeff" + BASE, TomlParse, "TOML parse error")


def test_toml_1_1_is_read() -> None:
    manifest = parse(BASE + 'description = "\\e\\x41"\nt = 10:20\nx = {\n a = 1, # one\n b = 2,\n}\n')
    assert manifest.description == "\x1bA"


def test_env_read_is_config_read() -> None:
    manifest = parse(BASE + 'permissions = ["env_read", "config_read"]\n')
    assert manifest.permissions == (Permission.CONFIG_READ, Permission.CONFIG_READ)


def test_env_read_is_no_capability_and_no_other_word_has_an_alias() -> None:
    refused(BASE.replace('"memory"', '"env_read"'), TomlParse, "unknown word 'env_read'")
    refused(BASE + 'permissions = ["http"]', TomlParse, "unknown word 'http'")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name = \n", "line 1"),
        (BASE + 'name = "x"\n', "overwrite"),
        (BASE.replace('"vec"\n', "1\n", 1), "name must be a string, not an integer"),
        (BASE.replace('name = "vec"\n', ""), "the field name is missing"),
        (BASE.replace('version = "1.0.0"\n', ""), "the field version is missing"),
        (BASE.replace('"1.0.0"', "1.0"), "version must be a string, not a float"),
        (BASE.replace('"vec.wasm"', "true"), "wasm_path must be a string, not a boolean"),
        (BASE + "description = 2024-01-01\n", "description must be a string, not a date or time"),
        (BASE + "author = []\n", "author must be a string, not an array"),
        (BASE + "signature = {}\n", "signature must be a string, not a table"),
        (BASE + "[publisher_key]\n", "publisher_key must be a string, not a table"),
        (BASE.replace('capabilities = ["memory"]\n', ""), "the field capabilities is missing"),
        (BASE.replace('["memory"]', '"memory"'), "capabilities must be an array, not a string"),
        (BASE.replace('["memory"]', "[1]"), "capabilities must hold strings, not an integer"),
        (BASE.replace('["memory"]', '["Memory"]'), "unknown word 'Memory'"),
        (BASE + 'permissions = "config_read"\n', "permissions must be an array"),
        (BASE + f"n = {2**63}\n", "the integer at n does not fit in 64 bits"),
        (BASE + "n = " + "9" * 5000 + "\n", "an integer does not fit in 64 bits"),
        (BASE + "n = " + "[" * 3000 + "]" * 3000 + "\n", "nests deeper than can be read"),
        (BASE + "a" + ".a" * 5000 + " = 1\n", "nests deeper than can be read"),
    ],
)
def test_a_wrong_type_a_missing_field_and_an_unknown_word_are_parse_errors(text: str, problem: str) -> None:
    refused(text, TomlParse, problem)


def test_an_unknown_word_is_met_with_the_nearest_and_all_words() -> None:
    error = refused(BASE.replace('["memory"]', '["memry"]'), TomlParse, "unknown word 'memry'")
    assert error.hint == "write memory; the words are tool, channel, memory, observer, skill"


def test_a_required_field_below_a_table_header_is_pointed_out() -> None:
    text = 'name = "v"\nversion = "1"\n[config_schema]\ncapabilities = ["tool"]\n'
    error = refused(text, TomlParse, "config_schema holds a key of that name")
    assert error.hint is not None
    assert error.hint.startswith('move capabilities = ["tool"] above the first table header')


def test_bytes_that_are_not_utf_8_are_an_io_error() -> None:
    error = refused(BASE.encode() + b"# \xff", ManifestIo, "not UTF-8")
    assert f"byte {len(BASE) + 2}" in error.message


@pytest.mark.parametrize(
    "name", ["a", "9", "a.b", "a--b", "a..b", "gmail_push", "a" * 128, "0-._9"]
)  # fmt: skip
def test_these_names_are_slugs(name: str) -> None:
    assert parse(BASE.replace('"vec"', f'"{name}"', 1)).name == name


@pytest.mark.parametrize(
    "name", ["A", "-a", "a-", "a.", ".a", "_", "a/b", "..", "", "a b", "é", "a" * 129, "a\\n", "a\\u0000"]
)
def test_these_names_are_no_slugs(name: str) -> None:
    refused(BASE.replace('"vec"', f'"{name}"', 1), InvalidManifest, "is not a package name")


def test_a_trailing_newline_is_no_part_of_a_slug() -> None:
    assert not is_package_name("a\n")


@pytest.mark.parametrize("path", ["x.wasm", "./x.wasm", "sub/x.wasm", "x.cwasm", "x", "...", "a/..b/c", "a\\\\b.wasm"])
def test_these_component_paths_are_inside(path: str) -> None:
    parse(BASE.replace('"vec.wasm"', f'"{path}"'))


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/x.wasm", "is absolute"),
        ("//host/x", "is absolute"),
        ("\\\\x.wasm", "is absolute"),
        ("\\\\\\\\host\\\\share\\\\x", "is absolute"),
        ("C:x.wasm", "is absolute"),
        ("C:\\\\x.wasm", "is absolute"),
        ("..", "a .. segment"),
        ("../x.wasm", "a .. segment"),
        ("sub/../x.wasm", "a .. segment"),
        ("..\\\\x.wasm", "a .. segment"),
        ("a/b\\\\..\\\\x.wasm", "a .. segment"),
        ("", "names no file"),
        (".", "names no file"),
        ("./", "names no file"),
        (".\\\\", "names no file"),
        ("a\\u0000.wasm", "NUL"),
    ],
)
@pytest.mark.parametrize("capability", ["memory", "skill"])
def test_a_component_path_that_leaves_the_package_under_either_reading_is_refused(
    path: str, problem: str, capability: str
) -> None:
    text = BASE.replace('"vec.wasm"', f'"{path}"').replace("memory", capability)
    refused(text, InvalidManifest, problem)


def test_empty_capabilities_are_refused() -> None:
    refused(BASE.replace('["memory"]', "[]"), InvalidManifest, "capabilities is empty")


def test_a_component_is_required_unless_skill_is_the_only_capability() -> None:
    without = BASE.replace('wasm_path = "vec.wasm"\n', "")
    assert parse(without.replace('"memory"', '"skill"')).wasm_path is None
    assert parse(without.replace('"memory"', '"skill", "skill"')).wasm_path is None
    refused(without, InvalidManifest, "wasm_path is missing")
    refused(without.replace('"memory"', '"skill", "tool"'), InvalidManifest, "wasm_path is missing")


def test_checks_run_in_the_order_of_the_table() -> None:
    """Each line breaks one more, earlier rule; the earliest decides."""
    text = 'name = "vec"\nversion = "1"\ncapabilities = ["tool"]\nwasm_sha256 = "x"\n'
    refused(text, InvalidManifest, "wasm_path is missing")
    text = text.replace('["tool"]', "[]")
    refused(text, InvalidManifest, "capabilities is empty")
    text += 'wasm_path = "/x"\n'
    refused(text, InvalidManifest, "is absolute")
    text = text.replace('"vec"', '"VEC"')
    refused(text, InvalidManifest, "is not a package name")
    text += 'permissions = ["x"]\n'
    refused(text, TomlParse, "unknown word")
    refused(text.encode() + b"# \xff", ManifestIo, "not UTF-8")


@pytest.mark.parametrize("field", ["wasm_sha256", "skills_sha256"])
@pytest.mark.parametrize(
    "value",
    [
        '""',
        f'"{DIGEST.upper()}"',
        f'"{DIGEST[:-1]}"',
        f'"{DIGEST}0"',
        f'" {DIGEST}"',
        f'"sha512:{DIGEST}"',
        f'"SHA256:{DIGEST}"',
        "1",
        "[]",
    ],
)
def test_a_digest_of_another_form_is_an_invalid_manifest(field: str, value: str) -> None:
    refused(BASE + f"{field} = {value}\n", InvalidManifest, f"{field} is not 64 lower-case hex digits")


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ('config_schema = "x"', "config_schema must be a table, not a string"),
        ("config_schema = []", "config_schema must be a table, not an array"),
        ("[config_schema]\na.b = [1, inf]", r"config_schema.a.b\[1\] is inf"),
        ("[config_schema]\na = -nan", "config_schema.a is nan"),
        ("[config_schema]\na = 2024-01-01", "config_schema.a is a date or time"),
        ("[config_schema]\na = [{b = 10:00:00}]", r"config_schema.a\[0\].b is a date or time"),
    ],
)
def test_a_schema_without_a_json_form_is_an_invalid_config_schema_that_names_the_package(
    schema: str, problem: str
) -> None:
    error = refused(BASE + schema + "\n", InvalidConfigSchema, problem)
    assert "package 'vec'" in error.message


def test_dates_outside_the_schema_are_no_concern() -> None:
    assert parse(BASE + "built = 2024-01-01\nx = nan\n").config_schema is None


def test_a_signature_inside_a_table_is_warned_about() -> None:
    manifest = parse(BASE + '[config_schema]\ntype = "object"\nsignature = "S"\n[[x.y]]\npublisher_key = "K"\n')
    assert manifest.signature is None
    assert manifest.warnings == (
        f"{SOURCE}: signature stands inside [config_schema] and does not sign the package; "
        "move it above the first table header",
        f"{SOURCE}: publisher_key stands inside [x.y[0]] and does not sign the package; "
        "move it above the first table header",
    )


def test_a_property_named_signature_and_a_signed_manifest_are_not_warned_about() -> None:
    assert parse(BASE + '[config_schema.properties.signature]\ntype = "string"\n').warnings == ()
    assert parse(BASE + 'signature = "S"\n[x]\nsignature = "S"\n').warnings == ()


def test_reading_a_file_keeps_its_exact_bytes(tmp_path: Path) -> None:
    raw = BASE.replace("\n", "\r\n").encode()
    (tmp_path / "manifest.toml").write_bytes(raw)
    assert read_manifest(tmp_path / "manifest.toml").raw == raw


def test_a_missing_file_a_folder_and_a_link_are_io_errors(tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text(BASE)
    (tmp_path / "link.toml").symlink_to("real.toml")
    with pytest.raises(ManifestIo, match=r"gone\.toml cannot be read: No such file"):
        read_manifest(tmp_path / "gone.toml")
    with pytest.raises(ManifestIo, match="cannot be read"):
        read_manifest(tmp_path)
    with pytest.raises(LinkRefused, match=r"link\.toml is a symbolic link") as caught:
        read_manifest(tmp_path / "link.toml")
    assert caught.value.code == "link"


@UNTIMED
@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_arbitrary_bytes_raise_nothing_but_errors_of_the_family(raw: bytes) -> None:
    try:
        parse_manifest(raw, source=SOURCE)
    except PluginError as error:
        assert "\n" not in error.message


def test_no_permission_is_proposed_for_how_it_is_spelled() -> None:
    error = refused(BASE + 'permissions = ["file_writ"]\n', TomlParse, "unknown word 'file_writ'")
    assert error.hint is not None
    assert "write file_write" not in error.hint
    for word in ("file_write (granted)", "state_read (ignored by this host)", "http_client (refused"):
        assert word in error.hint
    assert parse(BASE + 'permissions = ["state_read", "state_write"]\n').permissions == ("state_read", "state_write")
