//! The rows of the table of faults whose plugin has other compiler settings.

use prowess_testkit::PluginFlavor;

use crate::fault_table::{check_contained, check_in_process};

#[test]
fn faults_in_a_separate_process_are_contained() {
    check_in_process(PluginFlavor::Foreign);
}

#[test]
fn contained_faults_do_not_affect_the_host() {
    check_contained(PluginFlavor::Foreign);
}
