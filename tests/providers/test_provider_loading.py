"""From a folder to an object, with plugins of every shape (specs/memory-providers.md P-09 … P-13, P-41, P-54)."""

from __future__ import annotations

import importlib.machinery
import json
import logging
import os
import py_compile
import shutil
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import zeroclaw_cli.providers.base as host_base
from tests.support.provider_plugins import PROVIDER, REGISTER, approve, find, install, nested, write_plugin
from zeroclaw_cli.errors import ProviderBroken, ProviderUntrusted
from zeroclaw_cli.providers import aliases, trust
from zeroclaw_cli.providers.base import MemoryProvider
from zeroclaw_cli.providers.home import NAMESPACE
from zeroclaw_cli.providers.loading import load, load_with_report

CLASS = PROVIDER.replace("NAME", "mem")


def code(text: str, indent: int = 0) -> str:
    return textwrap.indent(textwrap.dedent(text), " " * indent)


@pytest.fixture(autouse=True)
def _modules() -> Iterator[None]:
    before = dict(sys.modules)
    yield
    for name in set(sys.modules) - set(before):
        if name.startswith(NAMESPACE):
            del sys.modules[name]
    aliases.remove()


def provider_modules() -> set[str]:
    return {name for name in sys.modules if name.startswith(f"{NAMESPACE}.") and name.count(".") > 1}


def broken(home: Path, init: str, **options: Any) -> ProviderBroken:
    """The error of loading a provider with this ``__init__``; nothing of it may stay."""
    plugin = install(home, "mem", init, **options)
    before = provider_modules()
    with pytest.raises(ProviderBroken) as caught:
        load(plugin, home)
    assert provider_modules() == before
    assert "\n" not in caught.value.message
    return caught.value


def test_a_registered_provider_is_an_instance_of_the_hosts_own_class(tmp_path: Path) -> None:
    provider = load(install(tmp_path, "mem"), tmp_path)
    assert isinstance(provider, MemoryProvider)
    assert provider.name == "mem"


def test_p40_nothing_runs_before_the_approval_nor_after_a_change(tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    source = f"open({str(trap)!r}, 'w').close()\n{CLASS}{REGISTER}"
    write_plugin(nested(tmp_path), "mem", source)
    with pytest.raises(ProviderUntrusted, match="its code has not been approved"):
        load(find(tmp_path, "mem"), tmp_path)
    plugin = approve(tmp_path, "mem")
    (plugin.directory / "added.py").touch()
    with pytest.raises(ProviderUntrusted, match=r"added added\.py"):
        load(plugin, tmp_path)
    assert not trap.exists()


def test_p09_modules_lie_in_a_private_namespace_and_no_plugins_package_appears(tmp_path: Path) -> None:
    provider = load(install(tmp_path, "my-mem", CLASS + REGISTER), tmp_path)
    assert type(provider).__module__.startswith(f"{NAMESPACE}.h")
    assert type(provider).__module__.endswith(".my-mem")
    assert "plugins" not in sys.modules
    assert "plugins.memory" not in sys.modules


def test_p54_two_homes_share_neither_modules_nor_objects(tmp_path: Path) -> None:
    init = CLASS + code(
        """
        STATE = []

        class Own(Provider):
            state = STATE

        def register(ctx):
            STATE.append(ctx.vibeos_home)
            ctx.register_memory_provider(Own())
        """
    )
    homes = [tmp_path / "one", tmp_path / "two"]
    providers = [load(install(home, "mem", init), home) for home in homes]
    assert type(providers[0]) is not type(providers[1])
    assert [provider.state for provider in providers] == [[str(home)] for home in homes]  # type: ignore[attr-defined]


def test_p10_relative_imports_subpackages_and_imports_inside_functions_work(tmp_path: Path) -> None:
    late = code(
        """
            def late(self):
                import importlib
                from .deep import er
                from .late import WORD
                from .namespace import inner
                return Store.x, VALUE, WORD, importlib.import_module(".late", __package__).WORD
        """,
        4,
    )
    init = "from .store import Store\nfrom .deep.er import VALUE\nfrom . import later_name\n" + CLASS + late + REGISTER
    files = {
        "store.py": "class Store:\n    x = 1\n",
        "deep/__init__.py": "",
        "deep/er.py": "from ..store import Store\nfrom . import __name__ as parent\nVALUE = Store.x + 1\n",
        "late.py": "WORD = 'late'\n",
        "later_name.py": "",
        "namespace/inner.py": "",
    }
    provider = load(install(tmp_path, "mem", init, files=files), tmp_path)
    assert provider.late() == (1, 2, "late", "late")  # type: ignore[attr-defined]


def test_p10_siblings_are_not_executed_unless_they_are_imported(tmp_path: Path) -> None:
    load(install(tmp_path, "mem", files={"bad.py": "raise SystemExit\n", "worse.py": "syntax error here\n"}), tmp_path)


@pytest.mark.parametrize(
    "way", ["", "import sys, os\nsys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))\n"]
)
def test_p10_an_absolute_import_of_a_sibling_fails_with_the_remedy(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    error = broken(tmp_path, way + "from zc_client import X\n" + CLASS + REGISTER, files={"zc_client.py": "X = 1\n"})
    assert "ModuleNotFoundError: No module named 'zc_client' (__init__.py, line" in error.message
    assert error.hint is not None
    assert "from .zc_client import …" in error.hint
    assert "zc_client" not in sys.modules


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("import plugins.memory.mem.client", "hermes_compat true"),
        (
            "from agent.other import x",
            "it needs agent.other of hermes-agent, which is not offered here (__init__.py:1)",
        ),
        ("import hermes_constants", "hermes_compat true"),
        ("import no_such_distribution", "zeroclaw memory check"),
    ],
)
def test_a_failed_import_says_what_to_do(tmp_path: Path, statement: str, hint: str) -> None:
    assert hint in (broken(tmp_path, f"{statement}\n").hint or "")


