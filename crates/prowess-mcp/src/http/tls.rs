//! Encrypted connections.

use std::fmt;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};

use crate::ServeError;

/// The certificate and the private key of a server.
#[derive(Clone)]
pub struct HttpTls(Arc<ServerConfig>);

impl HttpTls {
    /// Reads a chain of certificates, the server's own first, and the key of the first one, both in
    /// PEM.
    ///
    /// # Errors
    ///
    /// A text contains none, or the key is not that of the certificate.
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, ServeError> {
        let chain = CertificateDer::pem_slice_iter(certificates).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(|error| ServeError::Tls(format!("the certificate: {error}")))?;
        if chain.is_empty() {
            return Err(ServeError::Tls("the certificate: there is none in PEM".to_owned()));
        }
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|error| ServeError::Tls(format!("the key: {error}")))?;
        let failed = |error: rustls::Error| ServeError::Tls(error.to_string());
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(failed)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(failed)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(Arc::new(config)))
    }

    /// Returns what makes the handshakes.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.0))
    }
}

/// Shows nothing of the key.
impl fmt::Debug for HttpTls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("HttpTls")
    }
}
