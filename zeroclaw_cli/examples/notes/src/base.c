#include "base.h"

/* Eight bytes at a time: the compiler makes these loops neither wider nor calls of themselves. */
void *memset(void *to, int byte, usize size) {
    u8 *target = to;
    u64 word = 0x0101010101010101u * (u8)byte;
    for (; size >= 8; size -= 8, target += 8) __builtin_memcpy(target, &word, 8);
    while (size--) *target++ = (u8)byte;
    return to;
}

void *memcpy(void *restrict to, const void *restrict from, usize size) {
    u8 *target = to;
    const u8 *source = from;
    for (; size >= 8; size -= 8, target += 8, source += 8) {
        u64 word;
        __builtin_memcpy(&word, source, 8);
        __builtin_memcpy(target, &word, 8);
    }
    while (size--) *target++ = *source++;
    return to;
}

int text_equal(text a, text b) {
    if (a.length != b.length) return 0;
    for (u32 i = 0; i < a.length; i++) {
        if (a.data[i] != b.data[i]) return 0;
    }
    return 1;
}

int option_equal(option_text a, option_text b) {
    if (!a.is_some || !b.is_some) return a.is_some == b.is_some;
    return text_equal(a.value, b.value);
}

/* FNV-1a, then the finaliser of MurmurHash3, because the index uses the low bits alone. */
u32 text_hash(text value) {
    u32 hash = 2166136261u;
    for (u32 i = 0; i < value.length; i++) hash = (hash ^ value.data[i]) * 16777619u;
    hash = (hash ^ (hash >> 16)) * 0x85ebca6bu;
    hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
    return hash ^ (hash >> 16);
}

u8 *put_text(u8 *to, text value) {
    memcpy(to, value.data, value.length);
    return to + value.length;
}

u8 *put_number(u8 *to, u64 number, u32 least_digits) {
    u8 digits[LARGEST_NUMBER];
    u32 count = 0;
    do {
        digits[count++] = (u8)('0' + number % 10);
        number /= 10;
    } while (number);
    for (; least_digits > count; least_digits--) *to++ = '0';
    while (count) *to++ = digits[--count];
    return to;
}
