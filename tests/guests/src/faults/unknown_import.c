/* Imports an interface that nobody serves. */
#include "faults.h"

IMPORT("acme:net/raw@1.0.0", "open") void open_raw(void);

int in_recall(u64 limit, entries *found) {
    open_raw();
    return 0;
}
