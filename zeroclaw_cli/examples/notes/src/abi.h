/*
 * The world `memory-plugin` as the canonical ABI lays it out for a 32-bit linear memory.
 *
 * A C struct on wasm32 has exactly the canonical layout, so records are plain structs. Parameters come flattened: a
 * text as a pointer and a length, an option with a word before it that says whether there is one. A result goes through
 * a struct in static memory, whose address the function returns; what it points to lives in the arena or in the heap
 * until the host has copied it and calls the post-return function.
 */
#ifndef NOTES_ABI_H
#define NOTES_ABI_H

#include "base.h"

enum { CATEGORY_CORE, CATEGORY_DAILY, CATEGORY_CONVERSATION, CATEGORY_CUSTOM };

typedef struct {
    u8 tag;
    text custom;
} category;

typedef struct {
    u8 is_some;
    category value;
} option_category;

typedef struct {
    text id, key, content;
    category category;
    text timestamp;
    option_text session_id;
    option_number score;
    text namespace;
    option_number importance;
    option_text superseded_by, agent_alias, agent_id;
} entry;

typedef struct {
    entry *items;
    u32 count;
} entries;

typedef struct {
    text role, content;
    option_text name;
} message;

enum { AGENTS_ALL, AGENTS_SOME };

typedef struct {
    u32 tag;
    const text *ids;
    u32 count;
} agent_filter;

/* The one function whose parameters are too many to come flattened. */
typedef struct {
    text key, content;
    category category;
    option_text session_id, namespace;
    option_number importance;
    option_text agent_id;
} store_with_agent_parameters;

_Static_assert(sizeof(entry) == 136, "canonical size of memory-entry");
_Static_assert(__builtin_offsetof(entry, score) == 56, "canonical offset of score");
_Static_assert(sizeof(store_with_agent_parameters) == 88, "canonical size of the parameters");

/* result<_, string>, result<bool, string>, result<string, string>, result<list<memory-entry>, string> */
typedef struct {
    u8 is_err;
    union {
        text error, text;
        u8 flag;
        entries list;
    };
} result_4;

/* result<u64, string>, result<option<memory-entry>, string> */
typedef struct {
    u8 is_err;
    union {
        text error;
        u64 number;
        struct {
            u8 is_some;
            entry value;
        } found;
    } __attribute__((aligned(8)));
} result_8;

enum {
    CAN_GET_FOR_AGENT = 1 << 0,
    CAN_PURGE_NAMESPACE = 1 << 1,
    CAN_PURGE_SESSION = 1 << 2,
    CAN_PURGE_SESSION_FOR_AGENT = 1 << 3,
    CAN_PURGE_AGENT = 1 << 4,
    CAN_REINDEX = 1 << 5,
    CAN_STORE_PROCEDURAL = 1 << 6,
    CAN_ENSURE_AGENT_UUID = 1 << 7,
    CAN_RECALL_NAMESPACED = 1 << 8,
    CAN_EXPORT_ENTRIES = 1 << 9,
    CAN_STORE_WITH_METADATA = 1 << 10,
    CAN_EVERYTHING = (1 << 11) - 1,
};

/* Flattened parameters, and the values that they stand for. */
#define TEXT_IN(name) const u8 *name##_data, u32 name##_length
#define OPTION_TEXT_IN(name) u32 name##_is_some, const u8 *name##_data, u32 name##_length
#define OPTION_NUMBER_IN(name) u32 name##_is_some, double name##_number
#define CATEGORY_IN(name) u32 name##_tag, const u8 *name##_data, u32 name##_length
#define OPTION_CATEGORY_IN(name) u32 name##_is_some, CATEGORY_IN(name)
#define AGENTS_IN(name) u32 name##_tag, const text *name##_ids, u32 name##_count

#define TEXT_OF(name) ((text){name##_data, name##_length})
#define OPTION_TEXT_OF(name) ((option_text){(u8)name##_is_some, TEXT_OF(name)})
#define OPTION_NUMBER_OF(name) ((option_number){(u8)name##_is_some, name##_number})
#define CATEGORY_OF(name) ((category){(u8)name##_tag, TEXT_OF(name)})
#define OPTION_CATEGORY_OF(name) ((option_category){(u8)name##_is_some, CATEGORY_OF(name)})
#define AGENTS_OF(name) ((agent_filter){name##_tag, name##_ids, name##_count})

/* The head of an exported function; `EXPORT_MEMORY` adds the post-return function that frees what the call took. */
#define MEMORY_INTERFACE "zeroclaw:plugin/memory@0.1.0#"
#define INFO_INTERFACE "zeroclaw:plugin/plugin-info@0.1.0#"
#define EXPORT(name) __attribute__((export_name(name)))
#define EXPORT_INFO(name) EXPORT(INFO_INTERFACE name)
#define EXPORT_MEMORY(name, function)                                                                                  \
    EXPORT("cabi_post_" MEMORY_INTERFACE name) void function##_returned(const void *result) {                          \
        (void)result;                                                                                                  \
        arena_reset();                                                                                                 \
    }                                                                                                                  \
    EXPORT(MEMORY_INTERFACE name)
#define IMPORT(interface, name) __attribute__((import_module(interface), import_name(name)))

const result_4 *ok(void);
const result_4 *ok_flag(int flag);
const result_4 *ok_text(text value);
const result_4 *ok_entries(entries list);
const result_8 *ok_number(u64 number);
const result_8 *ok_entry(const entry *found); /* NULL: there is none */
const result_4 *error(text what);
const result_8 *error_8(text what);
const text *plain(text value);

#define OUT_OF_MEMORY TEXT("the plugin's memory is full")

#endif
