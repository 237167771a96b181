/*
 * Where a test guest may do something wrong. guest.c calls these hooks; chosen_fault.c or a file of faults/ defines them.
 * A hook that returns 1 gives the answer itself.
 */
#ifndef GUESTS_FAULTS_H
#define GUESTS_FAULTS_H

#include "abi.h"

#define MEBIBYTE (1u << 20)

void in_capabilities(void);
void in_health_check(void);
/* `problem` is what store-entry then answers as its err. */
int in_store_entry(text key, text content, text *problem);
int in_recall(u64 limit, entries *found);
int in_list(entries *found);
int in_get(text key, entry *found);
/* Changes an entry that is about to be returned. */
void in_result(entry *shown);

/* An entry with all its texts empty but the content. */
entry bare_entry(text content);

#endif
