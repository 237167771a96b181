#include "store.h"

#include "characters.h"
#include "heap.h"
#include "uuid.h"

#define FIRST_BUCKETS 64u

static row **buckets;
static u32 bucket_count, row_count;
static row *newest, *oldest;
static int in_order = 1;
static u64 identities, writes;
static agent *agents;

/* Agents */

static agent *find_agent(text id) {
    for (agent *it = agents; it; it = it->next) {
        if (text_equal(it->id, id)) return it;
    }
    return NULL;
}

static agent *add_agent(text id, option_text alias) {
    u32 alias_length = alias.is_some ? alias.value.length : 0;
    agent *fresh = heap_allocate(sizeof(agent) + id.length + alias_length);
    if (!fresh) return NULL;
    u8 *room = (u8 *)(fresh + 1);
    put_text(put_text(room, id), (text){alias.value.data, alias_length});
    *fresh = (agent){agents, {alias.is_some, {room + id.length, alias_length}}, {room, id.length}, 0};
    agents = fresh;
    return fresh;
}

/* An agent without rows is remembered for the sake of its alias alone. */
static void drop_agent_if_unused(agent *it) {
    if (!it || it->rows || it->alias.is_some) return;
    agent **link = &agents;
    while (*link != it) link = &(*link)->next;
    *link = it->next;
    heap_release(it);
}

text store_agent_id(text alias) {
    u8 *room = arena_allocate(UUID_LENGTH, 1);
    if (room) put_uuid(room, alias);
    return (text){room, UUID_LENGTH};
}

const agent *store_agent(text alias) {
    text id = store_agent_id(alias);
    if (!id.data) return NULL;
    agent *known = find_agent(id);
    if (known && known->alias.is_some) return known;
    agent *fresh = add_agent(id, (option_text){1, alias});
    if (!fresh || !known) return fresh;
    /* Rows came before their agent was named: they move over to the one with the alias. */
    for (row *it = newest; it; it = it->older) {
        if (it->agent == known) it->agent = fresh;
    }
    fresh->rows = known->rows;
    known->rows = 0;
    drop_agent_if_unused(known);
    return fresh;
}

/* Index and order */

static int is_before(const row *a, const row *b) {
    int order = instant_compare(a->time, b->time);
    return order ? order < 0 : a->written < b->written;
}

static void index_add(row *it) {
    row **bucket = &buckets[it->hash & (bucket_count - 1)];
    it->next_in_bucket = *bucket;
    *bucket = it;
}

static int set_bucket_count(u32 count) {
    row **fresh = heap_allocate(count * sizeof(row *));
    if (!fresh) return 0;
    memset(fresh, 0, count * sizeof(row *));
    heap_release(buckets);
    buckets = fresh;
    bucket_count = count;
    for (row *it = oldest; it; it = it->newer) index_add(it);
    return 1;
}

/* A crowded index still works, so only the first one has to be had. */
static int make_room_in_index(void) {
    if (!buckets) return set_bucket_count(FIRST_BUCKETS);
    if (row_count >= bucket_count) set_bucket_count(bucket_count * 2);
    return 1;
}

static void append(row *it) {
    if (newest && !is_before(newest, it)) in_order = 0;
    it->older = newest;
    it->newer = NULL;
    if (newest) newest->newer = it;
    else oldest = it;
    newest = it;
    index_add(it);
    row_count++;
    if (it->agent) it->agent->rows++;
}

void store_remove(row *it) {
    row **link = &buckets[it->hash & (bucket_count - 1)];
    while (*link != it) link = &(*link)->next_in_bucket;
    *link = it->next_in_bucket;
    if (it->older) it->older->newer = it->newer;
    else oldest = it->newer;
    if (it->newer) it->newer->older = it->older;
    else newest = it->older;
    row_count--;
    if (it->agent) it->agent->rows--;
    drop_agent_if_unused(it->agent);
    heap_release(it);
}

static row *merged(row *a, row *b) {
    row head, *last = &head;
    while (a && b) {
        row **from = is_before(b, a) ? &b : &a;
        last = last->newer = *from;
        *from = (*from)->newer;
    }
    last->newer = a ? a : b;
    return head.newer;
}

