//! The user of this process.

use std::fs;

use rustix::process::getuid;

/// Returns the name of the user and the id, as the system knows them: variables of the environment
/// are not asked, because they can name anybody.
pub(crate) fn user() -> String {
    let id = getuid().as_raw();
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    match name(&users, id) {
        Some(name) => format!("{name} (uid {id})"),
        None => format!("uid {id}"),
    }
}

/// Returns the name of a user in the format of `/etc/passwd`.
fn name(users: &str, id: u32) -> Option<&str> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty())?;
        (fields.nth(1)?.parse() == Ok(id)).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_that_of_the_id() {
        let users = "root:x:0:0:root:/root:/bin/sh\n:x:7:\n# ada\nada:x:1000:1000::/home/ada:\n";
        for (id, expected) in [(0, Some("root")), (1000, Some("ada")), (7, None), (1, None)] {
            assert_eq!(name(users, id), expected, "{id}");
        }
    }
}
