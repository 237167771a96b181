//! Points in time, and RFC 3339.

use std::fmt;

const DAY: i64 = 86_400;
const NANOSECONDS: u32 = 1_000_000_000;
/// 9999-12-31T23:59:59Z, the last one that RFC 3339 can write.
const LAST_SECOND: u64 = 253_402_300_799;
/// 1970-01-01, in days since 0001-01-01.
const EPOCH: i64 = 719_162;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant {
    seconds: i64,
    nanoseconds: u32,
}

impl Instant {
    /// Of a clock that counts from 1970.
    pub fn since_1970(seconds: u64, nanoseconds: u32) -> Instant {
        Instant { seconds: seconds.min(LAST_SECOND) as i64, nanoseconds }
    }

    /// A bound that rows are not before: what is smaller than a nanosecond is rounded up.
    pub fn earliest(name: &str, text: Option<String>) -> Result<Option<Instant>, String> {
        Instant::bound(name, text, true)
    }

    /// A bound that rows are not after: what is smaller than a nanosecond is cut off.
    pub fn latest(name: &str, text: Option<String>) -> Result<Option<Instant>, String> {
        Instant::bound(name, text, false)
    }

    fn bound(name: &str, text: Option<String>, round_up: bool) -> Result<Option<Instant>, String> {
        text.map(|text| read(&text, round_up).ok_or_else(|| format!("{name} is not an RFC 3339 time: {text}")))
            .transpose()
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date(self.seconds.div_euclid(DAY));
        let second = self.seconds.rem_euclid(DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let nanoseconds = self.nanoseconds;
        write!(to, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanoseconds:09}Z")
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to the first of January.
fn new_year(year: i64) -> i64 {
    let before = year - 1;
    365 * before + before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400) - EPOCH
}

fn date(days: i64) -> (i64, i64, i64) {
    // Never a later year than it is, since no year has more days; `now` gives none before 1970.
    let mut year = 1970 + days.div_euclid(366);
    while new_year(year + 1) <= days {
        year += 1;
    }
    let (mut month, mut day) = (1, days - new_year(year) + 1);
    while day > days_in_month(year, month) {
        day -= days_in_month(year, month);
        month += 1;
    }
    (year, month, day)
}

/// Reads a text from the left; every step is None where the text is not as it must be.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn digit(&mut self) -> Option<i64> {
        let first = *self.0.first().filter(|byte| byte.is_ascii_digit())?;
        self.0 = &self.0[1..];
        Some(i64::from(first - b'0'))
    }

    fn number(&mut self, digits: u32) -> Option<i64> {
        (0..digits).try_fold(0, |number, _| Some(number * 10 + self.digit()?))
    }

    fn one_of(&mut self, bytes: &[u8]) -> Option<u8> {
        let first = *self.0.first().filter(|byte| bytes.contains(byte))?;
        self.0 = &self.0[1..];
        Some(first)
    }

    /// Nanoseconds, and whether something smaller is left over.
    fn fraction(&mut self) -> Option<(u32, bool)> {
        let (mut nanoseconds, mut unit, mut left_over) = (0, NANOSECONDS, false);
        if self.one_of(b".").is_none() {
            return Some((0, false));
        }
        let mut next = Some(self.digit()?);
        while let Some(digit) = next {
            unit /= 10;
            nanoseconds += digit as u32 * unit;
            left_over |= unit == 0 && digit != 0;
            next = self.digit();
        }
        Some((nanoseconds, left_over))
    }

    /// Seconds east of UTC.
    fn offset(&mut self) -> Option<i64> {
        let sign = match self.one_of(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hours = self.number(2).filter(|hours| *hours < 24)?;
        self.one_of(b":")?;
        let minutes = self.number(2).filter(|minutes| *minutes < 60)?;
        Some(sign * (hours * 3600 + minutes * 60))
    }
}

fn read(text: &str, round_up: bool) -> Option<Instant> {
    let mut from = Reader(text.as_bytes());
    let year = from.number(4)?;
    from.one_of(b"-")?;
    let month = from.number(2).filter(|month| (1..=12).contains(month))?;
    from.one_of(b"-")?;
    let day = from.number(2).filter(|day| (1..=days_in_month(year, month)).contains(day))?;
    from.one_of(b"Tt ")?;
    let hour = from.number(2).filter(|hour| *hour < 24)?;
    from.one_of(b":")?;
    let minute = from.number(2).filter(|minute| *minute < 60)?;
    from.one_of(b":")?;
    // 60: a leap second.
    let second = from.number(2).filter(|second| *second <= 60)?;
    let (mut nanoseconds, left_over) = from.fraction()?;
    let offset = from.offset()?;
    if !from.0.is_empty() {
        return None;
    }
    let days = new_year(year) + (1..month).map(|month| days_in_month(year, month)).sum::<i64>() + day - 1;
    let mut seconds = days * DAY + hour * 3600 + minute * 60 + second - offset;
    if round_up && left_over {
        nanoseconds += 1;
        seconds += i64::from(nanoseconds / NANOSECONDS);
        nanoseconds %= NANOSECONDS;
    }
    Some(Instant { seconds, nanoseconds })
}
