/*
 * A small memory for tests: rows in an array, found by plain text search, newest first. It has none of the optional
 * functions. What a guest does wrong is in chosen_fault.c or in a file of faults/.
 */
#include "abi.h"
#include "faults.h"
#include "heap.h"
#include "instant.h"
#include "log.h"

typedef struct {
    u64 number;
    instant time;
    text key, content, namespace;
    category category;
    option_text session_id, agent_id;
    option_number importance;
} row;

static row **rows;
static u32 count_of_rows, capacity;

#ifdef RANDOM_IDS
IMPORT("wasi:random/random@0.2.0", "get-random-u64") u64 next_number(void);
#else
static u64 next_number(void) {
    static u64 number;
    return ++number;
}
#endif

#ifdef EVERY_CALL_FAILS
#define CAPABILITIES CAN_EVERYTHING
#define REFUSE(answer) return answer(TEXT("\x1b[31m" "no \x07luck\x1b[0m\nerror: forged"))
#else
#define CAPABILITIES 0
#define REFUSE(answer)
#endif
#define NOT_SUPPORTED(answer)                                                                                          \
    REFUSE(answer);                                                                                                    \
    return answer(TEXT("not-supported"))

/* Rows */

static int same_row(const row *it, text key, option_text agent_id) {
    return text_equal(it->key, key) && option_equal(it->agent_id, agent_id);
}

static void remove_at(u32 place) {
    heap_release(rows[place]);
    count_of_rows--;
    for (u32 i = place; i < count_of_rows; i++) rows[i] = rows[i + 1];
}

/* Removes the rows of a key: all of them, or the one of `agent_id` where `only` is set. */
static int remove_rows(text key, int only, option_text agent_id) {
    u32 before = count_of_rows;
    for (u32 i = count_of_rows; i--;) {
        if (only ? same_row(rows[i], key, agent_id) : text_equal(rows[i]->key, key)) remove_at(i);
    }
    return before != count_of_rows;
}

static text keep(u8 **room, text value) {
    text kept = {*room, value.length};
    *room = put_text(*room, value);
    return kept;
}

static option_text keep_option(u8 **room, option_text value) {
    return value.is_some ? (option_text){1, keep(room, value.value)} : (option_text){0};
}

static u32 length_of(option_text value) { return value.is_some ? value.value.length : 0; }

static int has_room(void) {
    if (count_of_rows < capacity) return 1;
    u32 larger = capacity ? capacity * 2 : 64;
    row **fresh = heap_allocate(larger * sizeof(row *));
    if (!fresh) return 0;
    if (rows) memcpy(fresh, rows, count_of_rows * sizeof(row *));
    heap_release(rows);
    rows = fresh;
    capacity = larger;
    return 1;
}

static const result_4 *put(row it, option_text namespace) {
    if (!namespace.is_some) namespace = (option_text){1, TEXT("default")};
    if (it.category.tag != CATEGORY_CUSTOM) it.category.custom = TEXT("");
    row *kept = heap_allocate(sizeof(row) + it.key.length + it.content.length + namespace.value.length +
                              it.category.custom.length + length_of(it.session_id) + length_of(it.agent_id));
    if (!kept || !has_room()) return error(OUT_OF_MEMORY);
    u8 *room = (u8 *)(kept + 1);
    it.number = next_number();
    it.time = now();
    it.key = keep(&room, it.key);
    it.content = keep(&room, it.content);
    it.namespace = keep(&room, namespace.value);
    it.category.custom = keep(&room, it.category.custom);
    it.session_id = keep_option(&room, it.session_id);
    it.agent_id = keep_option(&room, it.agent_id);
    *kept = it;
    remove_rows(it.key, 1, it.agent_id);
    rows[count_of_rows++] = kept;
    log_line(LEVEL_DEBUG, ACTION_WRITE, TEXT("guest::store"), TEXT("stored one row"));
    return ok();
}

static void show(const row *it, entry *shown) {
    u8 *id = arena_allocate(LARGEST_NUMBER + TIMESTAMP_LENGTH, 1);
    u8 *end = put_number(id, it->number, 1);
    put_timestamp(end, it->time);
    *shown = (entry){
        .id = {id, (u32)(end - id)},
        .key = it->key,
        .content = it->content,
        .category = it->category,
        .timestamp = {end, TIMESTAMP_LENGTH},
        .session_id = it->session_id,
        .namespace = it->namespace,
        .importance = it->importance,
        .agent_id = it->agent_id,
    };
    in_result(shown);
}

entry bare_entry(text content) {
    text empty = TEXT("");
    return (entry){.id = empty, .key = empty, .content = content, .timestamp = empty, .namespace = empty};
}

/* Choosing */

