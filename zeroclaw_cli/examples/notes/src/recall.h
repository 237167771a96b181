/* Finding rows, best first. */
#ifndef NOTES_RECALL_H
#define NOTES_RECALL_H

#include "store.h"

/* At most `limit` of the selected rows that answer `query`, in the arena. 0: no memory for it. */
int recall(text query, u64 limit, const selection *wanted, entries *found);

/* Every selected row, newest or oldest first. */
int list_newest_first(u64 limit, const selection *wanted, entries *found);
int list_oldest_first(const selection *wanted, entries *found);

#endif
