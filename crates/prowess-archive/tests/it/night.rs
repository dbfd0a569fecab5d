//! Archives of programs that are not everywhere.

use std::fs;

use prowess_archive::{Archive, File};

use crate::harmless::{check_program, repository, run};

#[test]
fn archives_of_tar_are_read() {
    let place = repository();
    check_program(&place, "tar", &["-czf", "-", "pdf"]);
    check_program(&place, "tar", &["--format=pax", "-czf", "-", "pdf"]);
    check_program(&place, "tar", &["-cf", "-", "pdf"]);
}

#[test]
fn tar_reads_packed_archives() {
    let script = File::new("b.sh", "#!/bin/sh\n").executable();
    let packed = Archive::new(vec![script]).unwrap().to_tar_gz();
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("a.tar.gz"), packed).unwrap();
    run(place.path(), "tar", &["-xzf", "a.tar.gz"]);
    assert_eq!(fs::read(place.path().join("b.sh")).unwrap(), b"#!/bin/sh\n");
}
