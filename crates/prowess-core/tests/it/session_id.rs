//! Tests of session ids.

use prowess_core::{SessionError, SessionId};

#[test]
fn valid_ids_are_accepted() {
    let longest = "x".repeat(SessionId::MAX_LENGTH);
    let uuid = "0198c6f2-1c3e-7d7a-9f55-3f6a4f1f0a11";
    for text in ["a", uuid, "telegram:-100123", "user@host/chat.7+a=b~c#1_2", &longest] {
        let id = SessionId::new(text).expect("the id is valid");
        assert_eq!(id.as_str(), text);
        let json = serde_json::to_string(&id).expect("an id is serializable");
        assert_eq!(
            serde_json::from_str::<SessionId>(&json).expect("the id can be deserialized"),
            id
        );
    }
}

#[test]
fn invalid_ids_are_rejected_without_echo() {
    let long = "secret".repeat(200_000);
    let cases = [
        ("", "a session id is not empty; choose 1 to 128 characters"),
        (
            &*long,
            "a session id has at most 128 bytes and this one has 1200000; choose a shorter one",
        ),
        (
            "secret\u{1b}[2J",
            "character 7 of the session id is not allowed; use ASCII letters, digits and `-_.:@/+=~#`",
        ),
        (
            "secr\u{202e}et",
            "character 5 of the session id is not allowed; use ASCII letters, digits and `-_.:@/+=~#`",
        ),
    ];
    for (text, message) in cases {
        let error = SessionId::new(text).expect_err("it is a bad id");
        assert_eq!(error.to_string(), message);
        assert_eq!(error.code(), "session-id-invalid");
        let json = serde_json::to_string(text).expect("a text is serializable");
        let stored = serde_json::from_str::<SessionId>(&json);
        let stored = stored.expect_err("what is stored is checked too").to_string();
        assert!(!stored.contains("secret"), "{stored}");
    }
}

#[test]
fn logs_do_not_have_random_ids() {
    let random = "0123456789abcdef0123456789abcdef";
    let id = SessionId::new(random).expect("it is a good id");
    let name = id.log_name();
    assert_eq!(
        name,
        format!("session-{}", &prowess_core::Digest::of(random.as_bytes()).to_string()[7..23])
    );
    assert_eq!(id.log_name(), name, "it names one session");
    let message = SessionError::NotFound(id.clone()).to_string();
    assert!(message.contains(&*name) && !message.contains(random), "{message}");
    for named in ["talk", "0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef0123456789abcde"] {
        let id = SessionId::new(named).expect("it is a good id");
        assert_eq!(id.log_name(), named, "the host has named it");
    }
}

#[test]
fn messages_show_the_start_of_a_long_id() {
    let id = SessionId::new("x".repeat(128)).expect("the id is valid");
    let message = SessionError::NotFound(id).to_string();
    assert_eq!(message, format!("there is no session `{}…`; open a new one", "x".repeat(48)));
    let whole = "x".repeat(48);
    let message = SessionError::NotFound(SessionId::new(&*whole).expect("it is a good id"));
    assert_eq!(message.to_string(), format!("there is no session `{whole}`; open a new one"));
}
