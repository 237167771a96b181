/* The functions of the world `memory-plugin`, in the order of its interface. */
#include "abi.h"
#include "heap.h"
#include "log.h"
#include "recall.h"
#include "store.h"

/* A build may leave optional functions out. Their flags are then unset and they answer as if they did not exist. */
#ifndef NOTES_CAPABILITIES
#define NOTES_CAPABILITIES CAN_EVERYTHING
#endif
#define CAN(function) ((NOTES_CAPABILITIES & (function)) != 0)
#define NOT_SUPPORTED TEXT("not-supported")

/* Required functions */

EXPORT_INFO("plugin-name") const text *plugin_name(void) { return plain(TEXT("notes")); }

EXPORT_INFO("plugin-version") const text *plugin_version(void) { return plain(TEXT("0.1.0")); }

EXPORT_MEMORY("name", name) const text *name(void) { return plain(TEXT("notes")); }

EXPORT_MEMORY("get-memory-capabilities", capabilities) u32 capabilities(void) { return NOTES_CAPABILITIES; }

static const result_4 *put(draft it) {
    option_number importance = it.importance;
    if (importance.is_some && importance.value != importance.value) return error(TEXT("importance is not a number"));
    if (!store_put(&it)) return error(OUT_OF_MEMORY);
    if (importance.is_some && !(importance.value >= 0 && importance.value <= 1)) {
        log_line(LEVEL_WARN, ACTION_VALIDATE, TEXT("notes::store"), TEXT("importance is not between 0 and 1"));
    }
    log_line(LEVEL_DEBUG, ACTION_WRITE, TEXT("notes::store"), TEXT("stored one row"));
    return ok();
}

EXPORT_MEMORY("store-entry", store_entry)
const result_4 *store_entry(TEXT_IN(key), TEXT_IN(content), CATEGORY_IN(category), OPTION_TEXT_IN(session)) {
    return put((draft){
        .key = TEXT_OF(key),
        .content = TEXT_OF(content),
        .category = CATEGORY_OF(category),
        .session_id = OPTION_TEXT_OF(session),
    });
}

/* The selection that the parameters of a recall describe, then the answer. */
static const result_4 *answer(selection wanted, text query, u64 limit, option_text session, option_text since,
                              option_text until) {
    text problem;
    entries found;
    wanted.session_id = session;
    if (!read_period(&wanted.period, since, until, &problem)) return error(problem);
    return recall(query, limit, &wanted, &found) ? ok_entries(found) : error(OUT_OF_MEMORY);
}

EXPORT_MEMORY("recall", recall_all)
const result_4 *recall_all(TEXT_IN(query), u64 limit, OPTION_TEXT_IN(session), OPTION_TEXT_IN(since),
                           OPTION_TEXT_IN(until)) {
    return answer(everything(), TEXT_OF(query), limit, OPTION_TEXT_OF(session), OPTION_TEXT_OF(since),
                  OPTION_TEXT_OF(until));
}

static const result_8 *one(const row *it) {
    entry shown;
    if (!it) return ok_entry(NULL);
    return store_show(it, (option_number){0}, &shown) ? ok_entry(&shown) : error_8(OUT_OF_MEMORY);
}

EXPORT_MEMORY("get", get) const result_8 *get(TEXT_IN(key)) { return one(store_find_any(TEXT_OF(key))); }

EXPORT_MEMORY("list-entries", list_entries)
const result_4 *list_entries(OPTION_CATEGORY_IN(category), OPTION_TEXT_IN(session)) {
    selection wanted = everything();
    entries found;
    wanted.category = OPTION_CATEGORY_OF(category);
    wanted.session_id = OPTION_TEXT_OF(session);
    return list_newest_first(store_count(), &wanted, &found) ? ok_entries(found) : error(OUT_OF_MEMORY);
}

EXPORT_MEMORY("forget", forget) const result_4 *forget(TEXT_IN(key)) { return ok_flag(store_forget(TEXT_OF(key)) > 0); }

EXPORT_MEMORY("forget-for-agent", forget_for_agent)
const result_4 *forget_for_agent(TEXT_IN(key), TEXT_IN(agent)) {
    row *it = store_find(TEXT_OF(key), (option_text){1, TEXT_OF(agent)});
    if (it) store_remove(it);
    return ok_flag(it != NULL);
}

EXPORT_MEMORY("count", count) const result_8 *count(void) { return ok_number(store_count()); }

EXPORT_MEMORY("health-check", health_check) u32 health_check(void) { return (u32)store_is_consistent(); }

EXPORT_MEMORY("store-with-agent", store_with_agent)
const result_4 *store_with_agent(const store_with_agent_parameters *it) {
    return put((draft){
        .key = it->key,
        .content = it->content,
        .category = it->category,
        .session_id = it->session_id,
        .namespace = it->namespace,
        .importance = it->importance,
        .agent_id = it->agent_id,
    });
}

EXPORT_MEMORY("recall-for-agents", recall_for_agents)
const result_4 *recall_for_agents(AGENTS_IN(agents), TEXT_IN(query), u64 limit, OPTION_TEXT_IN(session),
                                  OPTION_TEXT_IN(since), OPTION_TEXT_IN(until)) {
    selection wanted = everything();
    wanted.agents = AGENTS_OF(agents);
    return answer(wanted, TEXT_OF(query), limit, OPTION_TEXT_OF(session), OPTION_TEXT_OF(since),
                  OPTION_TEXT_OF(until));
}

/* Optional functions */

EXPORT_MEMORY("get-for-agent", get_for_agent) const result_8 *get_for_agent(TEXT_IN(key), TEXT_IN(agent)) {
    if (!CAN(CAN_GET_FOR_AGENT)) return error_8(NOT_SUPPORTED);
    return one(store_find(TEXT_OF(key), (option_text){1, TEXT_OF(agent)}));
}

