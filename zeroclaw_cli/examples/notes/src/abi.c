#include "abi.h"

#include "heap.h"

/* The host asks here for room for what it passes in. It takes no for an answer only as a trap. */
EXPORT("cabi_realloc") void *cabi_realloc(void *old, usize old_size, usize alignment, usize size) {
    if (size == 0) return (void *)alignment;
    void *fresh = arena_allocate(size, alignment);
    if (!fresh) __builtin_trap();
    if (old_size) memcpy(fresh, old, old_size < size ? old_size : size);
    return fresh;
}

static result_4 narrow;
static result_8 wide;
static text bare;

const result_4 *ok(void) {
    narrow.is_err = 0;
    return &narrow;
}

const result_4 *ok_flag(int flag) {
    narrow.is_err = 0;
    narrow.flag = flag != 0;
    return &narrow;
}

const result_4 *ok_text(text value) {
    narrow.is_err = 0;
    narrow.text = value;
    return &narrow;
}

const result_4 *ok_entries(entries list) {
    narrow.is_err = 0;
    narrow.list = list;
    return &narrow;
}

const result_8 *ok_number(u64 number) {
    wide.is_err = 0;
    wide.number = number;
    return &wide;
}

const result_8 *ok_entry(const entry *found) {
    wide.is_err = 0;
    wide.found.is_some = found != NULL;
    if (found) wide.found.value = *found;
    return &wide;
}

const result_4 *error(text what) {
    narrow.is_err = 1;
    narrow.error = what;
    return &narrow;
}

const result_8 *error_8(text what) {
    wide.is_err = 1;
    wide.error = what;
    return &wide;
}

const text *plain(text value) {
    bare = value;
    return &bare;
}