static int contains(text within, text part) {
    for (u32 i = 0; i + part.length <= within.length; i++) {
        if (text_equal((text){within.data + i, part.length}, part)) return 1;
    }
    return 0;
}

static int is_blank(u8 letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }

/* What is sought: the query without the blanks around it; everything where that is a bare star. */
static text sought(text query) {
    for (; query.length && is_blank(*query.data); query.length--) query.data++;
    while (query.length && is_blank(query.data[query.length - 1])) query.length--;
    return text_equal(query, TEXT("*")) ? TEXT("") : query;
}

static int is_among(agent_filter wanted, option_text agent_id) {
    if (wanted.tag == AGENTS_ALL) return 1;
    for (u32 i = 0; agent_id.is_some && i < wanted.count; i++) {
        if (text_equal(wanted.ids[i], agent_id.value)) return 1;
    }
    return 0;
}

static const result_4 *find(agent_filter agents, text query, u64 limit, option_text session, option_text since,
                            option_text until) {
    REFUSE(error);
    entries found = {NULL, 0};
    period bounds;
    text problem;
    if (in_recall(limit, &found)) return ok_entries(found);
    if (!read_period(&bounds, since, until, &problem)) return error(problem);
    query = sought(query);
    found.items = arena_allocate(count_of_rows * sizeof(entry), 8);
    if (!found.items) return error(OUT_OF_MEMORY);
    for (u32 i = count_of_rows; i-- && found.count < limit;) {
        const row *it = rows[i];
        if (session.is_some && !option_equal(session, it->session_id)) continue;
        if (!is_among(agents, it->agent_id) || !in_period(bounds, it->time)) continue;
        if (!contains(it->content, query) && !contains(it->key, query)) continue;
        show(it, &found.items[found.count++]);
    }
    return ok_entries(found);
}

/* Required functions */

EXPORT_INFO("plugin-name") const text *plugin_name(void) { return plain(TEXT("guest")); }

EXPORT_INFO("plugin-version") const text *plugin_version(void) { return plain(TEXT("0.1.0")); }

EXPORT_MEMORY("name", name) const text *name(void) { return plain(TEXT("guest")); }

EXPORT_MEMORY("get-memory-capabilities", capabilities) u32 capabilities(void) {
    in_capabilities();
    return CAPABILITIES;
}

EXPORT_MEMORY("store-entry", store_entry)
const result_4 *store_entry(TEXT_IN(key), TEXT_IN(content), CATEGORY_IN(category), OPTION_TEXT_IN(session)) {
    REFUSE(error);
    text problem;
    if (in_store_entry(TEXT_OF(key), TEXT_OF(content), &problem)) return error(problem);
    row it = {.key = TEXT_OF(key), .content = TEXT_OF(content), .category = CATEGORY_OF(category)};
    it.session_id = OPTION_TEXT_OF(session);
    return put(it, (option_text){0});
}

#ifdef RECALL_WITHOUT_UNTIL
EXPORT_MEMORY("recall", recall)
const result_4 *recall(TEXT_IN(query), u64 limit, OPTION_TEXT_IN(session), OPTION_TEXT_IN(since)) {
    return find((agent_filter){0}, TEXT_OF(query), limit, OPTION_TEXT_OF(session), OPTION_TEXT_OF(since),
                (option_text){0});
}
#else
EXPORT_MEMORY("recall", recall)
const result_4 *recall(TEXT_IN(query), u64 limit, OPTION_TEXT_IN(session), OPTION_TEXT_IN(since),
                       OPTION_TEXT_IN(until)) {
    return find((agent_filter){0}, TEXT_OF(query), limit, OPTION_TEXT_OF(session), OPTION_TEXT_OF(since),
                OPTION_TEXT_OF(until));
}
#endif

EXPORT_MEMORY("get", get) const result_8 *get(TEXT_IN(key)) {
    REFUSE(error_8);
    entry shown;
    if (in_get(TEXT_OF(key), &shown)) return ok_entry(&shown);
    for (u32 i = count_of_rows; i--;) {
        if (!text_equal(rows[i]->key, TEXT_OF(key))) continue;
        show(rows[i], &shown);
        return ok_entry(&shown);
    }
    return ok_entry(NULL);
}

EXPORT_MEMORY("list-entries", list_entries)
const result_4 *list_entries(OPTION_CATEGORY_IN(category), OPTION_TEXT_IN(session)) {
    REFUSE(error);
    option_category wanted = OPTION_CATEGORY_OF(category);
    entries found = {NULL, 0};
    if (in_list(&found)) return ok_entries(found);
    found.items = arena_allocate(count_of_rows * sizeof(entry), 8);
    if (!found.items) return error(OUT_OF_MEMORY);
    for (u32 i = count_of_rows; i--;) {
        const row *it = rows[i];
        if (session_is_some && !option_equal(OPTION_TEXT_OF(session), it->session_id)) continue;
        if (wanted.is_some && wanted.value.tag != it->category.tag) continue;
        if (wanted.is_some && it->category.tag == CATEGORY_CUSTOM &&
            !text_equal(wanted.value.custom, it->category.custom)) {
            continue;
        }
        show(it, &found.items[found.count++]);
    }
    return ok_entries(found);
}

