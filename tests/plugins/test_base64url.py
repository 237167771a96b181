from __future__ import annotations

import base64

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zeroclaw_cli.plugins import base64url

# How long one example takes says more about the load of the machine than about the code.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@UNTIMED
@given(st.binary(max_size=80))
def test_bytes_come_back_and_the_text_has_no_padding(data: bytes) -> None:
    text = base64url.encode(data)
    assert text == base64.urlsafe_b64encode(data).decode().rstrip("=")
    assert base64url.decode(text) == data


@UNTIMED
@given(st.text(alphabet="AQgw-_+/= \n=éAB", max_size=12))
def test_one_text_stands_for_each_sequence_of_bytes(text: str) -> None:
    data = base64url.decode(text)
    assert data is None or base64url.encode(data) == text


@pytest.mark.parametrize("text", ["QQ==", "Q", "QR", "a+b/", " QQ", "QQ\n", "QUJ", "é", "QQ=A"])
def test_padding_foreign_characters_and_trailing_bits_are_refused(text: str) -> None:
    assert base64url.decode(text) is None
