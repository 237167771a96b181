/* Unicode as far as recall needs it: reading UTF-8, letter case, and where words begin and end. */
#ifndef NOTES_CHARACTERS_H
#define NOTES_CHARACTERS_H

#include "base.h"

typedef u32 character;

/* The character at `at`, which must be before `end`, and in `size` how many bytes it takes. The canonical ABI lets only
 * valid UTF-8 in. */
character character_at(const u8 *at, u32 *size);
character character_before(const u8 *at, const u8 *start);

int is_blank(character it);
/* Letters, digits and everything else that words are made of. */
int is_word(character it);
/* Scripts that write words without blanks between them: Han, kana, Thai and their neighbours; and pictures. */
int is_unspaced(character it);

/* Writes `source` in lower case to `to`, which has room for as many bytes: a character whose lower case is longer or
 * shorter in UTF-8 stays as it is. */
void fold(u8 *to, text source);

text trimmed(text value);

#endif
