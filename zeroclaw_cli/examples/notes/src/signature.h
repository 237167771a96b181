/* A set of bits that says at a glance which words a row cannot have, so that recall reads few rows in full. */
#ifndef NOTES_SIGNATURE_H
#define NOTES_SIGNATURE_H

#include "base.h"

/* Words count by this many leading bytes, which is also the least that recall takes for the beginning of a word. */
#define LEADING_BYTES 3u

typedef struct {
    u64 bits[4];
} signature;

/* Adds what recall can look for in `folded`: how each word begins (a shorter word as a whole), and every character and
 * pair of neighbours in a script that does not part words. */
void signature_add(signature *to, text folded);
/* The bit of one such beginning, character or pair. */
u32 signature_bit(text unit);

static inline int signature_has(const signature *it, u32 bit) { return (int)(it->bits[bit / 64] >> (bit % 64) & 1); }

#endif
