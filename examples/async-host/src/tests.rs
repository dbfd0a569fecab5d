//! One chat over a real connection.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Sends one request and returns the status and the body.
fn request(server: SocketAddr, method: &str, path: &str, body: &str) -> io::Result<(u16, String)> {
    let mut connection = TcpStream::connect(server)?;
    write!(
        connection,
        "{method} {path} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Ok((status.expect("an answer has a status"), body.to_owned()))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_loads_a_skill_and_has_it_in_its_prompt() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = crate::runtime()?;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let server = listener.local_addr()?;
    let serving =
        tokio::spawn(async move { axum::serve(listener, crate::server::router(runtime)).await });
    tokio::task::spawn_blocking(move || chat(server)).await??;
    serving.abort();
    Ok(())
}

fn chat(server: SocketAddr) -> io::Result<()> {
    let send = |method, path, body: &str| request(server, method, path, body);
    let load = json!({"name": "skills_load", "arguments": {"names": ["skill-writing"]}});

    let (status, message) = send("GET", "/chats/42/prompt", "")?;
    assert_eq!(status, 404, "the chat is not open: {message}");
    assert_eq!(send("PUT", "/chats/42", "")?.0, 200);
    assert_eq!(send("PUT", "/chats/42", "")?.0, 409, "an id is opened once");

    let (_, before) = send("GET", "/chats/42/prompt", "")?;
    assert!(before.contains("<available_skills>") && !before.contains("# Writing a skill"));
    let (status, result) = send("POST", "/chats/42/calls", &load.to_string())?;
    let result: Value = serde_json::from_str(&result)?;
    assert_eq!((status, &result["is_error"]), (200, &json!(false)), "{result}");
    let (_, after) = send("GET", "/chats/42/prompt", "")?;
    assert!(after.contains("# Writing a skill"), "the loaded body is in the next prompt");

    let connect = json!({"name": "connect", "arguments": {"address": server.to_string()}});
    let (_, result) = send("POST", "/chats/42/calls", &connect.to_string())?;
    assert!(result.contains("can be reached"), "{result}");

    assert_eq!(send("DELETE", "/chats/42", "")?.0, 200);
    assert_eq!(send("POST", "/chats/42/calls", &load.to_string())?.0, 404, "the chat is closed");
    Ok(())
}
