/* Linear memory: a heap for what lives long, an arena for what lives as long as one call. */
#ifndef NOTES_HEAP_H
#define NOTES_HEAP_H

#include "base.h"

/* A block of at least `size` bytes at a multiple of 8, or NULL when the host gives no more memory. */
void *heap_allocate(usize size);
void heap_release(void *block);

/* As heap_allocate; everything is released together by arena_reset. */
void *arena_allocate(usize size, usize alignment);
void arena_reset(void);

#endif
