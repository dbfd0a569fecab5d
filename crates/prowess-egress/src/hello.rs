//! The first message of TLS ([RFC 8446], section 4.1.2), as far as the name of the server.
//!
//! [RFC 8446]: https://www.rfc-editor.org/rfc/rfc8446

use crate::host::host_name;

/// The type of a record with a handshake, and of the first message of one.
const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
/// The longest record, with room for what encryption adds.
const MOST_RECORD: usize = (1 << 14) + 256;
/// Extensions: the name of the server, and two that hide it.
const SERVER_NAME: u16 = 0;
const ENCRYPTED_HELLO: u16 = 0xfe0d;
const ENCRYPTED_NAME: u16 = 0xffce;

/// The meaning of the first bytes of a connection.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Hello {
    /// The message has not ended.
    Incomplete,
    NotTls,
    /// The name may be another one than the message says.
    Hidden,
    /// The name of the server, if the message has one.
    Of(Option<String>),
}

/// Reads the first bytes of a connection.
pub(crate) fn read(bytes: &[u8]) -> Hello {
    match message(bytes) {
        Ok(Some(message)) => name(&message).unwrap_or(Hello::NotTls),
        Ok(None) => Hello::Incomplete,
        Err(NotTls) => Hello::NotTls,
    }
}

struct NotTls;

/// Returns the message, which may be in several records; `None` if it has not ended.
fn message(mut bytes: &[u8]) -> Result<Option<Vec<u8>>, NotTls> {
    let mut message = Vec::new();
    loop {
        if let [kind, a, b, c, body @ ..] = message.as_slice() {
            if *kind != CLIENT_HELLO {
                return Err(NotTls);
            }
            let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
            if let Some(body) = body.get(..length) {
                return Ok(Some(body.to_vec()));
            }
        }
        let [kind, major, _, high, low, rest @ ..] = bytes else {
            // The first byte says already whether it can be TLS.
            let is_other = bytes.first().is_some_and(|&kind| kind != HANDSHAKE);
            return if is_other { Err(NotTls) } else { Ok(None) };
        };
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        if *kind != HANDSHAKE || *major != 3 || length == 0 || length > MOST_RECORD {
            return Err(NotTls);
        }
        let Some((record, rest)) = rest.split_at_checked(length) else { return Ok(None) };
        message.extend_from_slice(record);
        bytes = rest;
    }
}

/// Returns the name of the server in a message; `None` if it is no such message.
fn name(message: &[u8]) -> Option<Hello> {
    let mut rest = message;
    // The version and the random bytes; then the session, the ciphers and the compression.
    take(&mut rest, 34)?;
    take_vector(&mut rest, 1)?;
    take_vector(&mut rest, 2)?;
    take_vector(&mut rest, 1)?;
    if rest.is_empty() {
        return Some(Hello::Of(None));
    }
    let mut extensions = take_vector(&mut rest, 2)?;
    let mut found = None;
    while !extensions.is_empty() {
        let kind = u16::try_from(number(&mut extensions, 2)?).ok()?;
        let content = take_vector(&mut extensions, 2)?;
        match kind {
            ENCRYPTED_HELLO | ENCRYPTED_NAME => return Some(Hello::Hidden),
            SERVER_NAME if found.is_some() => return Some(Hello::Hidden),
            SERVER_NAME => found = Some(server_name(content)?),
            _ => {}
        }
    }
    Some(Hello::Of(found))
}

/// Returns the only name of a list.
fn server_name(mut content: &[u8]) -> Option<String> {
    let mut list = take_vector(&mut content, 2)?;
    let is_host = number(&mut list, 1)? == 0;
    let name = take_vector(&mut list, 2)?;
    let name = std::str::from_utf8(name).ok().and_then(host_name)?;
    (is_host && list.is_empty() && content.is_empty()).then_some(name)
}

fn take<'b>(bytes: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn number(bytes: &mut &[u8], length: usize) -> Option<usize> {
    let digits = take(bytes, length)?;
    Some(digits.iter().fold(0, |number, &digit| number << 8 | usize::from(digit)))
}

