//! Texts whose bytes are not UTF-8.

use abi_stable::std_types::{RStr, RString, RVec};
use prowess_plugin_abi::text::{checked, checked_string, lossy};

/// A text that lies about its bytes.
fn forged(bytes: &[u8]) -> RString {
    // SAFETY: there is none, and that is the case: the text goes to the functions under test alone, which
    // look at its bytes.
    #[allow(unsafe_code, reason = "a plugin may do so")]
    unsafe {
        RString::from_utf8_unchecked(RVec::from(bytes.to_vec()))
    }
}

#[test]
fn text_that_is_not_utf8_is_an_error() {
    for bytes in [&b"\xff"[..], b"a\xed\xa0\x80", b"\xc0\x80", b"caf\xc3"] {
        let text = forged(bytes);
        assert!(checked(text.as_rstr()).is_err(), "{bytes:?} is borrowed");
        assert!(checked_string(text).is_err(), "{bytes:?} is owned");
    }
    assert_eq!(checked(RStr::from_str("caf\u{e9}")), Ok("caf\u{e9}"), "other text is itself");
    assert_eq!(checked_string("caf\u{e9}".into()).as_deref(), Ok("caf\u{e9}"));
}

#[test]
fn lossy_text_is_cut_at_a_character() {
    assert_eq!(lossy(forged(b"a\xffb").as_rstr(), 10), "a\u{fffd}b");
    assert_eq!(
        lossy(RStr::from_str("caf\u{e9}"), 4),
        "caf",
        "the cut goes through the last letter"
    );
    assert_eq!(lossy(RStr::from_str("caf\u{e9}"), 5), "caf\u{e9}");
    assert_eq!(lossy(RStr::from_str(""), 0), "");
}
