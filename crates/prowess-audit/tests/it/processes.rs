//! Two processes and one log.

use prowess_audit::verify;
use prowess_core::AuditSink;

use crate::fixture::{Place, intent};
use crate::worker::{CALLS, run};

#[test]
fn second_process_is_refused_until_the_first_ends() {
    let place = Place::new();
    let log = place.open();
    log.intend(&intent(1)).expect("there is room");
    let reports = run(&place.path, &[]);
    let refusal =
        format!("closed: the audit log `{}` is in use by another process", place.path.display());
    assert_eq!(reports, [refusal]);
    log.intend(&intent(2)).expect("there is room");
    drop(log);
    assert_eq!(run(&place.path, &[]).len() as u64, CALLS, "then it writes");
    let entries = verify(&place.path).expect("one chain").entries;
    assert_eq!(entries, 2 + 2 * CALLS, "no number is missing, none is twice");
}
