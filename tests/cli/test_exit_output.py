"""What a provider prints when the interpreter ends does not follow a command's document on stdout."""

from __future__ import annotations

from tests.support.command import Home
from tests.support.provider_plugins import PROVIDER, REGISTER, install, write_plugin

AT_EXIT = """
import atexit, os, subprocess, sys, threading, time
at_import = sys.stdout
now = sys.__stdout__


def late():
    time.sleep(0.2)
    os.write(1, b"FORGED thread\\n")


@atexit.register
def leave():
    print("FORGED print")
    at_import.write("FORGED kept stream\\n")
    now.write("FORGED original stream\\n")
    os.write(1, b"FORGED descriptor\\n")
    subprocess.run(["echo", "FORGED child"])
    open("/dev/fd/1", "w").write("FORGED opened\\n")


threading.Thread(target=late).start()
"""


def test_output_at_exit_stays_off_stdout(home: Home) -> None:
    home.config_dir.mkdir(mode=0o700)
    source = AT_EXIT + PROVIDER.replace("NAME", "mem") + REGISTER
    install(home.config_dir, "mem", source)
    home.config_file.write_text('[memory]\nprovider = "mem"\n')
    home.config_file.chmod(0o600)
    elsewhere = write_plugin(home.path, "mem", source)
    for words in (
        ("memory", "store", "tea", "green", "--json"),
        ("memory", "status", "--json"),
        ("memory", "get", "tea", "--backend", "provider.mem", "--json"),
        ("memory", "setup", "mem", "--no-interactive", "--json"),
        ("memory", "check", str(elsewhere), "--json"),
    ):
        done = home.run(*words)
        assert "FORGED" not in done.stdout, f"{words}: {done.stdout}"
        if done.stdout:
            done.json()


def test_a_command_of_the_provider_prints_what_it_wants(home: Home) -> None:
    home.config_dir.mkdir(mode=0o700)
    cli = (
        "import atexit\n\n\ndef register_cli(parser):\n    parser.set_defaults(func=run)\n\n\n"
        "def run(args):\n    print('mine')\n    atexit.register(print, 'mine too')\n"
    )
    install(home.config_dir, "mem", files={"cli.py": cli})
    home.config_file.write_text('[memory]\nprovider = "mem"\n')
    home.config_file.chmod(0o600)
    assert home.ok("mem").stdout == "mine\nmine too\n"
