/*
 * The faults that need no import, in one guest: which one it has is written in its data, where a test puts another name
 * of the same length (padded with dots).
 */
#include "faults.h"
#include "heap.h"
#include "log.h"

#define NAME_LENGTH 24u

static volatile const u8 chosen[] = "FAULT:none....................";

/* Whether the guest has this fault. */
static int is(const char *name) {
    const volatile u8 *at = chosen + 6;
    u32 i = 0;
    for (; name[i]; i++) {
        if (at[i] != (u8)name[i]) return 0;
    }
    return i == NAME_LENGTH || at[i] == '.';
}

static void spin(void) {
    for (volatile u32 turns = 0;; turns++) {}
}

static u8 *room(u32 size) {
    u8 *fresh = arena_allocate(size, 8);
    if (!fresh) __builtin_trap();
    return fresh;
}

static text xs(u32 size) {
    u8 *large = room(size);
    memset(large, 'x', size);
    return (text){large, size};
}

/* `size` bytes of memory that nothing has touched. */
static u8 *untouched(u32 size) {
    usize pages = __builtin_wasm_memory_grow(0, (size >> 16) + 1);
    if (pages == (usize)-1) __builtin_trap();
    return (u8 *)(pages << 16);
}

/* One instruction, however much it is. */
__attribute__((target("bulk-memory"))) static void fill(u8 *at, u32 size) { __builtin_memset(at, 'x', size); }

/* The same memory each time. */
static text filled(u32 size) {
    static u8 *kept;
    if (!kept) kept = untouched(size);
    fill(kept, size);
    return (text){kept, size};
}

/* Before any function can be called. A misspelt fault ends here too. */
EXPORT("_initialize") void initialize(void) {
    static const char *const known[] = {"none", "trap", "trap_at_start", "trap_in_capabilities", "trap_in_health",
        "spin", "spin_at_start", "spin_in_store", "recurse", "hog", "hog_and_spin", "flood", "log_large",
        "log_escapes", "liar_many", "liar_large", "liar_huge", "bad_utf8", "bad_pointer", "bad_category",
        "odd_numbers", "odd_texts", "fill", "fill_in_pieces", "liar_giant", "log_huge"};
    if (is("trap_at_start")) __builtin_trap();
    if (is("spin_at_start")) spin();
    for (u32 i = 0; i < COUNT_OF(known); i++) {
        if (is(known[i])) return;
    }
    __builtin_trap();
}

void in_capabilities(void) {
    if (is("trap_in_capabilities")) __builtin_trap();
}

void in_health_check(void) {
    if (is("trap_in_health")) __builtin_trap();
}

int in_store_entry(text key, text content, text *problem) {
    text function = TEXT("guest::store");
    if (is("trap")) __builtin_trap();
    if (is("spin_in_store")) spin();
    if (is("flood")) {
        for (u32 i = 0; i < 1000000; i++) log_line(LEVEL_INFO, ACTION_WRITE, function, TEXT("drip"));
    }
    if (is("log_large")) {
        log_line(LEVEL_INFO, ACTION_WRITE, function, xs(MEBIBYTE));
        log_line(LEVEL_INFO, ACTION_WRITE, function, TEXT("after the large one"));
    }
    if (is("log_huge")) {
        log_line(LEVEL_INFO, ACTION_WRITE, function, filled(200 * MEBIBYTE));
    }
    if (is("fill")) filled(240 * MEBIBYTE);
    if (is("fill_in_pieces")) {
        static u32 pieces;
        for (; pieces < 15; pieces++) fill(untouched(16 * MEBIBYTE), 16 * MEBIBYTE);
    }
    if (is("log_escapes")) {
        text forged = TEXT("\x1b[31mred\x1b[0m\nerror: forged");
        log_line(LEVEL_WARN, ACTION_WRITE, TEXT("guest::\x1b]0;title\x07"), forged);
    }
    return 0;
}

/* `count` entries with this content, whatever was asked for. */
static int answer(u32 count, text content, entries *found) {
    found->items = (entry *)room(count * sizeof(entry));
    for (u32 i = 0; i < count; i++) found->items[i] = bare_entry(content);
    found->count = count;
    return 1;
}

/* Called through a pointer that may change, so that the compiler cannot make a loop of it; its variables are on the
 * engine's stack alone, so that it is this stack that ends. */
static u32 deeper(u32 depth);
static u32 (*volatile call_deeper)(u32) = deeper;
static u32 deeper(u32 depth) { return call_deeper(depth + 1) ^ depth; }

/* Takes all the memory that there is. */
static void hog(void) {
    while (__builtin_wasm_memory_grow(0, 16) != (usize)-1) {}
}

int in_recall(u64 limit, entries *found) {
    if (is("spin")) spin();
    if (is("recurse")) found->count = deeper(0);
    if (is("hog")) {
        hog(); /* and then what most allocators do when they get no more: */
        __builtin_trap();
    }
    if (is("hog_and_spin")) {
        for (;;) hog();
    }
    if (is("liar_many")) return answer(100000, TEXT("one too many"), found);
    if (is("liar_large")) return answer((u32)limit, xs(MEBIBYTE), found);
    if (is("liar_huge")) return answer(1, xs(17 * MEBIBYTE), found);
    return 0;
}

int in_list(entries *found) { return is("liar_many") && answer(100000, TEXT("one too many"), found); }

int in_get(text key, entry *found) {
    if (is("liar_giant")) {
        *found = bare_entry(filled(100 * MEBIBYTE));
        return 1;
    }
    if (!is("liar_huge")) return 0;
    *found = bare_entry(xs(17 * MEBIBYTE));
    return 1;
}

void in_result(entry *shown) {
    if (is("bad_utf8")) shown->content = TEXT("\xff\xfe\xc0\x80");
    if (is("bad_pointer")) shown->content = (text){(const u8 *)0xfffffff0u, 64};
    if (is("bad_category")) shown->category.tag = 9;
    if (is("odd_numbers")) {
        shown->score = (option_number){1, __builtin_nan("")};
        shown->importance = (option_number){1, __builtin_inf()};
    }
    if (is("odd_texts")) {
        shown->id = TEXT("");
        shown->key = TEXT("\x1b[2Jkey\r\n");
        shown->content = TEXT("nul\0nul \x1b[31mred\x1b[0m \xe2\x80\xae");
        shown->timestamp = TEXT("last Tuesday");
    }
}
