//! The database that many hosts share, by `--store`.

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "postgres")]
pub(crate) use opened::{audit, audit_of, database, failure, provide};

use crate::failure::Failure;
use crate::features;

/// The URL of a database, without a password.
#[derive(Clone)]
pub(crate) struct StoreUrl {
    url: String,
    #[cfg(feature = "postgres")]
    opened: std::sync::Arc<std::sync::OnceLock<std::sync::Arc<prowess_postgres::Database>>>,
    /// The audit of this host.
    #[cfg(feature = "postgres")]
    audit: std::sync::Arc<std::sync::OnceLock<std::sync::Arc<prowess_postgres::PostgresAudit>>>,
}

impl FromStr for StoreUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"));
        let rest = rest.ok_or("write `postgres://HOST:PORT/DATABASE?user=NAME`")?;
        let user = rest.split(['/', '?']).next().and_then(|it| it.rsplit_once('@'));
        if user.is_some_and(|(user, _)| user.contains(':')) || rest.contains("password=") {
            return Err(
                "every user of this machine could read a password here; set `PGPASSWORD`, \
                        or write it into the file of `PGPASSFILE`",
            );
        }
        Ok(Self {
            url: text.to_owned(),
            #[cfg(feature = "postgres")]
            opened: std::sync::Arc::default(),
            #[cfg(feature = "postgres")]
            audit: std::sync::Arc::default(),
        })
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.url)
    }
}

/// Returns an error if a command has a store that this program cannot use.
pub(crate) fn check(store: Option<&StoreUrl>, command: &str) -> Result<(), Failure> {
    let what = format!("{command} --store");
    store.map_or(Ok(()), |_| features::require("postgres", &what))
}

#[cfg(feature = "postgres")]
mod opened {
    use std::sync::Arc;

    use prowess::{ApprovalLog, RuntimeBuilder};
    use prowess_postgres::{Database, PostgresAudit, PostgresError};

    use super::StoreUrl;
    use super::password::{password, with_password};
    use crate::failure::Failure;
    use crate::secrets::redactor;

    /// Returns the database, which the first call opens. Nothing takes its place if it cannot be
    /// used.
    pub(crate) fn database(store: &StoreUrl) -> Result<Arc<Database>, Failure> {
        if let Some(database) = store.opened.get() {
            return Ok(Arc::clone(database));
        }
        let url = match password(&store.url) {
            Some(password) => with_password(&store.url, &password),
            None => store.url.clone(),
        };
        let opened = Database::open(&url).map_err(|error| failure(&error))?;
        Ok(Arc::clone(store.opened.get_or_init(|| Arc::new(opened))))
    }

    /// Adds the store to a runtime, for its sessions and approvals.
    pub(crate) fn provide(
        store: &StoreUrl,
        builder: RuntimeBuilder,
    ) -> Result<RuntimeBuilder, Failure> {
        let database = database(store)?;
        Ok(builder.session_store(Arc::clone(&database) as _).approvals(database))
    }

    /// Returns the audit of this host, by the name that its environment or the system gives it.
    pub(crate) fn audit(store: &StoreUrl) -> Result<Arc<PostgresAudit>, Failure> {
        let audit = PostgresAudit::new(database(store)?, own_name(), redactor());
        Ok(Arc::clone(store.audit.get_or_init(|| Arc::new(audit))))
    }

    /// Returns the audit of the host that has asked for an approval, or else of this host.
    pub(crate) fn audit_of(
        store: &StoreUrl,
        log: Option<&ApprovalLog>,
    ) -> Result<Arc<PostgresAudit>, Failure> {
        let host = log.and_then(|log| prowess_postgres::host_of_log(&log.location));
        let host = host.map_or_else(own_name, str::to_owned);
        Ok(Arc::new(PostgresAudit::new(database(store)?, host, redactor())))
    }

    fn own_name() -> String {
        let name = std::env::var("HOSTNAME").ok().filter(|name| !name.is_empty());
        let of_system = || rustix::system::uname().nodename().to_string_lossy().into_owned();
        name.unwrap_or_else(of_system)
    }

