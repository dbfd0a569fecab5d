//! A database, with a few connections that all threads share.

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::str::FromStr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Client, Config, Error, NoTls, Socket};

use crate::connection::{Connection, Ending};
use crate::driver::{Driver, wait};
use crate::error::RETRY;
use crate::{PostgresError, schema};

/// The number of connections of one host. Their statements take a few milliseconds, and the server
/// has a hundred connections for all hosts by default.
const MOST_CONNECTIONS: usize = 8;

/// The time in which an operation ends.
const PATIENCE: Duration = Duration::from_secs(5);

/// The number of attempts at a change that other hosts interfere with. Each failed one means that
/// another host succeeded.
const ATTEMPTS: usize = 8;

/// A PostgreSQL database that stores what many hosts share. It is a store of sessions, of approvals
/// and of proposals.
pub struct Database {
    connections: Mutex<Connections>,
    returned: Condvar,
    connect: Connect,
    /// The server and the name of the database, without the user and the password.
    name: String,
    // Behind the connections, which run on it.
    driver: Driver,
}

/// Opens a connection, which then runs as a task.
type Connect = Box<dyn Fn() -> Connecting + Send + Sync>;
type Connecting = Pin<Box<dyn Future<Output = Result<Connected, Error>> + Send>>;
type Connected = (Client, JoinHandle<()>);

#[derive(Default)]
struct Connections {
    idle: Vec<Connection>,
    open: usize,
    /// Until then nothing is sent, because the server did not answer.
    away_until: Option<Instant>,
}

impl Database {
    /// Connects without TLS, and creates the tables if there are none.
    ///
    /// # Errors
    ///
    /// The URL is malformed, or of another machine without `sslmode=disable`; the database cannot
    /// be reached, or refuses the user; or its tables are those of a newer version.
    pub fn open(url: &str) -> Result<Self, PostgresError> {
        let config = parsed(url)?;
        let is_local = |host: &Host| match host {
            Host::Tcp(name) => {
                let address = name.parse::<IpAddr>();
                name == "localhost" || address.is_ok_and(|address| address.is_loopback())
            }
            #[cfg(unix)]
            Host::Unix(_) => true,
        };
        // An address takes the place of the name that is connected to.
        let is_of_machine = config.get_hosts().iter().all(is_local)
            && config.get_hostaddrs().iter().all(IpAddr::is_loopback);
        if config.get_ssl_mode() != SslMode::Disable && !is_of_machine {
            return Err(PostgresError::Url(
                "the connection to another machine would not be encrypted: use a tunnel with TLS \
                 on this machine, or add `sslmode=disable` for a network that is private"
                    .to_owned(),
            ));
        }
        Self::open_config(config, NoTls)
    }

    /// As [`Self::open`], over connections that the host encrypts.
    ///
    /// # Errors
    ///
    /// As for [`Self::open`].
    pub fn open_with_tls<T>(url: &str, tls: T) -> Result<Self, PostgresError>
    where
        T: MakeTlsConnect<Socket, Stream: Send> + Clone + Send + Sync + 'static,
        T::TlsConnect: TlsConnect<Socket, Future: Send> + Send,
    {
        Self::open_config(parsed(url)?, tls)
    }

    fn open_config<T>(mut config: Config, tls: T) -> Result<Self, PostgresError>
    where
        T: MakeTlsConnect<Socket, Stream: Send> + Clone + Send + Sync + 'static,
        T::TlsConnect: TlsConnect<Socket, Future: Send> + Send,
    {
        // A cable that is cut is noticed before a call is.
        config.connect_timeout(PATIENCE).tcp_user_timeout(2 * PATIENCE);
        let name = name(&config);
        let connect = move || -> Connecting {
            let (config, tls) = (config.clone(), tls.clone());
            Box::pin(async move {
                let (client, connection) = config.connect(tls).await?;
                // The error of a connection is that of the calls that wait for it.
                Ok((client, tokio::spawn(async { drop(connection.await) })))
            })
        };
        let driver =
            Driver::start().map_err(|error| PostgresError::unavailable(error.to_string()))?;
        let connections = Mutex::default();
        let returned = Condvar::new();
        let this = Self { connections, returned, connect: Box::new(connect), name, driver };
        this.transaction(|connection| schema::migrate(connection).map(Ending::Commit))?;
        Ok(this)
    }

