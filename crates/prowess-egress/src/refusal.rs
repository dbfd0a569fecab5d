//! Refused connections, and the reasons.

/// The kind of a [`Refusal`], to branch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalKind {
    /// The host is not granted.
    HostNotGranted,
    /// The host is granted, and its address is one of a private network.
    PrivateAddress,
    /// The first message of TLS names another host, or hides its name.
    ServerNameMismatch,
    /// A connection by `CONNECT` does not begin with TLS.
    NotTls,
    /// The request cannot be read, or is of a kind that is not served.
    RequestInvalid,
    /// A limit of the traffic is reached.
    TrafficLimit,
    /// The host has no address, does not answer, or has no valid certificate.
    HostUnreachable,
    /// The answer to a request with a secret is compressed or partial, so the secret in it cannot
    /// be found.
    AnswerEncoded,
}

impl RefusalKind {
    /// Every kind.
    #[rustfmt::skip]
    pub const ALL: [Self; 8] = [
        Self::HostNotGranted, Self::PrivateAddress, Self::ServerNameMismatch, Self::NotTls,
        Self::RequestInvalid, Self::TrafficLimit, Self::HostUnreachable, Self::AnswerEncoded,
    ];

    /// Returns the stable code that users see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HostNotGranted => "host-not-granted",
            Self::PrivateAddress => "host-address-private",
            Self::ServerNameMismatch => "server-name-mismatch",
            Self::NotTls => "connection-not-tls",
            Self::RequestInvalid => "proxy-request-invalid",
            Self::TrafficLimit => "traffic-limit",
            Self::HostUnreachable => "host-unreachable",
            Self::AnswerEncoded => "answer-encoded",
        }
    }

    /// Returns the reason and the next step, for the process and its author.
    pub fn help(self) -> &'static str {
        match self {
            Self::HostNotGranted => {
                "the operator has not granted this host; go on without it, or ask for the grant"
            }
            Self::PrivateAddress => {
                "the name leads to a private network; the operator has to name the host for that"
            }
            Self::ServerNameMismatch => {
                "connect to the host that TLS is to reach, and do not hide its name"
            }
            Self::NotTls => "use `https`, or a request for `http://`",
            Self::RequestInvalid => {
                "send one HTTP/1.1 request of a known length, to the whole URL of the host"
            }
            Self::TrafficLimit => "transfer less, or ask the operator for a higher limit",
            Self::HostUnreachable => "check the name and the certificate, and try again later",
            Self::AnswerEncoded => {
                "the host compresses or cuts its answers; ask it for whole and plain ones"
            }
        }
    }

    /// Returns the status and its text of an answer in HTTP.
    pub(crate) fn status(self) -> &'static str {
        match self {
            Self::HostNotGranted | Self::PrivateAddress | Self::ServerNameMismatch => {
                "403 Forbidden"
            }
            Self::NotTls | Self::RequestInvalid => "400 Bad Request",
            Self::TrafficLimit => "429 Too Many Requests",
            Self::HostUnreachable | Self::AnswerEncoded => "502 Bad Gateway",
        }
    }
}

/// A connection that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The reason.
    pub kind: RefusalKind,
    /// The host that the process has named, such as `example.com:443`: untrusted text of at most
    /// 300 bytes. Empty if it has named none.
    pub host: String,
}
