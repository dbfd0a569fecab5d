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
    /// An argument is longer than a process may have.
    ARGUMENT_TOO_LONG = "argument-too-long";
    /// The working directory of a call is no directory of the package.
    WORKING_DIRECTORY_NOT_FOUND = "working-directory-not-found";
    /// The package cannot be copied for the script.
    PACKAGE_NOT_COPIED = "package-not-copied";
    /// All places for scripts are in use, and none became free in time.
    SCRIPTS_BUSY = "scripts-busy";
    /// The script's process was lost while it ran.
    SCRIPT_LOST = "script-lost";
    /// A secret of the operator cannot be read, or its grant is incomplete.
    SECRET_UNAVAILABLE = "secret-unavailable";
    /// The script has asked for a host that is not granted.
    HOST_NOT_GRANTED = "host-not-granted";
    /// The script has asked for a granted host whose address is one of a private network.
    HOST_ADDRESS_PRIVATE = "host-address-private";
    /// The script has connected to a granted host and named another one in TLS, or has hidden it.
    SERVER_NAME_MISMATCH = "server-name-mismatch";
    /// The script has connected to a granted host without TLS.
    CONNECTION_NOT_TLS = "connection-not-tls";
    /// The script has sent a request that the proxy cannot read, or does not serve.
    PROXY_REQUEST_INVALID = "proxy-request-invalid";
    /// The script has reached a limit of its traffic.
    TRAFFIC_LIMIT = "traffic-limit";
    /// A granted host has compressed or cut its answer to a request with a secret.
    ANSWER_ENCODED = "answer-encoded";
    /// A granted host has no address, does not answer, or has no valid certificate.
    HOST_UNREACHABLE = "host-unreachable";
}
