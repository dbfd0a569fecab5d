//! The codes of scripts that are not started. The page of codes lists them.

prowess_core::declare_codes! {
    /// The script needs the approval of a person, and the call has none.
    SCRIPT_NOT_TRUSTED = "script-not-trusted";
    /// The program that runs such scripts is not installed.
    INTERPRETER_MISSING = "interpreter-missing";
    /// Neither the extension nor the first line of a script says what runs it.
    INTERPRETER_UNKNOWN = "interpreter-unknown";
    /// A variable of a call would choose which code the script loads, or is no valid variable.
    ENVIRONMENT_NOT_ALLOWED = "environment-not-allowed";
    /// The working directory of a call is no directory of the package.
    WORKING_DIRECTORY_NOT_FOUND = "working-directory-not-found";
    /// The package cannot be copied for the script.
    PACKAGE_NOT_COPIED = "package-not-copied";
    /// All places for scripts are in use, and none became free in time.
    SCRIPTS_BUSY = "scripts-busy";
    /// The script's process was lost while it ran.
    SCRIPT_LOST = "script-lost";
}
