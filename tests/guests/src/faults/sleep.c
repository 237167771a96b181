/* Sleeps for an hour in recall. */
#include "faults.h"

IMPORT("wasi:clocks/monotonic-clock@0.2.0", "subscribe-duration") u32 subscribe_duration(u64 nanoseconds);
IMPORT("wasi:io/poll@0.2.0", "[method]pollable.block") void block(u32 pollable);
IMPORT("wasi:io/poll@0.2.0", "[resource-drop]pollable") void drop_pollable(u32 pollable);

int in_recall(u64 limit, entries *found) {
    u32 pollable = subscribe_duration(3600ull * 1000000000);
    block(pollable);
    drop_pollable(pollable);
    return 0;
}
