//! The texts, codes and facts of errors about skills.

use prowess_core::SkillError;

#[test]
fn texts_have_code_message_and_context() {
    for line in include_str!("../data/skill-errors.jsonl").lines() {
        let (error, text): (SkillError, String) = serde_json::from_str(line).expect("JSON");
        assert_eq!(error.to_string(), text);
        assert_eq!(text.split([']', ' ']).next(), Some(&*format!("[{}", error.code())));
        let stored = serde_json::to_string(&error).expect("it has no odd keys");
        let read: SkillError = serde_json::from_str(&stored).expect("it is the same type");
        assert_eq!(read, error, "it can be stored");
        let as_base: Box<dyn std::error::Error> = Box::new(error);
        assert!(as_base.downcast_ref::<SkillError>().is_some(), "one type catches all of them");
    }
}
