"""``zeroclaw memory setup``: what a provider asks for, who answers, and where the answers go."""

from __future__ import annotations