EXPORT_MEMORY("purge-namespace", purge_namespace) const result_8 *purge_namespace(TEXT_IN(namespace)) {
    if (!CAN(CAN_PURGE_NAMESPACE)) return error_8(NOT_SUPPORTED);
    selection wanted = everything();
    wanted.namespace = (option_text){1, TEXT_OF(namespace)};
    return ok_number(store_purge(&wanted));
}

EXPORT_MEMORY("purge-session", purge_session) const result_8 *purge_session(TEXT_IN(session)) {
    if (!CAN(CAN_PURGE_SESSION)) return error_8(NOT_SUPPORTED);
    selection wanted = everything();
    wanted.session_id = (option_text){1, TEXT_OF(session)};
    return ok_number(store_purge(&wanted));
}

EXPORT_MEMORY("purge-session-for-agent", purge_session_for_agent)
const result_8 *purge_session_for_agent(TEXT_IN(session), TEXT_IN(agent)) {
    if (!CAN(CAN_PURGE_SESSION_FOR_AGENT)) return error_8(NOT_SUPPORTED);
    selection wanted = everything();
    text id = TEXT_OF(agent);
    wanted.session_id = (option_text){1, TEXT_OF(session)};
    wanted.agents = (agent_filter){AGENTS_SOME, &id, 1};
    return ok_number(store_purge(&wanted));
}

EXPORT_MEMORY("purge-agent", purge_agent) const result_8 *purge_agent(TEXT_IN(alias)) {
    if (!CAN(CAN_PURGE_AGENT)) return error_8(NOT_SUPPORTED);
    selection wanted = everything();
    text id = store_agent_id(TEXT_OF(alias));
    if (!id.data) return error_8(OUT_OF_MEMORY);
    wanted.agents = (agent_filter){AGENTS_SOME, &id, 1};
    return ok_number(store_purge(&wanted));
}

EXPORT_MEMORY("reindex", reindex) const result_8 *reindex(void) {
    if (!CAN(CAN_REINDEX)) return error_8(NOT_SUPPORTED);
    return store_reindex() ? ok_number(store_count()) : error_8(OUT_OF_MEMORY);
}

EXPORT_MEMORY("store-procedural", store_procedural)
const result_4 *store_procedural(const message *messages, u32 message_count, OPTION_TEXT_IN(session)) {
    if (!CAN(CAN_STORE_PROCEDURAL)) return error(NOT_SUPPORTED);
    if (!store_messages(messages, message_count, OPTION_TEXT_OF(session))) return error(OUT_OF_MEMORY);
    log_line(LEVEL_DEBUG, ACTION_WRITE, TEXT("notes::store_procedural"), TEXT("stored the messages"));
    return ok();
}

EXPORT_MEMORY("ensure-agent-uuid", ensure_agent_uuid) const result_4 *ensure_agent_uuid(TEXT_IN(alias)) {
    if (!CAN(CAN_ENSURE_AGENT_UUID)) return error(NOT_SUPPORTED);
    const agent *it = store_agent(TEXT_OF(alias));
    return it ? ok_text(it->id) : error(OUT_OF_MEMORY);
}

EXPORT_MEMORY("recall-namespaced", recall_namespaced)
const result_4 *recall_namespaced(TEXT_IN(namespace), TEXT_IN(query), u64 limit, OPTION_TEXT_IN(session),
                                  OPTION_TEXT_IN(since), OPTION_TEXT_IN(until)) {
    if (!CAN(CAN_RECALL_NAMESPACED)) return error(NOT_SUPPORTED);
    selection wanted = everything();
    wanted.namespace = (option_text){1, TEXT_OF(namespace)};
    return answer(wanted, TEXT_OF(query), limit, OPTION_TEXT_OF(session), OPTION_TEXT_OF(since),
                  OPTION_TEXT_OF(until));
}

EXPORT_MEMORY("export-entries", export_entries)
const result_4 *export_entries(OPTION_TEXT_IN(namespace), OPTION_TEXT_IN(session), OPTION_CATEGORY_IN(category),
                               OPTION_TEXT_IN(since), OPTION_TEXT_IN(until)) {
    if (!CAN(CAN_EXPORT_ENTRIES)) return error(NOT_SUPPORTED);
    selection wanted = everything();
    entries found;
    text problem;
    wanted.namespace = OPTION_TEXT_OF(namespace);
    wanted.session_id = OPTION_TEXT_OF(session);
    wanted.category = OPTION_CATEGORY_OF(category);
    if (!read_period(&wanted.period, OPTION_TEXT_OF(since), OPTION_TEXT_OF(until), &problem)) return error(problem);
    return list_oldest_first(&wanted, &found) ? ok_entries(found) : error(OUT_OF_MEMORY);
}

EXPORT_MEMORY("store-with-metadata", store_with_metadata)
const result_4 *store_with_metadata(TEXT_IN(key), TEXT_IN(content), CATEGORY_IN(category), OPTION_TEXT_IN(session),
                                    OPTION_TEXT_IN(namespace), OPTION_NUMBER_IN(importance)) {
    if (!CAN(CAN_STORE_WITH_METADATA)) return error(NOT_SUPPORTED);
    return put((draft){
        .key = TEXT_OF(key),
        .content = TEXT_OF(content),
        .category = CATEGORY_OF(category),
        .session_id = OPTION_TEXT_OF(session),
        .namespace = OPTION_TEXT_OF(namespace),
        .importance = OPTION_NUMBER_OF(importance),
    });
}
