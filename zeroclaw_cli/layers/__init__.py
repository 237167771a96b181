"""``memory.backend = "layers"``: real backends as layers behind one kernel (specs/memory-kernel.md §16, §18)."""
