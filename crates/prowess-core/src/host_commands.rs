//! The steps of a host that messages name.

use std::borrow::Cow;

/// The steps of a person in a host, as messages name them: its commands, buttons or pages. By
/// default they name none, since a library does not know the program that it is a part of.
///
/// Each is a clause that begins with a verb. `{}` stands for an id, or for a path as a shell reads
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostCommands {
    /// Trusts the folder `{}`, so that the skills of a project are offered.
    pub trust_folder: Cow<'static, str>,
    /// Offers the skill `{}` of an agent: its id, and behind an `@` a part of its files' digest.
    pub review_skill: Cow<'static, str>,
    /// Trusts the file `{}` of a plugin.
    pub trust_plugin: Cow<'static, str>,
    /// Trusts the file of a plugin that is older than one that was trusted.
    pub trust_older_plugin: Cow<'static, str>,
    /// Trusts the public key of a plugin's owner.
    pub trust_plugin_key: Cow<'static, str>,
    /// Installs a skill that a lock file names.
    pub install: Cow<'static, str>,
    /// Finds out what is wrong on this machine, such as why it starts no script.
    pub diagnose: Cow<'static, str>,
}

impl HostCommands {
    /// Those of the program `prowess`, for it and for hosts whose users have it.
    pub const PROWESS: Self = Self {
        trust_folder: Cow::Borrowed("run `prowess trust {}`"),
        review_skill: Cow::Borrowed("run `prowess trust --skill {}`"),
        trust_plugin: Cow::Borrowed("run `prowess plugin trust {}`"),
        trust_older_plugin: Cow::Borrowed("run `prowess plugin trust FILE --allow-older`"),
        trust_plugin_key: Cow::Borrowed("run `prowess plugin trust --key FILE.pub`"),
        install: Cow::Borrowed("run `prowess sync` to install it"),
        diagnose: Cow::Borrowed("run `prowess doctor`"),
    };

    /// Returns a clause about a path or an id.
    pub fn about(clause: &str, path: &str) -> String {
        clause.replace("{}", path)
    }
}

impl Default for HostCommands {
    fn default() -> Self {
        Self {
            trust_folder: Cow::Borrowed("trust the folder {} in this program"),
            review_skill: Cow::Borrowed("offer {} in this program"),
            trust_plugin: Cow::Borrowed("trust the file {} in this program"),
            trust_older_plugin: Cow::Borrowed("trust the older file itself"),
            trust_plugin_key: Cow::Borrowed("trust the key in this program"),
            install: Cow::Borrowed("install it again"),
            diagnose: Cow::Borrowed("check the setup of this program"),
        }
    }
}
