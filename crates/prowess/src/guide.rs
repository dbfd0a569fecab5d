#![doc = include_str!("guide/items.txt")]
#![doc = include_str!("guide/README.md")]
// The first definition of a link counts: the pages lead to files, and `items.txt` to items instead.

#[doc = include_str!("guide/items.txt")]
#[doc = include_str!("guide/async_hosts.md")]
pub mod async_hosts {}

#[doc = include_str!("guide/items.txt")]
#[doc = include_str!("guide/authoring.md")]
pub mod authoring {}

#[doc = include_str!("guide/items.txt")]
#[doc = include_str!("guide/differences.md")]
pub mod differences {}

#[doc = include_str!("guide/items.txt")]
#[doc = include_str!("guide/embedding.md")]
pub mod embedding {}

#[doc = include_str!("guide/items.txt")]
#[doc = include_str!("guide/migrating.md")]
pub mod migrating {}

#[doc = include_str!("guide/items.txt")]
#[doc = include_str!("guide/operating.md")]
pub mod operating {}

#[doc = include_str!("guide/items.txt")]
#[doc = include_str!("guide/security.md")]
pub mod security {}

#[doc = include_str!("guide/items.txt")]
#[doc = include_str!("guide/sources.md")]
pub mod sources {}

#[doc = include_str!("guide/items.txt")]
#[doc = include_str!("guide/stores.md")]
pub mod stores {}

#[doc = include_str!("guide/items.txt")]
#[doc = include_str!("guide/traces.md")]
pub mod traces {}
