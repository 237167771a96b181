/*
 * The query is cut into terms. A word is a term unless it is a stop word, and so is each pair of neighbours in a run of
 * a script that does not part its words by blanks. A row is found when it has at least one term, and its score is a
 * BM25 over the rows that are selected: a term that few rows have weighs more, a hit in the key more than one in the
 * content, the tenth hit hardly more than the third, and a long row needs more hits than a short one. Importance shifts
 * the score a little.
 */
#include "recall.h"

#include "characters.h"
#include "heap.h"

#define MOST_TERMS 32u

#define WHOLE_WORD 1.0f
#define PARTIAL 0.5f
#define KEY_WEIGHT 2.0f
#define SATURATION 0.9
#define LENGTH_DAMPING 0.2
#define IMPORTANCE_RANGE 0.3
#define MIDDLE_IMPORTANCE 0.5

typedef struct {
    text stem;      /* in lower case, without the s of an English plural */
    u8 is_plural;   /* there was such an s */
    u8 is_anywhere; /* found in the middle of words too */
    u8 is_signed;   /* a row without `bit` in its signature does not have it */
    u32 bit;
    u32 rows;       /* how many of the selected rows have it */
    double weight;
} term;

typedef struct {
    term items[MOST_TERMS];
    u32 count;
} terms;

enum { WORD, PAIR, SIGNS };

/* Words of nearly every English question, which say nothing about what is sought. */
static int is_stop_word(text word) {
    static const char words[] =
        " a about an and are as at be been but by can did do does for from had has have how i if in is it its me my of "
        "on or our so that the their there these they this to was we were what when where which who whom why will "
        "with would you your ";
    const char *end = words + sizeof(words) - 1;
    for (const char *at = words + 1; at < end; at++) {
        const char *start = at;
        while (*at != ' ') at++;
        if (text_equal(word, (text){(const u8 *)start, (u32)(at - start)})) return 1;
    }
    return 0;
}

static void add_term(terms *to, const u8 *from, const u8 *end, int kind) {
    term fresh = {.stem = {from, (u32)(end - from)}, .is_anywhere = kind != WORD, .is_signed = kind != SIGNS};
    if (kind == WORD && fresh.stem.length > LEADING_BYTES && end[-1] == 's' && end[-2] != 's') {
        fresh.is_plural = 1;
        fresh.stem.length--;
    }
    text beginning = fresh.stem;
    if (kind == WORD && beginning.length > LEADING_BYTES) beginning.length = LEADING_BYTES;
    fresh.bit = signature_bit(beginning);
    for (u32 i = 0; i < to->count; i++) {
        if (text_equal(to->items[i].stem, fresh.stem)) return;
    }
    if (to->count < MOST_TERMS) to->items[to->count++] = fresh;
}

/* The end of the run of characters from `at` on that are words, of unspaced scripts or not as the first one is. */
static const u8 *run_end(const u8 *at, const u8 *end) {
    u32 size;
    int unspaced = is_unspaced(character_at(at, &size));
    for (; at < end; at += size) {
        character it = character_at(at, &size);
        if (!is_word(it) || is_unspaced(it) != unspaced) break;
    }
    return at;
}

static void add_pairs(terms *to, const u8 *at, const u8 *end) {
    u32 size, next_size;
    character_at(at, &size);
    if (at + size == end) add_term(to, at, end, PAIR);
    for (; at + size < end; at += size, size = next_size) {
        character_at(at + size, &next_size);
        add_term(to, at, at + size + next_size, PAIR);
    }
}

static void cut_words(terms *to, text query, int with_stop_words) {
    const u8 *end = query.data + query.length;
    for (const u8 *at = query.data; at < end;) {
        u32 size;
        character it = character_at(at, &size);
        const u8 *stop = is_word(it) ? run_end(at, end) : at + size;
        if (is_word(it) && is_unspaced(it)) add_pairs(to, at, stop);
        else if (is_word(it) && (with_stop_words || !is_stop_word((text){at, (u32)(stop - at)}))) {
            add_term(to, at, stop, WORD);
        }
        at = stop;
    }
}

/* A query of nothing but stop words means them, and one of signs alone, such as `:-)`, is one term as it stands. */
static void cut_into_terms(terms *to, text query) {
    cut_words(to, query, 0);
    if (!to->count) cut_words(to, query, 1);
    if (!to->count) add_term(to, query.data, query.data + query.length, SIGNS);
}

