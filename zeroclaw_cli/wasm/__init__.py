"""The WebAssembly host: memory plugins run in a sandbox, and their memory is kept by replay.

From the outside in: :mod:`memory` is what callers open, :mod:`replay` keeps an instance in step with its
:mod:`journal`, :mod:`instance` is one running guest, :mod:`component` (with :mod:`cache` and :mod:`world`) is what can
be instantiated, :mod:`values` converts. specs/wasm-host.md measured what this rests on.
"""

from __future__ import annotations
