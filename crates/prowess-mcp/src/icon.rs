//! The icon of the server, which clients show next to its name.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::Icon;

/// A card with a check mark, in the color of the text around it.
const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\" fill=\"none\" \
    stroke=\"currentColor\" stroke-width=\"1.5\"><rect x=\"2\" y=\"2\" width=\"12\" height=\"12\" \
    rx=\"2\"/><path d=\"m5 8 2 2 4-4\"/></svg>";

/// Returns the icon. It is part of the message, so no client fetches anything.
pub(crate) fn icon() -> Icon {
    let data = format!("data:image/svg+xml;base64,{}", STANDARD.encode(SVG));
    Icon::new(data).with_mime_type("image/svg+xml").with_sizes(vec!["any".to_owned()])
}
