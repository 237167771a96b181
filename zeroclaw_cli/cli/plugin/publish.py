"""``plugin keygen`` and ``plugin sign``: for publishers."""

from __future__ import annotations

from shlex import quote
from typing import Annotated

import typer

from zeroclaw_cli.cli import output
from zeroclaw_cli.cli.access import anybody
from zeroclaw_cli.cli.arguments import path_argument
from zeroclaw_cli.cli.inputs import output_file, output_place, signing_key
from zeroclaw_cli.cli.session import Json, session
from zeroclaw_cli.errors import KeyExists

_KEY_VARIABLE = "ZEROCLAW_SIGNING_KEY"


def add(group: typer.Typer) -> None:
    group.command("keygen")(keygen)
    group.command("sign")(sign)


@anybody
def keygen(
    ctx: typer.Context,
    out: Annotated[str, typer.Option("--out", metavar="FILE", help="Write the private key there.")],
    public: Annotated[bool, typer.Option("--public", help="Also write the public key, as FILE.pub.")] = False,
    json: Json = False,
) -> None:
    """Make a publisher's key; its public half is printed."""
    from zeroclaw_cli.fsio import write_new
    from zeroclaw_cli.plugins.publish import generate_key

    path = output_file(session(ctx), out, "--out")
    beside = path.with_name(f"{path.name}.pub")
    if public and beside.exists():
        raise KeyExists(f"{beside} exists", hint="name another file")
    made = generate_key(path)
    if public:
        write_new(beside, f"{made.public_key}\n".encode(), mode=0o644)
    if json:
        output.say_json({"key": str(path), "public_key": made.public_key})
    else:
        output.say(made.public_key)
    session(ctx).note(f"the private key is in {path}: keep it secret, and keep a copy")
    session(ctx).note(f"next: zeroclaw plugin sign DIR --key {quote(str(path))}")


@anybody
def sign(
    ctx: typer.Context,
    directory: Annotated[str, typer.Argument(metavar="DIR", help="The package's folder.")],
    key: Annotated[
        str | None, typer.Option("--key", metavar="FILE", help=f"The private key; - for stdin, else ${_KEY_VARIABLE}.")
    ] = None,
    json: Json = False,
) -> None:
    """Sign a package.

    The signature covers the manifest and, by the digests in it, the component and the skills.
    """
    from zeroclaw_cli.plugins.publish import sign_package

    folder = output_place(session(ctx), path_argument(directory, "DIR"), "DIR")
    signed = sign_package(folder, signing_key(key, _KEY_VARIABLE))
    if json:
        output.say_json(
            {
                "signed": signed.name,
                "manifest": str(signed.manifest),
                "publisher_key": signed.public_key,
                "wasm_sha256": signed.wasm_sha256,
                "skills_sha256": signed.skills_sha256,
            }
        )
    else:
        output.say(f"Signed {signed.name} with {signed.public_key}.")
    session(ctx).note(f"operators trust it with: zeroclaw plugin trust add {signed.public_key}")