    pub(crate) fn failure(error: &PostgresError) -> Failure {
        let message = error.to_string();
        match error {
            PostgresError::Url(_) => Failure::usage(
                "store-invalid",
                message,
                "write `--store postgres://HOST:PORT/DATABASE?user=NAME`",
            ),
            PostgresError::Refused(_) => Failure::new(
                "store-refused",
                message,
                "follow the message; the user needs to own the database, or its schema `prowess`",
            ),
            PostgresError::Denied(_) => Failure::new(
                "store-refused",
                message,
                "name the user in the URL, and set `PGPASSWORD`, or write the password into the \
                 file of `PGPASSFILE`",
            ),
            _ => Failure::new("store-unavailable", message, "start it, or name another one"),
        }
    }
}

#[cfg(any(feature = "postgres", test))]
mod password {
    use std::fmt::Write as _;
    #[cfg(feature = "postgres")]
    use std::path::PathBuf;

    /// Returns the password of a database, from the variables and the file of PostgreSQL's own
    /// clients.
    #[cfg(feature = "postgres")]
    pub(super) fn password(url: &str) -> Option<String> {
        if let Ok(password) = std::env::var("PGPASSWORD") {
            return Some(password);
        }
        let named = std::env::var_os("PGPASSFILE").map(PathBuf::from);
        let file = named.or_else(|| Some(std::env::home_dir()?.join(".pgpass")))?;
        in_file(&std::fs::read_to_string(file).ok()?, url)
    }

    /// Returns the password of the first line `HOST:PORT:DATABASE:USER:PASSWORD` that matches a
    /// URL. `*` matches anything.
    pub(super) fn in_file(text: &str, url: &str) -> Option<String> {
        let (_, rest) = url.split_once("://")?;
        let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
        let named = options.split('&').find_map(|option| option.strip_prefix("user="));
        let user = named.unwrap_or(user);
        let (host, port) = host.rsplit_once(':').unwrap_or((host, "5432"));
        // A socket's path has no other name in the file.
        let host = if host.is_empty() || host.contains('%') { "localhost" } else { host };
        let database = if database.is_empty() { user } else { database };
        let wanted = [host, port, database, user];
        text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
            let mut fields = line.splitn(5, ':');
            let is_match = wanted
                .iter()
                .all(|wanted| fields.next().is_some_and(|field| field == "*" || field == *wanted));
            fields
                .next()
                .filter(|_| is_match)
                .map(|it| it.replace("\\:", ":").replace("\\\\", "\\"))
        })
    }

    /// Returns the URL with a password, every byte of it encoded.
    pub(super) fn with_password(url: &str, password: &str) -> String {
        let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
        let mut encoded = String::new();
        for byte in password.bytes() {
            let _ = write!(encoded, "%{byte:02X}");
        }
        let (user, rest) = match rest.split_once('@') {
            Some((user, rest)) => (user, rest),
            None => ("", rest),
        };
        format!("{scheme}://{user}:{encoded}@{rest}")
    }
}

#[cfg(test)]
mod tests {
    use super::StoreUrl;
    use super::password::{in_file, with_password};

    #[test]
    fn password_is_no_argument() {
        for url in ["postgres://u:p@h/d", "postgresql://u:@h", "postgres://u@h/d?password=p"] {
            let error = url.parse::<StoreUrl>().unwrap_err();
            assert!(error.contains("PGPASSFILE"), "{url}: {error}");
        }
        assert!("mysql://h/d".parse::<StoreUrl>().is_err());
        assert!("postgres://u@[::1]:5432/d?sslmode=disable".parse::<StoreUrl>().is_ok());
    }

    #[test]
    fn password_of_the_file_is_that_of_the_first_match() {
        let file = "# h:1:d:u:no\nh:1:other:u:no\nh:*:d:u:a\\:b\\\\c\n*:*:*:*:last:one\n";
        for (url, password) in [
            ("postgres://u@h:1/d", "a:b\\c"),
            ("postgres://u@h:1/d?sslmode=disable", "a:b\\c"),
            ("postgres://v@h:1/d", "last:one"),
            ("postgres://h:1/d?sslmode=disable&user=u", "a:b\\c"),
            ("postgres:///d", "last:one"),
        ] {
            assert_eq!(in_file(file, url).as_deref(), Some(password), "{url}");
        }
        assert_eq!(in_file("h:5432:u:u:p", "postgres://u@h").as_deref(), Some("p"));
        assert_eq!(in_file("localhost:5432:u:u:p", "postgres://u@%2Frun/u").as_deref(), Some("p"));
        assert_eq!(in_file("h:1", "postgres://u@h:1/d"), None);
        assert_eq!(with_password("postgres://u@h/d", "p@:"), "postgres://u:%70%40%3A@h/d");
    }
}