static int word_ends(const u8 *at, const u8 *end) {
    u32 size;
    if (at == end) return 1;
    character next = character_at(at, &size);
    return !is_word(next) || is_unspaced(next);
}

/* What one occurrence of the stem of `it` at `at` is worth: the whole where the very word stands; half of it where a
 * longer word or, for a plural, the singular does; nothing where no word begins. */
static float worth(const term *it, const u8 *at, text within) {
    const u8 *end = within.data + within.length, *rest = at + it->stem.length;
    if (it->is_anywhere) return WHOLE_WORD;
    if (at > within.data) {
        character before = character_before(at, within.data);
        if (is_word(before) && !is_unspaced(before)) return 0;
    }
    if (it->is_plural) {
        if (rest < end && *rest == 's') return word_ends(rest + 1, end) ? WHOLE_WORD : PARTIAL;
        return word_ends(rest, end) ? PARTIAL : 0;
    }
    if (word_ends(rest, end)) return WHOLE_WORD;
    return it->stem.length >= LEADING_BYTES ? PARTIAL : 0;
}

static float try_at(const term *it, const u8 *at, const row *within) {
    u32 length = it->stem.length;
    const text *folded = &within->folded;
    if (length > (usize)(folded->data + folded->length - at)) return 0;
    for (u32 i = 0; i < length; i++) {
        if (at[i] != it->stem.data[i]) return 0;
    }
    float weight = at < folded->data + within->key.length ? KEY_WEIGHT : 1;
    return weight * worth(it, at, *folded);
}

static u64 eight_bytes(const u8 *at) {
    u64 word;
    __builtin_memcpy(&word, at, 8);
    return word;
}

/* The worth of all occurrences. Eight places at a time are searched for the first two bytes of the stem: a byte of the
 * difference is zero where both are there. Its high bit then remains, and perhaps that of a byte after it, so try_at
 * looks closely. */
static float hits(const term *it, const row *within) {
    const u64 ones = 0x0101010101010101u, highs = ones << 7;
    const u8 *at = within->folded.data, *end = at + within->folded.length;
    int is_long = it->stem.length > 1;
    u64 first = ones * it->stem.data[0], second = is_long ? ones * it->stem.data[1] : 0;
    float sum = 0;
    for (; at < end; at += 8) {
        u64 word = eight_bytes(at) ^ first;
        if (is_long) word |= eight_bytes(at + 1) ^ second;
        for (u64 zeros = (word - ones) & ~word & highs; zeros; zeros &= zeros - 1) {
            sum += try_at(it, at + (__builtin_ctzll(zeros) >> 3), within);
        }
    }
    return sum;
}

/* The rows that have a term, growing; `hits` has one number a row and term. */
typedef struct {
    row *row;
    double score;
} match;

typedef struct {
    match *items;
    float *hits;
    u32 count, capacity;
} matches;

static void *resized(void *old, usize old_size, usize size) {
    void *fresh = heap_allocate(size);
    if (fresh && old_size) memcpy(fresh, old, old_size);
    if (fresh) heap_release(old);
    return fresh;
}

static int has_room(matches *in, u32 term_count) {
    if (in->count < in->capacity) return 1;
    u32 capacity = in->capacity ? in->capacity * 2 : 64;
    match *items = resized(in->items, in->count * sizeof(match), capacity * sizeof(match));
    if (!items) return 0;
    in->items = items;
    u32 width = term_count * sizeof(float);
    float *numbers = resized(in->hits, in->count * width, capacity * width);
    if (!numbers) return 0;
    in->hits = numbers;
    in->capacity = capacity;
    return 1;
}

/* Gathers the matches; returns how many rows are selected and adds up their lengths. */
static int gather(terms *sought, const selection *wanted, matches *found, u32 *rows, u64 *length) {
    for (row *it = store_newest(); it; it = it->older) {
        if (!selected(wanted, it)) continue;
        (*rows)++;
        *length += it->folded.length;
        if (!has_room(found, sought->count)) return 0;
        float *numbers = found->hits + (usize)found->count * sought->count;
        int any = 0;
        for (u32 i = 0; i < sought->count; i++) {
            term *one = &sought->items[i];
            numbers[i] = 0;
            if (one->is_signed && !signature_has(&it->signature, one->bit)) continue;
            numbers[i] = hits(one, it);
            if (numbers[i] > 0) {
                one->rows++;
                any = 1;
            }
        }
        if (any) found->items[found->count++].row = it;
    }
    return 1;
}