def test_a_failed_import_of_a_declared_dependency_names_setup(tmp_path: Path) -> None:
    error = broken(tmp_path, "import no_such_distribution\n", yaml="pip_dependencies: [no-such-distribution]\n")
    assert "zeroclaw memory setup mem --install-deps" in (error.hint or "")


def test_p11_a_loaded_module_is_reused_and_the_object_is_new(tmp_path: Path) -> None:
    plugin = install(tmp_path, "mem")
    one, two = load(plugin, tmp_path), load(plugin, tmp_path)
    assert type(one) is type(two)
    assert one is not two


def test_p11_new_approved_bytes_are_loaded_in_place_of_the_old(tmp_path: Path) -> None:
    plugin = install(
        tmp_path,
        "mem",
        "from .part import VALUE\n" + CLASS + "    value = VALUE\n" + REGISTER,
        files={"part.py": "VALUE = 1\n"},
    )
    assert load(plugin, tmp_path).value == 1  # type: ignore[attr-defined]
    (plugin.directory / "part.py").write_text("VALUE = 2\n")
    assert load(approve(tmp_path, "mem"), tmp_path).value == 2  # type: ignore[attr-defined]


def test_p11_a_failed_load_leaves_nothing_and_the_next_one_starts_anew(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    early = f"from . import part\nimport os\nif not os.path.exists({str(flag)!r}):\n    raise ValueError('not yet')\n"
    init = early + CLASS + REGISTER
    error = broken(tmp_path, init, files={"part.py": "x = 1\n"})
    assert "does not load: ValueError: not yet (__init__.py, line 4)" in error.message
    flag.touch()
    assert load(find(tmp_path, "mem"), tmp_path).name == "mem"


def test_p11_a_failure_of_a_second_load_leaves_the_first_object_at_work(tmp_path: Path) -> None:
    late = "    def late(self):\n        from .late import WORD\n        return WORD\n"
    init = (
        CLASS
        + late
        + code(
            """
            COUNT = []

            def register(ctx):
                COUNT.append(1)
                if len(COUNT) > 1:
                    globals().pop("Provider")
                    raise ValueError("twice")
                ctx.register_memory_provider(Provider())
            """
        )
    )
    plugin = install(tmp_path, "mem", init, files={"late.py": "WORD = 'late'\n"})
    provider = load(plugin, tmp_path)
    with pytest.raises(ProviderBroken, match="twice"):
        load(plugin, tmp_path)
    assert provider.late() == "late"  # type: ignore[attr-defined]


def test_p12_the_last_registered_provider_wins(tmp_path: Path) -> None:
    init = CLASS + code(
        """
        def register(ctx):
            for number in (1, 2):
                provider = Provider()
                provider.number = number
                ctx.register_memory_provider(provider)
        """
    )
    assert load(install(tmp_path, "mem", init), tmp_path).number == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "register", ["", "def register(ctx): pass\n", "def register(ctx): raise ValueError('early')\n", "register = 5\n"]
)
def test_p12_without_a_registration_the_first_fitting_class_is_used(tmp_path: Path, register: str) -> None:
    init = (
        "from .part import Elsewhere\nfrom abc import abstractmethod\n" + CLASS.replace("class Provider", "class Base")
        + "class Abstract(Base):\n    @abstractmethod\n    def more(self): pass\n"
        "class Needs(Base):\n    def __init__(self, required): pass\n"
        "class Raises(Base):\n    def __init__(self): raise ValueError('no')\n"
        "class Fits(Base):\n    fits = True\n"
        "del Base\n" + register
    )  # fmt: skip
    part = "Elsewhere = None\n"
    loaded = load_with_report(install(tmp_path, "mem", init, files={"part.py": part}), tmp_path)
    assert type(loaded.provider).__name__ == "Fits"
    assert ("early" in "".join(loaded.warnings)) == ("early" in register)


