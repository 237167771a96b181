#include "characters.h"

typedef struct {
    character first, last;
} range;

static int within(const range *ranges, u32 count, character it) {
    for (u32 i = 0; i < count; i++) {
        if (it >= ranges[i].first && it <= ranges[i].last) return 1;
    }
    return 0;
}

character character_at(const u8 *at, u32 *size) {
    u8 lead = *at;
    if (lead < 0x80) {
        *size = 1;
        return lead;
    }
    *size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    character it = lead & (0x7f >> *size);
    for (u32 i = 1; i < *size; i++) it = it << 6 | (at[i] & 0x3f);
    return it;
}

character character_before(const u8 *at, const u8 *start) {
    u32 size;
    do at--;
    while (at > start && (*at & 0xc0) == 0x80);
    return character_at(at, &size);
}

int is_blank(character it) {
    static const range blanks[] = {{'\t', '\r'}, {' ', ' '}, {0x85, 0x85}, {0xa0, 0xa0}, {0x1680, 0x1680},
        {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}};
    return within(blanks, COUNT_OF(blanks), it);
}

int is_word(character it) {
    if (it < 0x80) return (it >= '0' && it <= '9') || ((it | 0x20) >= 'a' && (it | 0x20) <= 'z');
    /* Controls, blanks and the punctuation of Latin-1, of the general block, of CJK and of the full-width forms. */
    static const range others[] = {{0x80, 0xa9}, {0xab, 0xb4}, {0xb6, 0xb9}, {0xbb, 0xbf}, {0xd7, 0xd7}, {0xf7, 0xf7},
        {0x1680, 0x1680}, {0x2000, 0x206f}, {0x3000, 0x3004}, {0x3008, 0x3020}, {0x3030, 0x3030}, {0x30fb, 0x30fb},
        {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xff01, 0xff0f}, {0xff1a, 0xff20}, {0xff3b, 0xff40}, {0xff5b, 0xff65}};
    return !within(others, COUNT_OF(others), it);
}

int is_unspaced(character it) {
    static const range scripts[] = {{0x0e00, 0x0eff}, {0x1000, 0x109f}, {0x1780, 0x17ff}, {0x2190, 0x2fff},
        {0x3005, 0x3007}, {0x3021, 0x30fa}, {0x30fc, 0x31ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xf900, 0xfaff},
        {0xff66, 0xff9f}, {0x1f000, 0x1faff}, {0x20000, 0x3ffff}};
    return it >= 0x0e00 && within(scripts, COUNT_OF(scripts), it);
}

static character lower_case(character it) {
    if (it < 0x80) return it >= 'A' && it <= 'Z' ? it + 32 : it;
    if (it >= 0xc0 && it <= 0xde) return it == 0xd7 ? it : it + 32;
    if (it == 0x178) return 0xff;
    if ((it >= 0x100 && it <= 0x12f) || (it >= 0x132 && it <= 0x137) || (it >= 0x14a && it <= 0x177)) return it | 1;
    if ((it >= 0x139 && it <= 0x148) || (it >= 0x179 && it <= 0x17e)) return it + (it & 1);
    if (it >= 0x391 && it <= 0x3ab) return it + 32;
    if (it == 0x386) return 0x3ac;
    if (it >= 0x388 && it <= 0x38a) return it + 37;
    if (it == 0x38c) return 0x3cc;
    if (it == 0x38e || it == 0x38f) return it + 63;
    if (it == 0x3c2) return 0x3c3; /* the sigma at the end of a word */
    if (it >= 0x400 && it <= 0x40f) return it + 80;
    if (it >= 0x410 && it <= 0x42f) return it + 32;
    if (it >= 0x531 && it <= 0x556) return it + 48;
    if (it >= 0xff21 && it <= 0xff3a) return it + 32;
    return it;
}

void fold(u8 *to, text source) {
    for (u32 i = 0, size; i < source.length; i += size) {
        character folded = lower_case(character_at(source.data + i, &size));
        if (size == 1) {
            to[i] = (u8)folded;
        } else if (size == 2) {
            to[i] = (u8)(0xc0 | folded >> 6);
            to[i + 1] = (u8)(0x80 | (folded & 0x3f));
        } else if (size == 3) {
            to[i] = (u8)(0xe0 | folded >> 12);
            to[i + 1] = (u8)(0x80 | (folded >> 6 & 0x3f));
            to[i + 2] = (u8)(0x80 | (folded & 0x3f));
        } else {
            memcpy(to + i, source.data + i, size);
        }
    }
}

text trimmed(text value) {
    u32 size;
    while (value.length && is_blank(character_at(value.data, &size))) {
        value.data += size;
        value.length -= size;
    }
    const u8 *end = value.data + value.length;
    while (end > value.data && is_blank(character_before(end, value.data))) {
        do end--;
        while ((*end & 0xc0) == 0x80);
    }
    value.length = (u32)(end - value.data);
    return value;
}
