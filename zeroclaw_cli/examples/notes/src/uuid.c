#include "uuid.h"

/* The name space: 7d1c40f3-5be4-4d52-9d0e-9a4f6f1c2b68, drawn once for this plugin. */
static const u8 name_space[16] = {
    0x7d, 0x1c, 0x40, 0xf3, 0x5b, 0xe4, 0x4d, 0x52, 0x9d, 0x0e, 0x9a, 0x4f, 0x6f, 0x1c, 0x2b, 0x68};

typedef struct {
    u32 state[5];
    u64 length;
    u8 pending[64];
} sha1;

static u32 rotated(u32 value, u32 bits) { return value << bits | value >> (32 - bits); }

static void sha1_block(sha1 *it) {
    u32 w[80], a = it->state[0], b = it->state[1], c = it->state[2], d = it->state[3], e = it->state[4];
    for (u32 i = 0; i < 16; i++) {
        const u8 *from = it->pending + i * 4;
        w[i] = (u32)from[0] << 24 | (u32)from[1] << 16 | (u32)from[2] << 8 | from[3];
    }
    for (u32 i = 16; i < 80; i++) w[i] = rotated(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (u32 i = 0; i < 80; i++) {
        u32 mixed = i < 20 ? ((b & c) | (~b & d)) + 0x5a827999
            : i < 40       ? (b ^ c ^ d) + 0x6ed9eba1
            : i < 60       ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
                           : (b ^ c ^ d) + 0xca62c1d6;
        u32 next = rotated(a, 5) + mixed + e + w[i];
        e = d;
        d = c;
        c = rotated(b, 30);
        b = a;
        a = next;
    }
    it->state[0] += a;
    it->state[1] += b;
    it->state[2] += c;
    it->state[3] += d;
    it->state[4] += e;
}

static void sha1_add(sha1 *it, const u8 *data, u32 length) {
    for (u32 i = 0; i < length; i++) {
        it->pending[it->length++ % 64] = data[i];
        if (it->length % 64 == 0) sha1_block(it);
    }
}

static void sha1_end(sha1 *it) {
    u64 bits = it->length * 8;
    u8 size[8];
    for (u32 i = 0; i < 8; i++) size[i] = (u8)(bits >> (56 - 8 * i));
    sha1_add(it, (const u8 *)"\x80", 1);
    while (it->length % 64 != 56) sha1_add(it, (const u8 *)"", 1);
    sha1_add(it, size, 8);
}

void put_uuid(u8 *to, text name) {
    sha1 it = {{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, 0, {0}};
    sha1_add(&it, name_space, sizeof name_space);
    sha1_add(&it, name.data, name.length);
    sha1_end(&it);
    for (u32 i = 0; i < 16; i++) {
        u8 byte = (u8)(it.state[i / 4] >> (24 - i % 4 * 8));
        if (i == 6) byte = (u8)((byte & 0x0f) | 0x50);
        if (i == 8) byte = (u8)((byte & 0x3f) | 0x80);
        if (i == 4 || i == 6 || i == 8 || i == 10) *to++ = '-';
        *to++ = (u8)"0123456789abcdef"[byte >> 4];
        *to++ = (u8)"0123456789abcdef"[byte & 15];
    }
}