/* Rows come in the order of time unless the clock was set back, as it is while older rows are brought in. */
static void sort_by_time(void) {
    row *runs[32] = {NULL}; /* runs[n] is sorted and has 2^n rows */
    for (row *it = oldest, *next; it; it = next) {
        next = it->newer;
        it->newer = NULL;
        u32 level = 0;
        for (; runs[level]; level++) {
            it = merged(runs[level], it);
            runs[level] = NULL;
        }
        runs[level] = it;
    }
    oldest = NULL;
    for (u32 level = 0; level < COUNT_OF(runs); level++) oldest = merged(runs[level], oldest);
    newest = NULL;
    for (row *it = oldest; it; it = it->newer) {
        it->older = newest;
        newest = it;
    }
    in_order = 1;
}

row *store_newest(void) {
    if (!in_order) sort_by_time();
    return newest;
}

row *store_oldest(void) {
    if (!in_order) sort_by_time();
    return oldest;
}

u32 store_count(void) { return row_count; }

int store_reindex(void) {
    u32 count = FIRST_BUCKETS;
    while (count < row_count) count *= 2;
    return set_bucket_count(count);
}

int store_is_consistent(void) {
    u32 listed = 0, indexed = 0;
    for (row *it = newest; it; it = it->older) listed++;
    for (u32 i = 0; i < bucket_count; i++) {
        for (row *it = buckets[i]; it; it = it->next_in_bucket) indexed++;
    }
    return listed == row_count && indexed == row_count;
}

/* Rows by key */

static int belongs_to(const row *it, option_text agent_id) {
    if (!it->agent) return !agent_id.is_some;
    return agent_id.is_some && text_equal(it->agent->id, agent_id.value);
}

static row *first_of_key(text key, u32 hash) {
    row *it = buckets ? buckets[hash & (bucket_count - 1)] : NULL;
    while (it && !(it->hash == hash && text_equal(it->key, key))) it = it->next_in_bucket;
    return it;
}

static row *next_of_key(const row *previous) {
    row *it = previous->next_in_bucket;
    while (it && !(it->hash == previous->hash && text_equal(it->key, previous->key))) it = it->next_in_bucket;
    return it;
}

row *store_find(text key, option_text agent_id) {
    row *it = first_of_key(key, text_hash(key));
    while (it && !belongs_to(it, agent_id)) it = next_of_key(it);
    return it;
}

/* The row without an agent, else the one that was written last. */
row *store_find_any(text key) {
    row *best = NULL;
    for (row *it = first_of_key(key, text_hash(key)); it; it = next_of_key(it)) {
        if (!it->agent) return it;
        if (!best || best->written < it->written) best = it;
    }
    return best;
}

u32 store_forget(text key) {
    u32 before = row_count, hash = text_hash(key);
    for (row *it; (it = first_of_key(key, hash));) store_remove(it);
    return before - row_count;
}

/* Writing */

static text keep(u8 **room, text value) {
    text kept = {*room, value.length};
    *room = put_text(*room, value);
    return kept;
}

static text keep_folded(u8 *room, text key, text content) {
    fold(room, key);
    room[key.length] = 0;
    fold(room + key.length + 1, content);
    text kept = {room, key.length + 1 + content.length};
    memset(room + kept.length, 0, OVERREAD);
    return kept;
}

/* One block holds a row and all its texts. The agent is resolved by the caller. */
static row *new_row(const draft *from) {
    text namespace = from->namespace.is_some ? from->namespace.value : TEXT("default");
    text session = from->session_id.is_some ? from->session_id.value : TEXT("");
    text custom = from->category.tag == CATEGORY_CUSTOM ? from->category.custom : TEXT("");
    u64 size = sizeof(row) + 2 * ((u64)from->key.length + from->content.length) + namespace.length + session.length +
        custom.length + 1 + OVERREAD;
    row *fresh = size > 0xffffffff ? NULL : heap_allocate((usize)size);
    if (!fresh) return NULL;
    u8 *room = (u8 *)(fresh + 1);
    fresh->hash = text_hash(from->key);
    fresh->importance = from->importance;
    fresh->key = keep(&room, from->key);
    fresh->content = keep(&room, from->content);
    fresh->namespace = keep(&room, namespace);
    fresh->session_id = (option_text){from->session_id.is_some, keep(&room, session)};
    fresh->category = (category){from->category.tag, keep(&room, custom)};
    fresh->folded = keep_folded(room, from->key, from->content);
    fresh->signature = (signature){{0}};
    signature_add(&fresh->signature, fresh->folded);
    return fresh;
}

