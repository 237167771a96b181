#include "signature.h"

#include "characters.h"

u32 signature_bit(text unit) { return text_hash(unit) % (sizeof(signature) * 8); }

static void set(signature *it, const u8 *from, const u8 *end) {
    u32 bit = signature_bit((text){from, (u32)(end - from)});
    it->bits[bit / 64] |= (u64)1 << (bit % 64);
}

static int is_spaced_word(character it) { return is_word(it) && !is_unspaced(it); }

void signature_add(signature *to, text folded) {
    const u8 *end = folded.data + folded.length, *previous = NULL, *word = NULL;
    u32 size;
    /* `previous` is the unspaced character just before, `word` where the word began that is being read. */
    for (const u8 *at = folded.data; at < end; at += size) {
        character it = character_at(at, &size);
        int in_word = is_spaced_word(it);
        if (in_word && !word) word = at;
        if (word && (!in_word || at + size == end)) {
            const u8 *stop = in_word ? end : at;
            set(to, word, (u32)(stop - word) > LEADING_BYTES ? word + LEADING_BYTES : stop);
            word = NULL;
        }
        if (!is_unspaced(it)) {
            previous = NULL;
            continue;
        }
        set(to, at, at + size);
        if (previous) set(to, previous, at + size);
        previous = at;
    }
}
