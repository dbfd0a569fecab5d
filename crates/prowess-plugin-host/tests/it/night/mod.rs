//! Tests that build plugins with other dependencies, settings or contents.

mod embedded;
mod old;
mod variants;

use prowess_testkit::PluginFlavor;

use crate::fault_table::{check_contained, check_in_process};

#[test]
fn faults_of_other_settings_in_a_separate_process_are_contained() {
    check_in_process(PluginFlavor::Foreign);
}

#[test]
fn contained_faults_of_other_settings_do_not_affect_the_host() {
    check_contained(PluginFlavor::Foreign);
}
