use prowess_core::SessionId;
use prowess_session::Boundaries;

#[test]
fn boundary_differs_by_session_and_process() {
    let [first, second] = [Boundaries::random(), Boundaries::random()];
    let (first, second) = (first.expect("randomness"), second.expect("randomness"));
    let [one, other] = ["one", "other"].map(|id| SessionId::new(id).expect("a good id"));
    assert_eq!(first.of(&one), first.of(&one), "equal from turn to turn");
    assert_ne!(first.of(&one), first.of(&other), "each session has its own");
    assert_ne!(first.of(&one), second.of(&one), "an id alone gives nothing away");
    assert_eq!(first.of(&one).as_str().len(), 16, "64 bits in hexadecimal");
}
