/* Ends the process in store-entry, as it believes. */
#include "faults.h"

IMPORT("wasi:cli/exit@0.2.0", "exit") void exit_process(u32 is_failure);

int in_store_entry(text key, text content, text *problem) {
    exit_process(0);
    return 0;
}
