//! Each proposal is delivered to a channel once.

use std::fs;
use std::time::Duration;

use prowess_core::{Clock as _, Timestamp};
use prowess_governance::{Delivery, StoredProposal, review_codes};
use prowess_testkit::ManualClock;

use crate::review::Place;

/// A channel that is down for a day, with the clock of its host, receives each proposal once.
#[test]
fn deliveries_are_repeated_until_received() {
    let place = Place::new();
    place.propose("-Save the form.\n+Save it.\n").unwrap();
    let (mut attempts, mut received) = (Vec::new(), Vec::new());
    let (clock, minute, day) = (ManualClock::default(), Duration::from_secs(60), 24 * 60);
    for half_minute in 0..4 * day {
        // A program that starts again each time.
        let channel = place.proposals.channel("https://example.com/hook").unwrap();
        let mut channel = channel.expect("no other program delivers");
        let is_up = half_minute >= 2 * day;
        if half_minute == 2 * 60 {
            place.propose("-Save the form.\n+Keep it.\n").unwrap();
        }
        let deliver = |proposal: &StoredProposal| {
            attempts.push(proposal.name.clone());
            received.extend(is_up.then(|| proposal.name.clone()));
            if is_up { Delivery::Received } else { Delivery::Failed }
        };
        let next = channel.deliver(&clock, deliver).unwrap();
        assert_eq!(next.is_none(), is_up && received.len() == 2);
        clock.advance(minute / 2);
    }
    assert_eq!(received.len(), 2, "each is received once");
    assert_ne!(received[0], received[1]);
    assert!(attempts.len() < 100, "the pauses grow: {}", attempts.len());
    let mut other = place.proposals.channel("another").unwrap().unwrap();
    let delivered = other.deliver(&clock, |_| Delivery::Received).unwrap();
    assert_eq!(delivered, None, "a channel knows nothing of others");
}

#[test]
fn pause_begins_at_the_end_of_an_attempt() {
    let place = Place::new();
    place.propose("-Save the form.\n+Save it.\n").unwrap();
    let clock = ManualClock::default();
    let mut channel = place.proposals.channel("hook").unwrap().unwrap();
    let slow = |_: &StoredProposal| {
        clock.advance(Duration::from_secs(30));
        Delivery::Failed
    };
    let next = channel.deliver(&clock, slow).unwrap();
    assert_eq!(next, Some(Timestamp(clock.now().0 + 1_000)));
    channel.deliver(&clock, |_| panic!("it is not due")).unwrap();
    clock.advance(Duration::from_secs(1));
    let stopped = channel.deliver(&clock, |_| Delivery::Stopped).unwrap();
    assert_eq!(stopped, next, "what was not attempted is left as it was");
    assert_eq!(channel.deliver(&clock, |_| Delivery::Received).unwrap(), None);
}

#[test]
fn one_program_at_a_time_delivers_to_a_channel() {
    let place = Place::new();
    place.propose("-Save the form.\n+Save it.\n").unwrap();
    let held = place.proposals.channel("hook").unwrap();
    assert!(held.is_some());
    assert!(place.proposals.channel("hook").unwrap().is_none(), "it is held");
    assert!(place.proposals.channel("another").unwrap().is_some(), "others go on");
    drop(held);
    assert!(place.proposals.channel("hook").unwrap().is_some());
}

/// Whatever is in the notes, the channel delivers, and says what it has lost.
#[test]
fn damaged_notes_are_written_again() {
    let place = Place::new();
    place.propose("-Save the form.\n+Save it.\n").unwrap();
    let clock = ManualClock::default();
    let notes = || {
        let entries = fs::read_dir(place.tree.join("proposals/notified")).unwrap();
        let mut paths = entries.map(|entry| entry.unwrap().path());
        paths.find(|path| path.extension().is_some_and(|it| it == "json")).unwrap()
    };
    let deliver = || {
        let mut channel = place.proposals.channel("hook").unwrap().unwrap();
        let mut count = 0;
        let next = channel.deliver(&clock, |_| {
            count += 1;
            Delivery::Received
        });
        assert_eq!(next.unwrap(), None);
        (count, channel.finding().map(|found| found.code.clone()))
    };
    assert_eq!(deliver(), (1, None));
    let whole = fs::read_to_string(notes()).unwrap();
    let far = whole.replace("true", "false").replace("\"next\":0", "\"next\":99999999999999");
    let damaged = Some(review_codes::DELIVERY_NOTES_DAMAGED);
    for (text, count, finding) in [
        (&whole[..whole.len() / 2], 1, damaged.clone()),
        ("", 1, damaged.clone()),
        ("[1]", 1, damaged.clone()),
        (&*" ".repeat(9 << 20), 1, damaged),
        (&*far, 1, None),
        (&*whole, 0, None),
    ] {
        fs::write(notes(), text).unwrap();
        assert_eq!(deliver(), (count, finding), "{}", &text[..text.len().min(90)]);
        assert_eq!(deliver(), (0, None), "the notes are whole again");
    }
}