/* The natural logarithm of a finite number of at least 1. */
static double logarithm(double number) {
    u64 bits;
    __builtin_memcpy(&bits, &number, 8);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffu) | (u64)1023 << 52;
    __builtin_memcpy(&number, &bits, 8);
    double ratio = (number - 1) / (number + 1), power = ratio, sum = 0;
    for (int i = 1; i < 30; i += 2, power *= ratio * ratio) sum += power / i;
    return exponent * 0.69314718055994530942 + 2 * sum;
}

static double importance_factor(option_number importance) {
    double it = importance.is_some ? importance.value : MIDDLE_IMPORTANCE;
    if (it < 0) it = 0;
    if (it > 1) it = 1;
    return 1 + IMPORTANCE_RANGE * (it - MIDDLE_IMPORTANCE);
}

static void score(terms *sought, matches *found, u32 rows, u64 length) {
    double average = length ? (double)length / rows : 1;
    for (u32 i = 0; i < sought->count; i++) {
        term *one = &sought->items[i];
        one->weight = logarithm(1 + (rows - one->rows + 0.5) / (one->rows + 0.5));
    }
    for (u32 m = 0; m < found->count; m++) {
        match *it = &found->items[m];
        const float *numbers = found->hits + (usize)m * sought->count;
        double slope = SATURATION * (1 - LENGTH_DAMPING + LENGTH_DAMPING * it->row->folded.length / average);
        it->score = 0;
        for (u32 i = 0; i < sought->count; i++) {
            it->score += sought->items[i].weight * (1 + SATURATION) * numbers[i] / (numbers[i] + slope);
        }
        it->score *= importance_factor(it->row->importance);
    }
}

static int is_better(const match *a, const match *b) {
    if (a->score != b->score) return a->score > b->score;
    int order = instant_compare(a->row->time, b->row->time);
    return order ? order > 0 : a->row->written > b->row->written;
}

/* Lets the match at `at` sink in a binary heap with the best at its root. */
static void sink(match *items, u32 count, u32 at) {
    for (u32 child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_better(&items[child + 1], &items[child])) child++;
        if (!is_better(&items[child], &items[at])) return;
        match held = items[at];
        items[at] = items[child];
        items[child] = held;
    }
}

static int show_best(matches *from, u64 limit, entries *found) {
    u32 wanted = limit < from->count ? (u32)limit : from->count;
    found->items = arena_allocate(wanted * sizeof(entry), _Alignof(entry));
    found->count = wanted;
    if (!found->items) return 0;
    for (u32 at = from->count / 2; at--;) sink(from->items, from->count, at);
    for (u32 i = 0, left = from->count; i < wanted; i++) {
        match best = from->items[0];
        from->items[0] = from->items[--left];
        sink(from->items, left, 0);
        if (!store_show(best.row, (option_number){1, best.score}, &found->items[i])) return 0;
    }
    return 1;
}

int recall(text query, u64 limit, const selection *wanted, entries *found) {
    query = trimmed(query);
    if (!query.length || text_equal(query, TEXT("*"))) return list_newest_first(limit, wanted, found);
    u8 *folded = arena_allocate(query.length, 1);
    if (!folded) return 0;
    fold(folded, query);
    terms sought = {.count = 0};
    cut_into_terms(&sought, (text){folded, query.length});
    matches all = {NULL, NULL, 0, 0};
    u32 rows = 0;
    u64 length = 0;
    int done = gather(&sought, wanted, &all, &rows, &length);
    if (done) {
        score(&sought, &all, rows, length);
        done = show_best(&all, limit, found);
    }
    heap_release(all.items);
    heap_release(all.hits);
    return done;
}

static int list(row *from, int forwards, u64 limit, const selection *wanted, entries *found) {
    u32 count = 0;
    for (row *it = from; it && count < limit; it = forwards ? it->newer : it->older) count += (u32)selected(wanted, it);
    found->items = arena_allocate(count * sizeof(entry), _Alignof(entry));
    found->count = 0;
    if (!found->items) return 0;
    for (row *it = from; it && found->count < count; it = forwards ? it->newer : it->older) {
        if (!selected(wanted, it)) continue;
        if (!store_show(it, (option_number){0}, &found->items[found->count])) return 0;
        found->count++;
    }
    return 1;
}

int list_newest_first(u64 limit, const selection *wanted, entries *found) {
    return list(store_newest(), 0, limit, wanted, found);
}

int list_oldest_first(const selection *wanted, entries *found) {
    return list(store_oldest(), 1, ~(u64)0, wanted, found);
}
