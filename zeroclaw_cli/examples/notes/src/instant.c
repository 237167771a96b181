#include "instant.h"

#include "abi.h"
#include "heap.h"

#define SECONDS_A_DAY 86400
#define LAST_SECOND 253402300799 /* 9999-12-31T23:59:59Z */
#define QUOTED_AT_MOST 64u

#ifdef NOTES_WITHOUT_CLOCK
/* A build without imports from WASI counts seconds instead, so that its rows still have an order. */
instant now(void) {
    static i64 calls;
    return (instant){1767225600 + calls++, 0};
}
#else
typedef struct {
    u64 seconds;
    u32 nanoseconds;
} datetime;

IMPORT("wasi:clocks/wall-clock@0.2.0", "now") void wall_clock_now(datetime *result);

instant now(void) {
    datetime it;
    wall_clock_now(&it);
    if (it.seconds > LAST_SECOND) return (instant){LAST_SECOND, 999999999};
    return (instant){(i64)it.seconds, it.nanoseconds};
}
#endif

int instant_compare(instant a, instant b) {
    if (a.seconds != b.seconds) return a.seconds < b.seconds ? -1 : 1;
    if (a.nanoseconds != b.nanoseconds) return a.nanoseconds < b.nanoseconds ? -1 : 1;
    return 0;
}

int in_period(period bounds, instant it) {
    return instant_compare(bounds.since, it) <= 0 && instant_compare(it, bounds.until) <= 0;
}

/* The proleptic Gregorian calendar, counted in years that begin in March so that the leap day comes last. */
static i64 days_from_date(i64 year, u32 month, u32 day) {
    year -= month <= 2;
    i64 era = (year >= 0 ? year : year - 399) / 400;
    u32 year_of_era = (u32)(year - era * 400);
    u32 day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    u32 day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static void date_from_days(u32 days, u32 *year, u32 *month, u32 *day) {
    days += 719468;
    u32 era = days / 146097, day_of_era = days % 146097;
    u32 year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    u32 day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    u32 shifted = (5 * day_of_year + 2) / 153;
    *day = day_of_year - (153 * shifted + 2) / 5 + 1;
    *month = shifted < 10 ? shifted + 3 : shifted - 9;
    *year = year_of_era + era * 400 + (*month <= 2);
}

void put_timestamp(u8 *to, instant it) {
    u32 year, month, day, second = (u32)(it.seconds % SECONDS_A_DAY);
    date_from_days((u32)(it.seconds / SECONDS_A_DAY), &year, &month, &day);
    to = put_number(to, year, 4);
    *to++ = '-';
    to = put_number(to, month, 2);
    *to++ = '-';
    to = put_number(to, day, 2);
    *to++ = 'T';
    to = put_number(to, second / 3600, 2);
    *to++ = ':';
    to = put_number(to, second / 60 % 60, 2);
    *to++ = ':';
    to = put_number(to, second % 60, 2);
    *to++ = '.';
    to = put_number(to, it.nanoseconds, 9);
    *to = 'Z';
}

typedef struct {
    const u8 *at, *end;
    int failed;
} reader;

static u32 read_digits(reader *from, u32 count) {
    u32 number = 0;
    for (; count; count--) {
        if (from->at == from->end || *from->at < '0' || *from->at > '9') {
            from->failed = 1;
            return 0;
        }
        number = number * 10 + (u32)(*from->at++ - '0');
    }
    return number;
}

static int read_letter(reader *from, u8 letter) {
    if (from->at == from->end || (*from->at | (letter >= 'a' ? 0x20 : 0)) != letter) return 0;
    from->at++;
    return 1;
}

static void expect(reader *from, u8 letter) {
    if (!read_letter(from, letter)) from->failed = 1;
}

static void require(reader *from, int condition) {
    if (!condition) from->failed = 1;
}

/* Reads what follows the point of a second; returns whether something smaller than a nanosecond is left over. */
static int read_fraction(reader *from, u32 *nanoseconds) {
    u32 digits = 0, left_over = 0;
    for (; from->at < from->end && *from->at >= '0' && *from->at <= '9'; from->at++, digits++) {
        if (digits < 9) *nanoseconds = *nanoseconds * 10 + (u32)(*from->at - '0');
        else left_over |= *from->at != '0';
    }
    require(from, digits > 0);
    for (; digits < 9; digits++) *nanoseconds *= 10;
    return left_over;
}

static i64 read_offset(reader *from) {
    if (read_letter(from, 'z')) return 0;
    int west = read_letter(from, '-');
    if (!west) expect(from, '+');
    u32 hours = read_digits(from, 2);
    expect(from, ':');
    u32 minutes = read_digits(from, 2);
    require(from, hours < 24 && minutes < 60);
    i64 offset = (i64)hours * 3600 + minutes * 60;
    return west ? -offset : offset;
}

static u32 days_in_month(u32 year, u32 month) {
    if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* `up`: what is smaller than a nanosecond is rounded up instead of down. */
static int read_instant(text source, int up, instant *result) {
    reader from = {source.data, source.data + source.length, 0};
    u32 year = read_digits(&from, 4);
    expect(&from, '-');
    u32 month = read_digits(&from, 2);
    expect(&from, '-');
    u32 day = read_digits(&from, 2);
    require(&from, month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month));
    if (!read_letter(&from, ' ')) expect(&from, 't');
    u32 hour = read_digits(&from, 2);
    expect(&from, ':');
    u32 minute = read_digits(&from, 2);
    expect(&from, ':');
    u32 second = read_digits(&from, 2);
    require(&from, hour < 24 && minute < 60 && second <= 60); /* 60: a leap second */
    u32 nanoseconds = 0;
    int left_over = read_letter(&from, '.') && read_fraction(&from, &nanoseconds);
    i64 offset = read_offset(&from);
    require(&from, from.at == from.end);
    if (from.failed) return 0;
    result->seconds = days_from_date(year, month, day) * SECONDS_A_DAY + hour * 3600 + minute * 60 + second - offset;
    if (up && left_over && ++nanoseconds == 1000000000) {
        nanoseconds = 0;
        result->seconds++;
    }
    result->nanoseconds = nanoseconds;
    return 1;
}

static text complain(text name, text value) {
    text middle = TEXT(" is not an RFC 3339 time such as 2026-01-31T12:00:00Z: ");
    u32 shown = value.length;
    if (shown > QUOTED_AT_MOST) {
        shown = QUOTED_AT_MOST;
        while ((value.data[shown] & 0xc0) == 0x80) shown--;
    }
    u8 *room = arena_allocate(name.length + middle.length + shown, 1);
    if (!room) return OUT_OF_MEMORY;
    u8 *end = put_text(put_text(put_text(room, name), middle), (text){value.data, shown});
    return (text){room, (u32)(end - room)};
}

int read_period(period *bounds, option_text since, option_text until, text *problem) {
    bounds->since = (instant){-0x7fffffffffffffff, 0};
    bounds->until = (instant){0x7fffffffffffffff, 0};
    if (since.is_some && !read_instant(since.value, 1, &bounds->since)) {
        *problem = complain(TEXT("since"), since.value);
        return 0;
    }
    if (until.is_some && !read_instant(until.value, 0, &bounds->until)) {
        *problem = complain(TEXT("until"), until.value);
        return 0;
    }
    return 1;
}
