//! Serializes timestamps in RFC 3339: `2026-11-22T01:40:00Z`.

use jiff::Timestamp as DateTime;
use prowess_core::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

pub(super) fn serialize<S: Serializer>(time: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
    let date_time =
        i64::try_from(time.0).ok().and_then(|time| DateTime::from_millisecond(time).ok());
    let date_time = date_time.ok_or_else(|| ser::Error::custom("the time is out of range"))?;
    to.collect_str(&date_time)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
    let date_time: DateTime = String::deserialize(from)?.parse().map_err(de::Error::custom)?;
    let time = u64::try_from(date_time.as_millisecond()).map_err(de::Error::custom)?;
    Ok(Timestamp(time))
}

/// The same for an optional timestamp.
pub(super) mod option {
    use super::{Deserialize, Deserializer, Serialize, Serializer, Timestamp};

    #[derive(Serialize, Deserialize)]
    struct Written(#[serde(with = "super")] Timestamp);

    pub(crate) fn serialize<S: Serializer>(
        time: &Option<Timestamp>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(Written).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        let written = Option::<Written>::deserialize(from)?;
        Ok(written.map(|Written(time)| time))
    }
}