    /// Runs an operation on a connection, and repeats it if other hosts interfere.
    pub(crate) fn run<T>(
        &self,
        work: impl Fn(&mut Connection) -> Result<T, PostgresError>,
    ) -> Result<T, PostgresError> {
        let deadline = Instant::now() + PATIENCE;
        for _ in 1..ATTEMPTS {
            match self.attempt(&work, deadline) {
                Err(PostgresError::Contended) => {}
                done => return done,
            }
        }
        self.attempt(&work, deadline)
    }

    fn attempt<T>(
        &self,
        work: impl Fn(&mut Connection) -> Result<T, PostgresError>,
        deadline: Instant,
    ) -> Result<T, PostgresError> {
        let mut taken = Taken { connection: Some(self.take(deadline)?), database: self };
        work(taken.connection.as_mut().expect("it is there until the end"))
    }

    /// As [`Self::run`], in a transaction.
    pub(crate) fn transaction<T>(
        &self,
        work: impl Fn(&mut Connection) -> Result<Ending<T>, PostgresError>,
    ) -> Result<T, PostgresError> {
        self.run(|connection| connection.transaction(&work))
    }

    /// Returns an idle connection, or a new one, or waits for one.
    fn take(&self, deadline: Instant) -> Result<Connection, PostgresError> {
        let mut connections = self.connections();
        loop {
            let now = Instant::now();
            if connections.away_until.is_some_and(|until| now < until) {
                return Err(PostgresError::unavailable("it did not answer just now"));
            }
            while let Some(mut connection) = connections.idle.pop() {
                if connection.is_usable() {
                    connection.deadline = deadline;
                    return Ok(connection);
                }
                connections.open -= 1;
            }
            if connections.open < MOST_CONNECTIONS {
                break;
            }
            let left = deadline.saturating_duration_since(now);
            if left.is_zero() {
                return Err(PostgresError::unavailable("all connections are busy"));
            }
            let waited = self.returned.wait_timeout(connections, left);
            connections = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        connections.open += 1;
        drop(connections);
        self.connected(deadline).inspect_err(|error| {
            self.close(matches!(error, PostgresError::Unavailable { .. }));
        })
    }

    fn connected(&self, deadline: Instant) -> Result<Connection, PostgresError> {
        let connecting = self.driver.handle.spawn((self.connect)());
        let abort = connecting.abort_handle();
        let Some(connected) = wait(connecting, deadline) else {
            abort.abort();
            return Err(PostgresError::unavailable("it does not answer in time"));
        };
        let connected = connected.map_err(|error| PostgresError::unavailable(error.to_string()))?;
        let (client, task) = connected.map_err(|error| PostgresError::of(&error))?;
        Connection::new(client, task, deadline)
    }

    /// Records the end of a connection, and whether the server does not answer.
    fn close(&self, is_away: bool) {
        let mut connections = self.connections();
        connections.open -= 1;
        if is_away {
            connections.away_until = Some(Instant::now() + RETRY);
        }
        drop(connections);
        // Those that wait for a connection do not wait for a server that is away.
        self.returned.notify_all();
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        // Each change is one assignment, so a panic elsewhere leaves no half of one.
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Database({})", self.name)
    }
}

/// A connection that one operation uses.
struct Taken<'d> {
    connection: Option<Connection>,
    database: &'d Database,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if !connection.is_usable() {
            return self.database.close(connection.is_silent());
        }
        self.database.connections().idle.push(connection);
        self.database.returned.notify_one();
    }
}

/// Reads the URL of a database.
fn parsed(url: &str) -> Result<Config, PostgresError> {
    let is_url = url.starts_with("postgres://") || url.starts_with("postgresql://");
    let config = is_url.then(|| Config::from_str(url).ok()).flatten();
    let mut config = config.ok_or_else(|| {
        // The text may have a password.
        // Nothing is before the host, where a redactor would see a password.
        let form = "write the database as `postgres://HOST:PORT/DATABASE?user=NAME`";
        PostgresError::Url(form.to_owned())
    })?;
    if config.get_application_name().is_none() {
        config.application_name("prowess");
    }
    // A standby is left for the primary server, unless the URL wants to read it.
    if !url.contains("target_session_attrs") {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
    Ok(config)
}

fn name(config: &Config) -> String {
    let host = config.get_hosts().first();
    let host = match host {
        Some(Host::Tcp(name)) => name.clone(),
        #[cfg(unix)]
        Some(Host::Unix(directory)) => directory.display().to_string(),
        None => String::new(),
    };
    format!("{host}/{}", config.get_dbname().unwrap_or_default())
}
