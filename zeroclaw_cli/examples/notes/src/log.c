#include "log.h"

#include "abi.h"

enum { OUTCOME_SUCCESS };

/* An absent option comes flattened too: zeros in the place of its value. */
IMPORT("zeroclaw:plugin/logging@0.1.0", "log-record")
void log_record(u32 level, TEXT_IN(function), u32 action, u32 outcome_is_some, u32 outcome, u32 duration_is_some,
                u64 duration_ms, OPTION_TEXT_IN(attrs), TEXT_IN(message));

void log_line(u32 level, u32 action, text function, text what) {
    log_record(level, function.data, function.length, action, 1, OUTCOME_SUCCESS, 0, 0, 0, NULL, 0, what.data,
               what.length);
}
