/* The rows: an index by key, and a list in the order of time. */
#ifndef NOTES_STORE_H
#define NOTES_STORE_H

#include "abi.h"
#include "instant.h"
#include "signature.h"

/* An agent id that a row bears or that has been given out for an alias. */
typedef struct agent {
    struct agent *next;
    option_text alias;
    text id;
    u32 rows;
} agent;

/* How many bytes after its text recall may read. */
#define OVERREAD 8u

typedef struct row {
    struct row *older, *newer; /* by time, once store_newest has seen to it */
    struct row *next_in_bucket;
    u64 identity; /* stays when the row is replaced */
    u64 written;  /* counts every write, so that rows of one instant have an order */
    instant time;
    u32 hash;
    agent *agent; /* NULL: none */
    option_number importance;
    category category;
    text key, content, namespace;
    option_text session_id;
    text folded; /* key, a zero and content in lower case, for recall; OVERREAD more bytes follow */
    signature signature;
} row;

typedef struct {
    text key, content;
    category category;
    option_text session_id, namespace, agent_id;
    option_number importance;
} draft;

/* Stores a row in the place of the one with the same key and agent. 0: there is no memory for it, nothing changed. */
int store_put(const draft *it);
/* Stores messages under keys of their own, all of them or none. */
int store_messages(const message *messages, u32 count, option_text session_id);

row *store_find(text key, option_text agent_id);
row *store_find_any(text key);
u32 store_forget(text key);
void store_remove(row *it);

u32 store_count(void);
/* The ends of the list by time: follow `older` or `newer`. */
row *store_newest(void);
row *store_oldest(void);
/* Makes the index anew in the size that fits. 0: no memory for it, the old index stays. */
int store_reindex(void);
int store_is_consistent(void);

/* The id that belongs to an alias, in the arena; no data: no memory for it. */
text store_agent_id(text alias);
/* The agent of an alias, remembered; NULL: no memory for it. */
const agent *store_agent(text alias);

/* Which rows are meant; what is absent excludes nothing. */
typedef struct {
    agent_filter agents;
    option_text session_id, namespace;
    option_category category;
    period period;
} selection;

selection everything(void);
int selected(const selection *wanted, const row *it);
u32 store_purge(const selection *wanted);

/* `it` as the world shows it, partly in the arena. 0: no memory for it. */
int store_show(const row *it, option_number score, entry *shown);

#endif