int store_put(const draft *from) {
    row *fresh = make_room_in_index() ? new_row(from) : NULL;
    if (!fresh) return 0;
    fresh->agent = NULL;
    if (from->agent_id.is_some) {
        fresh->agent = find_agent(from->agent_id.value);
        if (!fresh->agent) fresh->agent = add_agent(from->agent_id.value, (option_text){0});
        if (!fresh->agent) {
            heap_release(fresh);
            return 0;
        }
    }
    row *replaced = store_find(from->key, from->agent_id);
    fresh->identity = replaced ? replaced->identity : ++identities;
    fresh->written = ++writes;
    fresh->time = now();
    append(fresh);
    if (replaced) store_remove(replaced);
    return 1;
}

/* The key must be new: a row that a person stored is not overwritten. */
static text procedural_key(u8 *room) {
    static u64 number;
    for (;;) {
        u8 *end = put_number(put_text(room, TEXT("procedural-")), ++number, 6);
        text key = {room, (u32)(end - room)};
        if (!store_find_any(key)) return key;
    }
}

/* `role: content`, or `role (name): content`; no data when there is no memory for it. */
static text procedural_content(const message *from) {
    u64 size = (u64)from->role.length + from->content.length + 5 + (from->name.is_some ? from->name.value.length : 0);
    u8 *room = size > 0xffffffff ? NULL : arena_allocate((usize)size, 1);
    if (!room) return (text){NULL, 0};
    u8 *end = put_text(room, from->role);
    if (from->name.is_some) {
        end = put_text(put_text(put_text(end, TEXT(" (")), from->name.value), TEXT(")"));
    }
    end = put_text(put_text(end, TEXT(": ")), from->content);
    return (text){room, (u32)(end - room)};
}

int store_messages(const message *messages, u32 count, option_text session_id) {
    u64 written_before = writes;
    for (u32 i = 0; i < count; i++) {
        u8 room[32];
        draft it = {.key = procedural_key(room), .session_id = session_id};
        it.content = procedural_content(&messages[i]);
        it.category = (category){CATEGORY_CUSTOM, TEXT("procedural")};
        if (it.content.data && store_put(&it)) continue;
        while (newest && newest->written > written_before) store_remove(newest);
        return 0;
    }
    return 1;
}

/* Choosing and showing */

selection everything(void) {
    selection all = {.agents = {AGENTS_ALL, NULL, 0}};
    text unused;
    read_period(&all.period, (option_text){0}, (option_text){0}, &unused);
    return all;
}

static int is_among(agent_filter wanted, const row *it) {
    if (wanted.tag == AGENTS_ALL) return 1;
    if (!it->agent) return 0;
    for (u32 i = 0; i < wanted.count; i++) {
        if (text_equal(wanted.ids[i], it->agent->id)) return 1;
    }
    return 0;
}

int selected(const selection *wanted, const row *it) {
    const category *kind = &wanted->category.value;
    if (wanted->session_id.is_some && !option_equal(wanted->session_id, it->session_id)) return 0;
    if (wanted->namespace.is_some && !text_equal(wanted->namespace.value, it->namespace)) return 0;
    if (wanted->category.is_some && kind->tag != it->category.tag) return 0;
    if (wanted->category.is_some && kind->tag == CATEGORY_CUSTOM && !text_equal(kind->custom, it->category.custom)) {
        return 0;
    }
    return in_period(wanted->period, it->time) && is_among(wanted->agents, it);
}

u32 store_purge(const selection *wanted) {
    u32 before = row_count;
    for (row *it = newest, *older; it; it = older) {
        older = it->older;
        if (selected(wanted, it)) store_remove(it);
    }
    return before - row_count;
}

int store_show(const row *it, option_number score, entry *shown) {
    text prefix = TEXT("note-");
    u8 *room = arena_allocate(prefix.length + LARGEST_NUMBER + TIMESTAMP_LENGTH, 1);
    if (!room) return 0;
    u8 *end = put_number(put_text(room, prefix), it->identity, 1);
    put_timestamp(end, it->time);
    *shown = (entry){
        .id = {room, (u32)(end - room)},
        .key = it->key,
        .content = it->content,
        .category = it->category,
        .timestamp = {end, TIMESTAMP_LENGTH},
        .session_id = it->session_id,
        .score = score,
        .namespace = it->namespace,
        .importance = it->importance,
    };
    if (it->agent) {
        shown->agent_alias = it->agent->alias;
        shown->agent_id = (option_text){1, it->agent->id};
    }
    return 1;
}
