#include "heap.h"

/*
 * The heap is one run of blocks without gaps, ended by a sentinel that is never free. A block knows its own size and
 * that of the block before it, so a released block merges with free neighbours at once and a memory that is overwritten
 * for ever stays as large as its largest moment. Free blocks hang in bins by size: below 256 bytes one bin a size,
 * above that four bins an octave.
 */
typedef struct block {
    u32 previous_size; /* 0: the first block of a run */
    u32 size;          /* with this header; the lowest bit says that the block is in use */
    struct block *next_free, *previous_free; /* only while it is free */
} block;

#define HEADER 8u
#define SMALLEST 16u
#define IN_USE 1u
#define GROWTH (1u << 20)
#define PAGE 65536u
#define SMALL_BINS 32u
#define BINS (SMALL_BINS + 24u * 4u)
#define LARGEST_REQUEST 0xf0000000u

extern u8 __heap_base;

static block *bins[BINS];
static u32 filled[BINS / 32];
static block *sentinel;

static u32 size_of(const block *it) { return it->size & ~IN_USE; }
static block *after(const block *it) { return (block *)((u8 *)it + size_of(it)); }
static block *before(const block *it) { return (block *)((u8 *)it - it->previous_size); }

static u32 bin_of(u32 size) {
    if (size < SMALL_BINS * 8) return size / 8;
    u32 octave = 31 - (u32)__builtin_clz(size);
    return SMALL_BINS + (octave - 8) * 4 + ((size >> (octave - 2)) & 3);
}

static void hang(block *it) {
    u32 bin = bin_of(it->size);
    it->previous_free = NULL;
    it->next_free = bins[bin];
    if (bins[bin]) bins[bin]->previous_free = it;
    bins[bin] = it;
    filled[bin / 32] |= 1u << (bin % 32);
}

static void unhang(block *it) {
    u32 bin = bin_of(it->size);
    if (it->previous_free) it->previous_free->next_free = it->next_free;
    else bins[bin] = it->next_free;
    if (it->next_free) it->next_free->previous_free = it->previous_free;
    if (!bins[bin]) filled[bin / 32] &= ~(1u << (bin % 32));
}

static void set_size(block *it, u32 size) {
    it->size = size;
    after(it)->previous_size = size;
}

/* Makes `size` bytes at `it` a free block, joined with the free blocks beside it. */
static void give(block *it, u32 size) {
    it->size = size;
    block *next = after(it);
    if (it->previous_size && !(before(it)->size & IN_USE)) {
        it = before(it);
        unhang(it);
        size += it->size;
    }
    if (!(next->size & IN_USE)) {
        unhang(next);
        size += next->size;
    }
    set_size(it, size);
    hang(it);
}

static void end_run(u8 *end) {
    sentinel = (block *)(end - HEADER);
    sentinel->size = HEADER | IN_USE;
}

static void start_run(u8 *start, u8 *end) {
    block *first = (block *)(((usize)start + 7) & ~(usize)7);
    end_run(end);
    first->previous_size = 0;
    give(first, (u32)((u8 *)sentinel - (u8 *)first));
}

static int grow(u32 size) {
    u32 least = (size + 2 * HEADER + PAGE - 1) / PAGE;
    u32 wanted = least > GROWTH / PAGE ? least : GROWTH / PAGE;
    usize old = __builtin_wasm_memory_grow(0, wanted);
    if (old == (usize)-1) {
        wanted = least;
        old = __builtin_wasm_memory_grow(0, wanted);
    }
    if (old == (usize)-1) return 0;
    u8 *start = (u8 *)(old * PAGE), *end = start + wanted * PAGE;
    block *last = sentinel;
    if ((u8 *)last + HEADER != start) {
        start_run(start, end);
        return 1;
    }
    end_run(end);
    give(last, (u32)((u8 *)sentinel - (u8 *)last));
    return 1;
}

static block *find(u32 size) {
    u32 bin = bin_of(size);
    for (block *it = bins[bin]; it; it = it->next_free) {
        if (it->size >= size) return it;
    }
    /* Every block of a higher bin is large enough. */
    for (u32 word = ++bin / 32; word < BINS / 32; word++) {
        u32 candidates = filled[word];
        if (word == bin / 32) candidates &= ~0u << (bin % 32);
        if (candidates) return bins[word * 32 + (u32)__builtin_ctz(candidates)];
    }
    return NULL;
}

void *heap_allocate(usize wanted) {
    if (wanted > LARGEST_REQUEST) return NULL;
    if (!sentinel) start_run(&__heap_base, (u8 *)(__builtin_wasm_memory_size(0) * PAGE));
    u32 size = ((u32)wanted + HEADER + 7) & ~7u;
    if (size < SMALLEST) size = SMALLEST;
    block *found = find(size);
    if (!found) {
        if (!grow(size)) return NULL;
        found = find(size);
    }
    unhang(found);
    u32 rest = found->size - size;
    if (rest >= SMALLEST) {
        set_size(found, size);
        block *second = after(found);
        set_size(second, rest);
        hang(second);
    }
    found->size |= IN_USE;
    return (u8 *)found + HEADER;
}

void heap_release(void *memory) {
    if (!memory) return;
    block *it = (block *)((u8 *)memory - HEADER);
    give(it, size_of(it));
}

/* The arena: a list of chunks from the heap, the one in use first. */
typedef struct chunk {
    struct chunk *next;
    u32 capacity, used;
} chunk;

#define CHUNK 65000u

static chunk *chunks;

void *arena_allocate(usize size, usize alignment) {
    if (size > LARGEST_REQUEST) return NULL;
    if (chunks) {
        usize start = (usize)(chunks + 1);
        usize place = (start + chunks->used + alignment - 1) & ~(alignment - 1);
        if (place - start <= chunks->capacity && size <= chunks->capacity - (place - start)) {
            chunks->used = (u32)(place - start + size);
            return (void *)place;
        }
    }
    u32 capacity = (u32)(size + alignment > CHUNK ? size + alignment : CHUNK);
    chunk *fresh = heap_allocate(sizeof(chunk) + capacity);
    if (!fresh) return NULL;
    *fresh = (chunk){chunks, capacity, 0};
    chunks = fresh;
    return arena_allocate(size, alignment);
}

/* One chunk of the usual size is kept, so that small calls cost the heap nothing. */
void arena_reset(void) {
    chunk *kept = NULL;
    while (chunks) {
        chunk *next = chunks->next;
        if (!kept && chunks->capacity == CHUNK) kept = chunks;
        else heap_release(chunks);
        chunks = next;
    }
    if (kept) *kept = (chunk){NULL, CHUNK, 0};
    chunks = kept;
}