EXPORT_MEMORY("forget", forget) const result_4 *forget(TEXT_IN(key)) {
    REFUSE(error);
    return ok_flag(remove_rows(TEXT_OF(key), 0, (option_text){0}));
}

#ifndef WITHOUT_FORGET_FOR_AGENT
EXPORT_MEMORY("forget-for-agent", forget_for_agent)
const result_4 *forget_for_agent(TEXT_IN(key), TEXT_IN(agent)) {
    REFUSE(error);
    return ok_flag(remove_rows(TEXT_OF(key), 1, (option_text){1, TEXT_OF(agent)}));
}
#endif

EXPORT_MEMORY("count", count) const result_8 *count(void) {
    REFUSE(error_8);
    return ok_number(count_of_rows);
}

EXPORT_MEMORY("health-check", health_check) u32 health_check(void) {
    in_health_check();
    return 1;
}

EXPORT_MEMORY("store-with-agent", store_with_agent)
const result_4 *store_with_agent(const store_with_agent_parameters *given) {
    REFUSE(error);
    row it = {.key = given->key, .content = given->content, .category = given->category};
    it.session_id = given->session_id;
    it.importance = given->importance;
    it.agent_id = given->agent_id;
    return put(it, given->namespace);
}

EXPORT_MEMORY("recall-for-agents", recall_for_agents)
const result_4 *recall_for_agents(AGENTS_IN(agents), TEXT_IN(query), u64 limit, OPTION_TEXT_IN(session),
                                  OPTION_TEXT_IN(since), OPTION_TEXT_IN(until)) {
    return find(AGENTS_OF(agents), TEXT_OF(query), limit, OPTION_TEXT_OF(session), OPTION_TEXT_OF(since),
                OPTION_TEXT_OF(until));
}

/* Optional functions: a component has them all the same. */

EXPORT_MEMORY("get-for-agent", get_for_agent) const result_8 *get_for_agent(TEXT_IN(key), TEXT_IN(agent)) {
    NOT_SUPPORTED(error_8);
}

EXPORT_MEMORY("purge-namespace", purge_namespace) const result_8 *purge_namespace(TEXT_IN(namespace)) {
    NOT_SUPPORTED(error_8);
}

EXPORT_MEMORY("purge-session", purge_session) const result_8 *purge_session(TEXT_IN(session)) {
    NOT_SUPPORTED(error_8);
}

EXPORT_MEMORY("purge-session-for-agent", purge_session_for_agent)
const result_8 *purge_session_for_agent(TEXT_IN(session), TEXT_IN(agent)) { NOT_SUPPORTED(error_8); }

EXPORT_MEMORY("purge-agent", purge_agent) const result_8 *purge_agent(TEXT_IN(alias)) { NOT_SUPPORTED(error_8); }

EXPORT_MEMORY("reindex", reindex) const result_8 *reindex(void) { NOT_SUPPORTED(error_8); }

EXPORT_MEMORY("store-procedural", store_procedural)
const result_4 *store_procedural(const message *messages, u32 message_count, OPTION_TEXT_IN(session)) {
    NOT_SUPPORTED(error);
}

EXPORT_MEMORY("ensure-agent-uuid", ensure_agent_uuid) const result_4 *ensure_agent_uuid(TEXT_IN(alias)) {
    NOT_SUPPORTED(error);
}

EXPORT_MEMORY("recall-namespaced", recall_namespaced)
const result_4 *recall_namespaced(TEXT_IN(namespace), TEXT_IN(query), u64 limit, OPTION_TEXT_IN(session),
                                  OPTION_TEXT_IN(since), OPTION_TEXT_IN(until)) {
    NOT_SUPPORTED(error);
}

EXPORT_MEMORY("export-entries", export_entries)
const result_4 *export_entries(OPTION_TEXT_IN(namespace), OPTION_TEXT_IN(session), OPTION_CATEGORY_IN(category),
                               OPTION_TEXT_IN(since), OPTION_TEXT_IN(until)) {
    NOT_SUPPORTED(error);
}

EXPORT_MEMORY("store-with-metadata", store_with_metadata)
const result_4 *store_with_metadata(TEXT_IN(key), TEXT_IN(content), CATEGORY_IN(category), OPTION_TEXT_IN(session),
                                    OPTION_TEXT_IN(namespace), OPTION_NUMBER_IN(importance)) {
    NOT_SUPPORTED(error);
}
