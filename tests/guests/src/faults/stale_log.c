/* Was built against a world whose log-record takes a message alone. */
#include "faults.h"

#include "log.h"

IMPORT("zeroclaw:plugin/logging@0.1.0", "log-record") void log_message(u32 level, TEXT_IN(message));

void log_line(u32 level, u32 action, text function, text what) { log_message(level, what.data, what.length); }
