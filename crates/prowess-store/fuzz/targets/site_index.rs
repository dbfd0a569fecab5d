//! An index that is accepted is written and read again as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_format::index::SkillIndex;

fuzz_target!(|bytes: &[u8]| {
    let Ok(read) = SkillIndex::read(bytes) else { return };
    let again = SkillIndex::read(read.index.to_json().as_bytes()).expect("it can be read again");
    assert_eq!(again.index, read.index);
    assert!(again.left_out.is_empty(), "{:?}", again.left_out);
});