/// Takes bytes whose length comes first, in this many bytes.
fn take_vector<'b>(bytes: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let length = number(bytes, length)?;
    take(bytes, length)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use rustls::ClientConnection;
    use rustls::pki_types::ServerName;

    use super::*;

    /// Returns the first message of a real client.
    fn message_for(name: &str) -> Vec<u8> {
        let config = crate::tls::config(None).expect("the versions are known");
        let name = ServerName::try_from(name.to_owned()).expect("it is a name");
        let mut client = ClientConnection::new(Arc::clone(&config), name).expect("it is complete");
        let mut bytes = Vec::new();
        client.write_tls(&mut bytes).expect("it is in memory");
        bytes
    }

    #[test]
    fn name_of_a_real_client_is_read() {
        assert_eq!(
            read(&message_for("Api.Example.com")),
            Hello::Of(Some("api.example.com".into()))
        );
        assert_eq!(read(&message_for("127.0.0.1")), Hello::Of(None), "addresses have no names");
    }

    #[test]
    fn beginning_is_incomplete_at_every_length() {
        let message = message_for("example.com");
        for length in 0..message.len() {
            assert_eq!(read(&message[..length]), Hello::Incomplete, "{length} bytes");
        }
    }

    #[test]
    fn message_in_several_records_is_read() {
        let message = message_for("example.com");
        let records = message[5..].chunks(7).flat_map(|part| {
            let length = u8::try_from(part.len()).expect("it is short");
            [&[22, 3, 1, 0, length][..], part].concat()
        });
        assert_eq!(read(&records.collect::<Vec<_>>()), Hello::Of(Some("example.com".into())));
    }

    /// Returns a message with these extensions, each a type and its content.
    fn with_extensions(extensions: &[(u16, &[u8])]) -> Vec<u8> {
        let vector = |content: &[u8]| {
            let length = u16::try_from(content.len()).expect("it is short").to_be_bytes();
            [&length, content].concat()
        };
        let list: Vec<_> = extensions
            .iter()
            .flat_map(|(kind, content)| [kind.to_be_bytes().to_vec(), vector(content)].concat())
            .collect();
        let body = [&[3; 34][..], &[0], &vector(&[19, 1]), &[1, 0], &vector(&list)].concat();
        let length = u16::try_from(body.len()).expect("it is short").to_be_bytes();
        let message = [&[1, 0][..], &length, &body].concat();
        [&[22, 3, 1][..], &vector(&message)].concat()
    }

    const NAME: &[u8] = b"\0\x06\0\0\x03a.b";

    #[test]
    fn hidden_and_repeated_names_are_refused() {
        let check = |extensions: &[(u16, &[u8])], expected: Hello| {
            assert_eq!(read(&with_extensions(extensions)), expected, "{extensions:?}");
        };
        check(&[(0, NAME)], Hello::Of(Some("a.b".into())));
        check(&[], Hello::Of(None));
        check(&[(0, NAME), (0xfe0d, b"inner")], Hello::Hidden);
        check(&[(0xffce, b"inner"), (0, NAME)], Hello::Hidden);
        check(&[(0, NAME), (0, NAME)], Hello::Hidden);
        // Two names in one list, a type of name that is not known, and no name at all.
        check(&[(0, b"\0\x0c\0\0\x03a.b\0\0\x03c.d")], Hello::NotTls);
        check(&[(0, b"\0\x06\x01\0\x03a.b")], Hello::NotTls);
        check(&[(0, b"\0\x04\0\0\x01 ")], Hello::NotTls);
    }

    #[test]
    fn other_protocols_are_no_tls() {
        for bytes in [&b"GET / HTTP/1.1"[..], b"SSH-2.0-x", b"\x16\x02\0\0\x01a", b"\x16\x03\0\0\0"]
        {
            assert_eq!(read(bytes), Hello::NotTls, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            read(&bytes);
            let record = [&[22, 3, 1, 1, 0, 1, 0, 0, 200][..], &bytes].concat();
            read(&record);
        }

        #[test]
        fn changed_message_is_read(at in 0_usize..200, byte: u8) {
            let mut message = message_for("example.com");
            let at = at % message.len();
            message[at] = byte;
            read(&message);
        }
    }
}
