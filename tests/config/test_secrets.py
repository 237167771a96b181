from __future__ import annotations

import os
import stat
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.config.model import Location
from zeroclaw_cli.config.secrets import SecretBox, decrypt, decrypt_legacy, encrypt, is_reference
from zeroclaw_cli.errors import SecretError, SecretKeyDamaged

KEY = bytes(range(32))
NONCE = bytes(range(0x40, 0x4C))
SEALED = "enc2:404142434445464748494a4b8b3f51f517399a2c69fdc52614710e79b7b8bf7d0c678019dd24cc"
LEGACY = "enc:736a2f776176722a393b39"


@pytest.fixture
def location(tmp_path: Path) -> Location:
    return Location(tmp_path / "home", tmp_path / "home" / "data", "test")


@pytest.fixture
def keyed(location: Location) -> Location:
    location.config_dir.mkdir()
    (location.config_dir / ".secret_key").write_text(KEY.hex())
    return location


def test_the_published_vector_of_enc2() -> None:
    assert encrypt("sk-test-123", KEY, NONCE) == SEALED
    assert decrypt(SEALED, KEY) == "sk-test-123"


def test_the_published_vector_of_the_legacy_form() -> None:
    assert decrypt_legacy(LEGACY, KEY) == "sk-test-123"


def test_a_stored_value_of_either_form_is_opened(keyed: Location) -> None:
    box = SecretBox(keyed)
    assert [box.open(SEALED), box.open(LEGACY), box.open("plain"), box.open("")] == ["sk-test-123"] * 2 + ["plain", ""]


@given(st.text(st.characters(exclude_categories=["Cs"])), st.binary(min_size=32, max_size=32))
def test_what_is_sealed_opens_to_the_same_text(text: str, key: bytes) -> None:
    assert decrypt(encrypt(text, key, os.urandom(12)), key) == text


def test_every_sealing_uses_a_fresh_nonce(location: Location) -> None:
    box = SecretBox(location)
    sealed = {box.seal("same") for _ in range(50)}
    assert len(sealed) == 50
    assert {box.open(text) for text in sealed} == {"same"}


def test_the_key_is_made_on_demand_with_a_private_mode(location: Location) -> None:
    sealed = SecretBox(location).seal("x")
    file = location.config_dir / ".secret_key"
    assert sealed.startswith("enc2:")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(location.config_dir.stat().st_mode) == 0o700
    assert len(file.read_text()) == 64
    assert file.read_text() == file.read_text().lower()
    assert [child.name for child in location.config_dir.iterdir()] == [".secret_key"]


def test_an_existing_key_is_never_replaced(keyed: Location) -> None:
    SecretBox(keyed).seal("x")
    assert (keyed.config_dir / ".secret_key").read_text() == KEY.hex()


def test_reading_makes_no_key(location: Location) -> None:
    with pytest.raises(SecretError, match=r"\.secret_key is missing"):
        SecretBox(location).open(SEALED)
    assert not location.config_dir.exists()


@pytest.mark.parametrize("text", ["", "op://vault/item/field", "op://a/b/c/d"])
def test_an_empty_text_and_a_reference_stay_as_they_are(text: str, location: Location) -> None:
    assert SecretBox(location).seal(text) == text
    assert not location.config_dir.exists()


@pytest.mark.parametrize("text", ["op://a/b", "op://a//c", "op:///b/c", "op://a/b/", "op://", "OP://a/b/c", "a/b/c"])
def test_a_reference_has_three_segments_that_are_not_empty(text: str) -> None:
    assert not is_reference(text)


def test_a_plain_text_that_looks_encrypted_survives(location: Location) -> None:
    box = SecretBox(location)
    for text in ("enc2:00", "enc:zz", "op://a/b"):
        assert box.open(box.seal(text)) == text


def test_without_encryption_values_stay_plain_and_ambiguous_ones_are_refused(location: Location) -> None:
    box = SecretBox(location, encrypt=False)
    assert box.seal("plain") == "plain"
    for text in ("enc2:00", "enc:00"):
        with pytest.raises(SecretError, match="cannot begin with"):
            box.seal(text)
    assert not location.config_dir.exists()


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        ("enc2:404", "odd number of hexadecimal digits"),
        ("enc2:4z", "not hexadecimal"),
        ("enc2:é0", "not hexadecimal"),
        ("enc2:" + "00" * 12, "too short"),
        ("enc2:", "too short"),
        ("enc2:" + "00" * 13, "another key"),
        (SEALED[:-1] + "d", "another key"),
        (encrypt("x", bytes(32), NONCE), "another key"),
        ("enc:7", "odd number of hexadecimal digits"),
        ("enc:zz", "not hexadecimal"),
        ("enc:" + bytes([0xFF ^ KEY[0]]).hex(), "not UTF-8"),
    ],
)
def test_each_fault_of_a_stored_value_has_its_own_error_that_hides_it(
    stored: str, reason: str, keyed: Location
) -> None:
    with pytest.raises(SecretError, match=reason) as caught:
        SecretBox(keyed).open(stored)
    blob = stored.partition(":")[2]
    assert caught.value.hint
    assert len(blob) < 4 or blob not in f"{caught.value.message} {caught.value.hint}"