def test_p12_the_hosts_own_classes_are_not_a_providers(tmp_path: Path) -> None:
    error = broken(tmp_path, "from agent.memory_provider import MemoryProvider\n")
    assert "gives no provider" in error.message


def test_p12_a_class_of_a_submodule_counts(tmp_path: Path) -> None:
    plugin = install(tmp_path, "mem", "from .impl import Provider\n", files={"impl.py": CLASS})
    assert load(plugin, tmp_path).name == "mem"


def test_p12_a_failure_after_the_registration_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    init = CLASS + "def register(ctx):\n    ctx.register_memory_provider(Provider())\n    raise ValueError('late')\n"
    with caplog.at_level(logging.WARNING):
        assert load(install(tmp_path, "mem", init), tmp_path).name == "mem"
    assert "late" in caplog.text


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ("name = ''", "its name is not text, or empty"),
        ("name = None", "its name is not text, or empty"),
        ("name = 'builtin'", "calls itself 'builtin'"),
        ("name = ' BuiltIn '", "the name of the built-in memory"),
        ("initialize = None", "has no method initialize"),
        ("name = property(lambda self: 1 / 0)", "ZeroDivisionError"),
        ("name = property(lambda self: exit(3))", "(SystemExit): 3"),
        ("get_tool_schemas = 5\n    is_available = 6", "has no method is_available and no get_tool_schemas"),
    ],
)  # fmt: skip
def test_p13_an_object_that_is_no_provider_is_refused(tmp_path: Path, member: str, message: str) -> None:
    assert message in broken(tmp_path, f"{CLASS}    {member}\n{REGISTER}").message


def test_p13_none_is_no_provider(tmp_path: Path) -> None:
    assert "cannot be looked at" in broken(tmp_path, "def register(ctx): ctx.register_memory_provider(None)\n").message


def test_p13_a_duck_is_accepted(tmp_path: Path) -> None:
    duck = (
        "class Duck:\n    name = 'mem'\n    def is_available(self): return True\n"
        "    def initialize(self, session_id): pass\n    def get_tool_schemas(self): return []\n"
        "def register(ctx): ctx.register_memory_provider(Duck())\n"
    )
    assert load(install(tmp_path, "mem", duck), tmp_path).name == "mem"


def test_p13_another_name_than_the_folders_is_a_warning(tmp_path: Path) -> None:
    loaded = load_with_report(install(tmp_path, "mem", PROVIDER.replace("NAME", "other") + REGISTER), tmp_path)
    assert "calls itself 'other'" in loaded.warnings[0]


