from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeroclaw_cli.errors import DocumentInput, DocumentOperation
from zeroclaw_cli.native.scope import DocumentPath, Scope, authorise, parse_virtual_path

BAD = ["", " ", "\u2003", ".", "..", "a:b", "a/b", "a\\b", "a\x00", "a\n", "\x85a", "é" * 129, "a\ud800"]
GOOD = ["local", "a b", "é" * 128, "...", "a.b", "@x", "抹茶", "_none_"]


@pytest.mark.parametrize("part", ["tenant", "user"])
@pytest.mark.parametrize("value", BAD)
def test_a_part_that_breaks_a_rule_is_refused(part: str, value: str) -> None:
    with pytest.raises(DocumentInput) as caught:
        Scope(**{part: value})
    assert caught.value.reason == "bad_scope"
    assert part in caught.value.message


@pytest.mark.parametrize("part", ["agent", "project"])
@pytest.mark.parametrize("value", [*BAD[1:], "_none"])
def test_an_agent_or_project_may_be_absent_but_not_odd(part: str, value: str) -> None:
    assert Scope(**{part: ""}) == Scope()
    with pytest.raises(DocumentInput):
        Scope(**{part: value})


@pytest.mark.parametrize("value", GOOD)
def test_what_is_odd_but_allowed(value: str) -> None:
    scope = Scope(value, value, value, value)
    assert parse_virtual_path(scope.virtual_path("a/b.md")) == DocumentPath(scope, "a/b.md")


def test_a_user_may_be_called_none() -> None:
    assert Scope(user="_none").virtual_path("a") == "/memory/tenants/local/users/_none/agents/_none/projects/_none/a"


def test_the_commands_default_is_local_and_default() -> None:
    assert Scope().key == ("local", "default", "", "")


SEGMENT = st.text(min_size=1, max_size=12).filter(lambda text: _is_segment(text))


def _is_segment(text: str) -> bool:
    try:
        Scope(text, text, text, text)
    except DocumentInput:
        return False
    return True


@given(SEGMENT, SEGMENT, st.one_of(st.just(""), SEGMENT), st.one_of(st.just(""), SEGMENT))
def test_a_virtual_path_reads_back(tenant: str, user: str, agent: str, project: str) -> None:
    scope = Scope(tenant, user, agent, project)
    assert parse_virtual_path(scope.virtual_path("x/y.md")) == DocumentPath(scope, "x/y.md")


def test_the_older_form_means_no_agent() -> None:
    found = parse_virtual_path("/memory/tenants/t/users/u/projects/p/a/b.md")
    assert found == DocumentPath(Scope("t", "u", "", "p"), "a/b.md")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "a.md",
        "/memory/tenants/t",
        "/memory/tenants/t/users/u/agents/a/x.md",
        "/memory/tenants//users/u/agents/a/projects/p/x",
        "/memory/tenants/t/users/u/agents//projects/p/x",
        "/memory/tenants/t/users/u/projects//x",
    ],
)
def test_what_is_no_virtual_path_is_refused(path: str) -> None:
    with pytest.raises(DocumentInput):
        parse_virtual_path(path)


def test_changed_by_names_the_agent_only_when_there_is_one() -> None:
    assert Scope("t", "u").changed_by == "tenant:t:user:u:project:_none"
    assert Scope("t", "u", "a", "p").changed_by == "tenant:t:user:u:agent:a:project:p"


def test_the_users_own_scope_has_neither_agent_nor_project() -> None:
    assert Scope("t", "u", "a", "p").of_user == Scope("t", "u")


def test_only_the_very_scope_is_authorised() -> None:
    authorise(Scope("t", "u", "a", "p"), Scope("t", "u", "a", "p"))
    for other in (Scope("t", "u", "a"), Scope("t", "u"), Scope("t", "x", "a", "p")):
        with pytest.raises(DocumentOperation) as caught:
            authorise(Scope("t", "u", "a", "p"), other)
        assert caught.value.reason == "scope_mismatch"
