/* A guest without faults. A file of faults/ that defines one of these takes its place. */
#include "faults.h"

#define HOOK __attribute__((weak))

HOOK void in_capabilities(void) {}
HOOK void in_health_check(void) {}
HOOK int in_store_entry(text key, text content, text *problem) { return 0; }
HOOK int in_recall(u64 limit, entries *found) { return 0; }
HOOK int in_list(entries *found) { return 0; }
HOOK int in_get(text key, entry *found) { return 0; }
HOOK void in_result(entry *shown) {}
