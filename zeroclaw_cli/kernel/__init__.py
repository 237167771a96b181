"""The memory kernel: one control plane that routes memory operations over layers (specs/memory-kernel.md).

It knows the executors that it is given and imports no backend: those of the real stores are in
``layers/``, where ``system.py`` puts a graph of them together.
"""

from __future__ import annotations
