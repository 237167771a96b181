/* Numbers, texts and the few library functions that freestanding C has to bring along. */
#ifndef NOTES_BASE_H
#define NOTES_BASE_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;
typedef __SIZE_TYPE__ usize;

#define NULL ((void *)0)
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A piece of UTF-8. It owns nothing and is not terminated by a zero. */
typedef struct {
    const u8 *data;
    u32 length;
} text;

typedef struct {
    u8 is_some;
    text value;
} option_text;

typedef struct {
    u8 is_some;
    double value;
} option_number;

#define TEXT(literal) ((text){(const u8 *)(literal), sizeof(literal) - 1})

void *memcpy(void *restrict to, const void *restrict from, usize size);
void *memset(void *to, int byte, usize size);

int text_equal(text a, text b);
int option_equal(option_text a, option_text b);
u32 text_hash(text value);

/* Appends to a buffer that the caller made large enough; returns where the next byte goes. */
u8 *put_text(u8 *to, text value);
u8 *put_number(u8 *to, u64 number, u32 least_digits);

#define LARGEST_NUMBER 20 /* digits of the largest u64 */

#endif