def test_a_decrypted_text_that_is_not_utf8_is_an_error(keyed: Location) -> None:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    stored = "enc2:" + (NONCE + ChaCha20Poly1305(KEY).encrypt(NONCE, b"\xff", None)).hex()
    with pytest.raises(SecretError, match="not UTF-8"):
        SecretBox(keyed).open(stored)


def _link(file: Path) -> None:
    real = file.with_name("real")
    real.write_text(KEY.hex())
    file.symlink_to(real)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda file: file.write_text(""), "64 hexadecimal digits"),
        (lambda file: file.write_text("00" * 31), "64 hexadecimal digits"),
        (lambda file: file.write_text("zz" * 32), "64 hexadecimal digits"),
        (lambda file: file.write_bytes(b"\xff" * 64), "64 hexadecimal digits"),
        (lambda file: file.write_text(" ".join(["00"] * 32)), "64 hexadecimal digits"),
        (lambda file: file.mkdir(), "not a regular file"),
        (lambda file: os.mkfifo(file), "not a regular file"),
        (_link, "is a link"),
    ],
)
def test_an_unusable_key_file_is_damage_and_is_left_alone(
    make: Callable[[Path], object], reason: str, location: Location
) -> None:
    location.config_dir.mkdir()
    make(location.config_dir / ".secret_key")
    for use in (SecretBox(location).open, lambda _: SecretBox(location).seal("x")):
        with pytest.raises(SecretKeyDamaged, match=reason) as caught:
            use(SEALED)
        assert caught.value.exit_code == 5


@pytest.mark.parametrize("text", [KEY.hex() + "\n", f"  {KEY.hex()}\r\n", KEY.hex().upper()])
def test_the_key_is_read_with_blanks_around_it_and_in_any_case(text: str, location: Location) -> None:
    location.config_dir.mkdir()
    (location.config_dir / ".secret_key").write_text(text)
    assert SecretBox(location).open(SEALED) == "sk-test-123"


def _seal(directory: str) -> str:
    return SecretBox(Location(Path(directory), Path(directory), "test")).seal("x")


def test_processes_that_start_together_agree_on_one_key(location: Location) -> None:
    with get_context("spawn").Pool(4) as pool:
        sealed = pool.map(_seal, [str(location.config_dir)] * 16, chunksize=1)
    box = SecretBox(location)
    assert [box.open(text) for text in sealed] == ["x"] * 16
    assert [child.name for child in location.config_dir.iterdir()] == [".secret_key"]


def _op(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "op").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "op").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")


def test_a_reference_is_read_with_op(location: Location, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _op(tmp_path / "bin", 'echo "$1 $2"', monkeypatch)
    assert SecretBox(location).open("op://vault/item/field") == "read op://vault/item/field"


def test_a_reference_that_op_refuses_says_what_op_said(
    location: Location, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _op(tmp_path / "bin", "echo not signed in >&2; exit 1", monkeypatch)
    with pytest.raises(SecretError, match="failed: not signed in"):
        SecretBox(location).open("op://vault/item/field")


@pytest.mark.parametrize("script", ["no interpreter line\n", "#!/nonexistent\n"])
def test_an_op_that_does_not_start_is_an_error_that_says_so(
    script: str, location: Location, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _op(tmp_path / "bin", "", monkeypatch)
    (tmp_path / "bin" / "op").write_text(script)
    with pytest.raises(SecretError, match="does not start"):
        SecretBox(location).open("op://vault/item/field")


def test_a_reference_that_no_command_line_can_hold_is_an_error(
    location: Location, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _op(tmp_path / "bin", "echo x", monkeypatch)
    with pytest.raises(SecretError, match="does not start"):
        SecretBox(location).open("op://vault/item/field\0")


def test_an_op_that_is_not_ready_in_time_is_given_up(
    location: Location, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zeroclaw_cli.config.secrets._OP_TIMEOUT_S", 0.2)
    _op(tmp_path / "bin", "sleep 5", monkeypatch)
    with pytest.raises(SecretError, match="did not answer"):
        SecretBox(location).open("op://vault/item/field")


def test_a_reference_without_op_says_so(location: Location, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SecretError, match="not installed"):
        SecretBox(location).open("op://vault/item/field")