HOSTILE = {
    "exits": ("import sys\nsys.exit(7)\n", "it ends the process (SystemExit): 7"),
    "raises-base": ("class Odd(BaseException): pass\nraise Odd('odd')\n", "Odd: odd"),
    "generator-exit": ("raise GeneratorExit\n", "GeneratorExit"),
    "unshowable": ("class Odd(Exception):\n    def __str__(self): raise RuntimeError\nraise Odd\n", "cannot be shown"),
    "long": ("raise ValueError('x' * 100000 + '\\n\\x1b[2J')\n", "ValueError: xxx"),
    "long-exit": ("import sys\nsys.exit('a\\nb' * 10000)\n", "(SystemExit): a ba b"),
    "odd-import-error": ("raise ImportError('x', name=5)\n", "ImportError: x"),
    "odd-syntax-error": ("raise SyntaxError(5, (6, 7, 8, 9))\n", "SyntaxError: 5"),
    "syntax": ("def broken(:\n", "SyntaxError: "),
    "recursion": ("def f(): f()\nf()\n", "RecursionError"),
    "nul": ("x = 1\0\n", "null bytes"),
    "not-utf8": ("# coding: no-such\n", "SyntaxError"),
    "removes-itself": (f"import sys\ndel sys.modules[__name__]\n{CLASS}raise ValueError('x')", "ValueError: x"),
    "patches-json": ("import sys, types\nsys.modules['json'] = types.ModuleType('json')\n", "its host: json"),
    "patches-us": ("import sys\nsys.modules['zeroclaw_cli.errors'] = sys\n", "zeroclaw_cli.errors"),
    "removes-ours": ("import sys\ndel sys.modules['zeroclaw_cli.errors']\n", "zeroclaw_cli.errors"),
    "claims-agent": ("import sys, types\nsys.modules['agent'] = types.ModuleType('agent')\n", "its host: agent"),
    "claims-base": ("import sys\nsys.modules['agent.memory_provider'] = sys\n", "agent.memory_provider"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_module_ends_in_one_error_and_changes_nothing(tmp_path: Path, kind: str) -> None:
    source, message = HOSTILE[kind]
    before = {name: sys.modules[name] for name in ("json", "zeroclaw_cli.errors", "zeroclaw_cli.providers.base")}
    if not kind.startswith(("claims", "patches", "removes-ours")):
        source += CLASS + REGISTER
    error = broken(tmp_path, source)
    assert message in error.message
    assert len(error.message) < 800
    assert {name: sys.modules[name] for name in before} == before
    assert sys.modules["json"] is json
    # The next provider finds the host's names as ever.
    assert load(install(tmp_path / "next", "mem"), tmp_path / "next").name == "mem"
    assert sys.modules["agent.memory_provider"] is host_base


def test_a_register_that_patches_the_host_is_refused_too(tmp_path: Path) -> None:
    init = CLASS + code(
        """
        def register(ctx):
            import sys
            ctx.register_memory_provider(Provider())
            sys.modules["json"] = sys
        """
    )
    assert "its host: json" in broken(tmp_path, init).message
    assert sys.modules["json"] is json


def test_an_interrupt_passes_and_leaves_nothing(tmp_path: Path) -> None:
    before = provider_modules()
    with pytest.raises(KeyboardInterrupt):
        load(install(tmp_path, "mem", "raise KeyboardInterrupt\n"), tmp_path)
    assert provider_modules() == before


def test_what_a_module_prints_while_it_loads_is_talk(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    load(install(tmp_path, "mem", "print('flood ' * 1000)\n" + CLASS + REGISTER), tmp_path)
    print("data")
    out, err = capfd.readouterr()
    assert out == "data\n"
    assert "flood" in err


def test_a_module_may_put_an_object_in_its_own_place(tmp_path: Path) -> None:
    init = CLASS + code(
        """
        import sys

        class Lazy:
            register = staticmethod(lambda ctx: ctx.register_memory_provider(Provider()))

        sys.modules[__name__] = Lazy()
        """
    )
    assert load(install(tmp_path, "mem", init), tmp_path).name == "mem"


def test_a_provider_of_an_installed_distribution_needs_an_approval_and_is_loaded_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, home = tmp_path / "site", tmp_path / "home"
    init = "from zc_vendor.words import WORD\nfrom . import words\n" + CLASS + "    word = WORD\n" + REGISTER
    write_plugin(site, "zc_vendor", init, files={"words.py": "WORD = 'w'\n"})
    (site / "zc_vendor-1.dist-info").mkdir()
    (site / "zc_vendor-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: zc-vendor\nVersion: 1\n")
    (site / "zc_vendor-1.dist-info" / "entry_points.txt").write_text("[zeroclaw.memory_providers]\nmem = zc_vendor\n")
    monkeypatch.syspath_prepend(str(site))
    aliases.install(hermes_compat=False)
    with pytest.raises(ProviderUntrusted):
        load(find(home, "mem"), home)
    provider = load(approve(home, "mem"), home)
    assert provider.word == "w"  # type: ignore[attr-defined]
    assert type(provider).__module__.startswith(NAMESPACE)
    for name in ("zc_vendor", "zc_vendor.words"):
        del sys.modules[name]


def test_p41_a_planted_pyc_is_never_run(tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    plugin = install(tmp_path, "mem", "from .store import X\n" + CLASS + REGISTER, files={"store.py": "X = 1\n"})
    evil = tmp_path / "evil.py"
    evil.write_text(f"open({str(trap)!r}, 'w').close()\nX = 1\n")
    for name in ("__init__", "store"):
        cache = plugin.directory / "__pycache__" / f"{name}.{sys.implementation.cache_tag}.pyc"
        py_compile.compile(
            str(evil), str(cache), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH, doraise=True
        )
    load(plugin, tmp_path)
    assert not trap.exists()


def test_p41_loading_writes_no_bytecode(tmp_path: Path) -> None:
    plugin = install(tmp_path, "mem", "from .store import X\n" + CLASS + REGISTER, files={"store.py": "X = 1\n"})
    load(plugin, tmp_path)
    assert not list(plugin.directory.rglob("*.pyc"))


def test_what_is_executed_is_what_was_approved_though_the_files_change_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "sprung"
    evil = f"open({str(trap)!r}, 'w').close()\n"
    init = (
        "from .store import X\n"
        + CLASS
        + "    def late(self):\n        from .late import Y\n        return X, Y\n"
        + REGISTER
    )
    plugin = install(tmp_path, "mem", init, files={"store.py": "X = 1\n", "late.py": "Y = 2\n"})
    judged = trust.approved_tree

    def change_behind_its_back(home: Path, plugin: Any) -> Any:
        tree = judged(home, plugin)
        for path in plugin.directory.glob("*.py"):
            path.write_text(evil)
        (plugin.directory / "added.py").write_text(evil)
        return tree

    monkeypatch.setattr(trust, "approved_tree", change_behind_its_back)
    provider = load(plugin, tmp_path)
    assert provider.late() == (1, 2)  # type: ignore[attr-defined]
    package = type(provider).__module__
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{package}.added")
    assert not trap.exists()


def test_p41_a_compiled_module_is_part_of_the_digest_and_is_loaded_from_approved_bytes(tmp_path: Path) -> None:
    spec = importlib.machinery.PathFinder.find_spec("_bisect")
    if spec is None or not spec.origin or not spec.origin.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES)):
        pytest.skip("this interpreter has the module built in")
    name = f"_bisect{importlib.machinery.EXTENSION_SUFFIXES[0]}"
    late = "    def late(self):\n        from . import _bisect as b\n        return b.bisect_right([1, 2, 3], 2), b\n"
    init = CLASS + late + REGISTER
    plugin = install(tmp_path, "mem", init, files={name: Path(spec.origin).read_bytes()})
    (plugin.directory / name).write_bytes(b"\x7fELF changed")
    with pytest.raises(ProviderUntrusted, match="changed _bisect"):
        load(plugin, tmp_path)
    shutil.copyfile(spec.origin, plugin.directory / name)
    provider = load(plugin, tmp_path)
    (plugin.directory / name).write_bytes(b"\x7fELF changed after the approval")
    found, module = provider.late()  # type: ignore[attr-defined]
    file = module.__file__
    assert found == 2
    assert not Path(file).is_relative_to(plugin.directory)
    assert Path(file).stat().st_mode & 0o077 == 0


def test_files_of_the_package_can_be_read_as_resources_while_they_are_the_approved_ones(tmp_path: Path) -> None:
    init = (
        CLASS
        + (
            "    def read(self):\n        import importlib.resources, pkgutil\n"
            "        return (importlib.resources.files(__package__).joinpath('words.txt').read_text(),\n"
            "                pkgutil.get_data(__package__, 'words.txt').decode(),\n"
            "                sorted(m.name for m in pkgutil.iter_modules(__path__)))\n"
        )
        + REGISTER
    )
    plugin = install(tmp_path, "mem", init, files={"words.txt": "hello", "one.py": "", "two/__init__.py": ""})
    provider = load(plugin, tmp_path)
    assert provider.read() == ("hello", "hello", ["one", "two"])  # type: ignore[attr-defined]
    (plugin.directory / "words.txt").write_text("other")
    with pytest.raises(OSError, match="differs from the approved code"):
        provider.read()  # type: ignore[attr-defined]


def test_tracebacks_and_inspection_show_the_approved_source(tmp_path: Path) -> None:
    import inspect

    provider = load(install(tmp_path, "mem"), tmp_path)
    assert "def is_available" in inspect.getsource(type(provider))


def test_threads_that_load_at_once_share_one_module(tmp_path: Path) -> None:
    plugin = install(tmp_path, "mem", "import time\ntime.sleep(0.05)\n" + CLASS + REGISTER)
    found: list[MemoryProvider] = []
    threads = [threading.Thread(target=lambda: found.append(load(plugin, tmp_path))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({type(provider) for provider in found}) == 1
    assert len({id(provider) for provider in found}) == 4


def test_p38_the_env_file_is_there_before_the_module_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ZC_TEST_TOKEN", raising=False)
    (tmp_path / ".env").write_text("ZC_TEST_TOKEN=secret\nPYTHONPATH=/evil\n")
    init = "import os\nTOKEN = os.environ['ZC_TEST_TOKEN']\n" + CLASS + "    token = TOKEN\n" + REGISTER
    assert load(install(tmp_path, "mem", init), tmp_path).token == "secret"  # type: ignore[attr-defined]
    assert os.environ.get("PYTHONPATH") != "/evil"
    other = tmp_path / "other"
    load(install(other, "mem"), other)
    assert "ZC_TEST_TOKEN" not in os.environ


def test_p47_a_secret_in_what_a_provider_raises_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ZC_TEST_TOKEN", raising=False)
    (tmp_path / ".env").write_text("ZC_TEST_TOKEN=hunter2-hunter2\n")
    error = broken(tmp_path, "import os\nraise ValueError('bad token ' + os.environ['ZC_TEST_TOKEN'])\n")
    assert "bad token [redacted]" in error.message
    monkeypatch.setenv("ZC_TEST_TOKEN", "another-secret")
    assert (
        "bad token [redacted]" in broken(tmp_path, "import os\nraise ValueError('bad token another-secret')\n").message
    )


@pytest.mark.parametrize("linked", [False, True])
def test_p41_a_folder_of_dependencies_that_others_may_change_is_not_used(tmp_path: Path, linked: bool) -> None:
    plugin = install(tmp_path, "mem")
    folder = tmp_path / "plugins" / ".deps" / "mem"
    folder.parent.mkdir()
    if linked:
        (tmp_path / "elsewhere").mkdir()
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.mkdir()
        folder.chmod(0o777)
    with pytest.raises(ProviderUntrusted, match="may be changed by others"):
        load(plugin, tmp_path)
    assert str(folder) not in sys.path


def test_the_folder_of_its_dependencies_comes_last_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    dependencies = tmp_path / "plugins" / ".deps" / "mem"
    dependencies.mkdir(parents=True)
    (dependencies / "zc_only_there.py").write_text("X = 1\n")
    (dependencies / "json.py").write_text("raise SystemExit\n")
    load(install(tmp_path, "mem", "import json\nfrom zc_only_there import X\n" + CLASS + REGISTER), tmp_path)
    assert sys.path[-1] == str(dependencies)
    del sys.modules["zc_only_there"]


def test_p11_an_import_that_hangs_in_another_thread_is_waited_for_a_limited_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    from zeroclaw_cli.providers import loading

    plugin = install(tmp_path, "mem")
    monkeypatch.setattr(loading, "LOAD_WITHIN_S", 0.1)
    held, go = threading.Event(), threading.Event()

    def hold() -> None:
        with loading._loading:
            held.set()
            go.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(10)
    try:
        with pytest.raises(ProviderBroken, match="the import of another one has not ended"):
            load(plugin, tmp_path)
    finally:
        go.set()
        thread.join()
    assert load(plugin, tmp_path).name == "mem"


@pytest.mark.parametrize("module", ["agent.model_metadata", "plugins.memory.other", "gateway.config"])
def test_a_provider_that_wants_more_of_its_host_than_there_is_is_told_so(tmp_path: Path, module: str) -> None:
    hint = broken(tmp_path, f"import {module}\n" + CLASS + REGISTER).hint or ""
    assert hint.startswith(f"it needs {module} of hermes-agent, which is not offered here (__init__.py:1)")
