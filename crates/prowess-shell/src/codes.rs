//! The codes of shell commands that do not run, and of skills that are not mounted. The page of
//! codes lists them.

prowess_core::declare_codes! {
    /// The command is longer than the limit.
    COMMAND_TOO_LONG = "command-too-long";
    /// Another command of the session runs, and did not end in time.
    SHELL_BUSY = "shell-busy";
    /// The shell did not end at its deadline, or broke down. The session's files are dropped.
    SHELL_LOST = "shell-lost";
    /// The session's files made room for those of other sessions. Nothing ran.
    SANDBOX_DROPPED = "sandbox-dropped";
    /// Too many commands did not end at their deadlines and still run, or those of other sessions
    /// use the memory, or no process starts for it, so no further one starts.
    SHELL_EXHAUSTED = "shell-exhausted";
    /// The skill's id or one of its files cannot be a path, or it has too many files.
    SKILL_NOT_MOUNTED = "skill-not-mounted";
}
