//! Points in time as people read them: `2026-11-22T01:40:00Z`.

use jiff::Timestamp as Moment;
use prowess_core::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

pub(super) fn serialize<S: Serializer>(time: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
    let moment = i64::try_from(time.0).ok().and_then(|time| Moment::from_millisecond(time).ok());
    let moment = moment.ok_or_else(|| ser::Error::custom("the time is out of range"))?;
    to.collect_str(&moment)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
    let moment: Moment = String::deserialize(from)?.parse().map_err(de::Error::custom)?;
    let time = u64::try_from(moment.as_millisecond()).map_err(de::Error::custom)?;
    Ok(Timestamp(time))
}

/// The same for a time that may be missing.
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
