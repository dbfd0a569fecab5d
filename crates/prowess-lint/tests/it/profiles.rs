//! The severity of each finding by profile.

use prowess_core::Severity;
use prowess_format::Profile;
use prowess_lint::{codes, severity};

#[test]
fn leaving_the_package_is_an_error_for_authors_only() {
    for code in [codes::LINK_LEAVES_PACKAGE, codes::LINK_ABSOLUTE] {
        assert_eq!(severity(&code, Profile::Lenient), Some(Severity::Warning), "{code}");
        assert_eq!(severity(&code, Profile::Extended), Some(Severity::Warning), "{code}");
        assert_eq!(severity(&code, Profile::Spec), Some(Severity::Error), "{code}");
        assert_eq!(severity(&code, Profile::Strict), Some(Severity::Error), "{code}");
        assert_eq!(severity(&code, Profile::SkillsRef), None, "{code}");
    }
}

#[test]
fn lenient_profile_refuses_no_package_for_its_files() {
    let refusals = [codes::SKILLS_REF, codes::SKILLS_REF_CRASH, codes::PACKAGE_PATH_INVALID];
    for code in codes::ALL.iter().map(|entry| &entry.code).filter(|code| !refusals.contains(code)) {
        assert!(severity(code, Profile::Lenient) < Some(Severity::Error), "{code}");
    }
}

#[test]
fn a_stricter_profile_never_says_less() {
    for code in codes::ALL.iter().map(|entry| &entry.code) {
        let severities = Profile::ALL[..4].iter().map(|profile| severity(code, *profile));
        assert!(severities.is_sorted(), "{code}");
    }
}

#[test]
fn no_code_stands_for_two_things() {
    let own = codes::ALL.iter().map(|entry| entry.code.as_str());
    let formats = prowess_format::codes::ALL.iter().map(|entry| entry.code.as_str());
    let mut all: Vec<&str> = own.chain(formats).collect();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count, "each code is there once");
}
