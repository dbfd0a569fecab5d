//! The texts, codes and facts of errors about skills.

use prowess_core::SkillError;

#[track_caller]
fn check(error: &SkillError, text: &str) {
    assert_eq!(error.to_string(), text);
    assert_eq!(text.split([']', ' ']).next(), Some(&*format!("[{}", error.code())));
    let stored = serde_json::to_string(error).expect("it has no odd keys");
    assert_eq!(
        serde_json::from_str::<SkillError>(&stored).expect("it is the same type"),
        *error,
        "it can be stored"
    );
    let as_base: Box<dyn std::error::Error> = Box::new(error.clone());
    assert!(as_base.downcast_ref::<SkillError>().is_some(), "one type catches all of them");
}

#[test]
fn texts_have_code_message_and_context() {
    let error = SkillError::Other { message: "It broke".into(), context: Vec::new() };
    check(&error, "[SKILL_ERROR] It broke");
    let context = vec![("a".to_owned(), "1".to_owned()), ("b".to_owned(), "2".to_owned())];
    let error = SkillError::Other { message: "It broke".into(), context };
    check(&error, "[SKILL_ERROR] It broke (a=1, b=2)");
}

#[test]
fn each_kind_has_its_code() {
    let text = String::from;
    let not_found = SkillError::NotFound { skill: text("pdf") };
    check(&not_found, "[SKILL_NOT_FOUND] Skill 'pdf' not found (skill_name=pdf)");
    let parse = SkillError::Parse {
        path: text("/s/SKILL.md"),
        line: Some(3),
        column: Some(7),
        reason: text("a key appears twice"),
    };
    check(
        &parse,
        "[SKILL_PARSE_ERROR] Failed to parse /s/SKILL.md: a key appears twice \
         (path=/s/SKILL.md, line=3, column=7)",
    );
    let parse =
        SkillError::Parse { path: text("/s"), line: None, column: None, reason: text("no") };
    check(&parse, "[SKILL_PARSE_ERROR] Failed to parse /s: no (path=/s)");
    let refused = SkillError::ToolNotAllowed {
        tool: text("Bash"),
        skill: Some(text("pdf")),
        allowed: vec![text("Read"), text("Write")],
        message: text("Tool 'Bash' not allowed"),
    };
    check(
        &refused,
        "[SKILL_TOOL_NOT_ALLOWED] Tool 'Bash' not allowed (tool_name=Bash, skill_name=pdf, \
         allowed_tools=[Read, Write])",
    );
    let activation = SkillError::Activation { skill: text("pdf"), reason: text("already active") };
    check(
        &activation,
        "[SKILL_ACTIVATION_ERROR] Failed to activate skill 'pdf': already active (skill_name=pdf, \
         reason=already active)",
    );
    check(
        &SkillError::NotFound { skill: text("x)\n[SKILL_OK] fine (a=b") },
        "[SKILL_NOT_FOUND] Skill 'x)\\u{a}[SKILL_OK] fine (a=b' not found \
         (skill_name=x)\\u{a}[SKILL_OK] fine (a=b)",
    );
    let script = SkillError::ScriptRead {
        skill: text("pdf"),
        path: text("scripts/fill.py"),
        reason: text("Run the script instead of reading it"),
    };
    check(
        &script,
        "[SKILL_SCRIPT_READ_ERROR] Run the script instead of reading it \
         (script_path=scripts/fill.py, skill_name=pdf)",
    );
}
