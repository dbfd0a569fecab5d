//! Stored texts of skills, models and logs change nothing but the text of a page.

use prowess_testkit::{hostile_texts, invisible_in};
use prowess_web::PAGE_BYTES;

use crate::fixture::{PATHS, Server, memory};

/// Markup that a text must not become.
const PAYLOADS: &str = "<script>alert(1)</script>¦<img src=x onerror=alert(1)>¦<svg onload=alert(1)>¦\
    <form action=//evil.example><button>¦<input name=decision value=always>¦\
    <meta http-equiv=refresh content=0>¦<base href=//evil.example>¦\
    <style>*{display:none}</style>¦<link rel=stylesheet href=//evil.example>¦<!-- ¦\
    <![CDATA[¦&lt;b&gt;&#60;b&#62;¦ onfocus=alert(1) autofocus x=¦javascript:alert(1)¦\
    <?xml version='1.0'?><!DOCTYPE x>¦{{7*7}}${7*7}<%= 7 %>¦\
    %3Cscript%3E\r\nSet-Cookie: a=b\r\n\r\n<b>";

/// Ends of what a text may be inside of.
const ENDS: [&str; 11] =
    ["", "\"", "'", "\">", "'>", "</p>", "</code></li></ul>", "</pre>", "--></title>", "`>", "\0>"];

#[test]
fn shape_of_every_page_stays() {
    let server = Server::start(memory());
    let set = |text: &str| *server.memory.text.lock().unwrap() = Some(text.to_owned());
    set("x");
    let plain: Vec<_> = PATHS.split(' ').map(|path| server.get(path).shape()).collect();
    let payloads = |end| PAYLOADS.split('¦').map(move |payload| format!("{end}{payload}"));
    let own = ENDS.iter().flat_map(payloads);
    let texts: Vec<_> = own.chain(hostile_texts()).filter(|text| !text.is_empty()).collect();
    assert!(texts.len() >= 200, "{} texts", texts.len());
    for text in texts.iter().filter(|text| text.len() < 2_000) {
        set(text);
        for (path, plain) in PATHS.split(' ').zip(&plain) {
            let page = server.get(path);
            assert_eq!(page.shape(), *plain, "{path} with {text:?}");
            assert_eq!(invisible_in(page.body()), None, "{path} with {text:?}");
            assert!(page.body().len() <= PAGE_BYTES, "{path} with {text:?}");
        }
    }
    set(&format!("a{}b\u{a0}", " ".repeat(3_800)));
    for path in
        PATHS.split(' ').filter(|path| ["/appr", "/prop"].iter().any(|it| path.starts_with(it)))
    {
        let body = server.get(path).body().to_owned();
        assert!(body.contains("a[3800 × U+0020]b[1 × U+00A0]"), "{path}: {body}");
    }
}
