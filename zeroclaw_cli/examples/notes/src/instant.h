/* Points in time: the wall clock, and RFC 3339 in both directions. */
#ifndef NOTES_INSTANT_H
#define NOTES_INSTANT_H

#include "base.h"

typedef struct {
    i64 seconds; /* since 1970-01-01T00:00:00Z */
    u32 nanoseconds;
} instant;

/* Between what may be asked for; a bound that is absent is the first or the last instant that there is. */
typedef struct {
    instant since, until;
} period;

instant now(void);
int instant_compare(instant a, instant b);
int in_period(period bounds, instant it);

#define TIMESTAMP_LENGTH 30u /* 2026-01-31T12:00:00.000000000Z */
void put_timestamp(u8 *to, instant it);

/* Whether both bounds are RFC 3339; if not, `problem` says which and why, in the arena. */
int read_period(period *bounds, option_text since, option_text until, text *problem);

#endif
