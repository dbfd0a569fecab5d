//! Resolves collisions: several skills with one id.

use prowess_core::{Availability, Code, Diagnostic, Record, RecordIndex, Severity, Trust};
use prowess_format::codes::{NAME_FROM_DIRECTORY, NAME_NOT_PORTABLE, NAME_RELAXED};

use super::{Resolution, rank};
use crate::codes;
use crate::policy::{Collision, IdFrom};

/// The findings about names that are not written as the id.
const REPAIRS: [Code; 3] = [NAME_FROM_DIRECTORY, NAME_NOT_PORTABLE, NAME_RELAXED];

impl Resolution<'_> {
    /// Resolves each group, in the order of ids, so that findings have a stable order.
    pub(super) fn resolve_collisions(&mut self) {
        let groups = std::mem::take(&mut self.groups);
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_cached_key(|(holder, _)| self.builder.record(*holder).id().to_owned());
        for (holder, mut group) in groups {
            let rules = self.input.rules;
            group.sort_by_cached_key(|&at| {
                let record = self.builder.record(at);
                rank(record, self.repairs(record), rules)
            });
            let winner = group[0];
            if winner != holder {
                self.builder.supersede(holder, winner);
            }
            match rules.policy.collision {
                Collision::Shadow => self.shadow_all(winner, &group[1..]),
                Collision::Disambiguate => self.disambiguate(winner, &group[1..]),
                Collision::Error => self.reject_all(winner, &group[1..]),
            }
        }
    }

    /// Returns how far the id of a record is from what is written: 0 if it is the name, 1 if it is
    /// that of the directory, and 2 if it was made from a name in another writing.
    fn repairs(&self, record: Record<'_>) -> u8 {
        let is_given = self.given_name(record).is_some();
        if is_given || self.input.rules.policy.id_from == IdFrom::Directory {
            return 0;
        }
        let package = record.package();
        let findings = self.input.scans.sources[record.index().source()].records.findings();
        let mut of_record = findings.filter(|(of, _)| *of == Some(package.as_str()));
        let is_repaired = record.name() != record.id()
            || of_record.any(|(_, found)| REPAIRS.contains(&found.code));
        let is_of_directory = package.as_str().rsplit('/').next() == Some(record.id());
        u8::from(is_repaired) + u8::from(is_repaired && !is_of_directory)
    }

    fn shadow_all(&mut self, winner: RecordIndex, losers: &[RecordIndex]) {
        // Another name in the same layer is another skill, although both make one id.
        let (others, same): (Vec<_>, Vec<_>) =
            losers.iter().partition(|&&loser| self.is_another_name(winner, loser));
        for loser in same {
            self.shadow_one(winner, loser);
        }
        self.disambiguate(winner, &others);
    }

    fn is_another_name(&self, winner: RecordIndex, loser: RecordIndex) -> bool {
        let [one, other] = [winner, loser].map(|at| self.builder.record(at));
        let spelled = |record: Record<'_>| {
            let name = self.given_name(record).unwrap_or(record.name());
            name.to_lowercase().replace(['_', ' '], "-")
        };
        one.layer().name == other.layer().name && spelled(one) != spelled(other)
    }

    /// Returns the name that the host has given to a record, whatever its own name is.
    fn given_name(&self, record: Record<'_>) -> Option<&str> {
        let name = self.input.rules.names.get(record.index().source())?.as_deref();
        name.filter(|name| *name == record.id())
    }

    fn shadow_one(&mut self, winner: RecordIndex, loser: RecordIndex) {
        if self.are_copies(winner, loser) {
            return self.shadow_copy(winner, loser);
        }
        let reason = used_instead(self.builder.record(winner));
        match self.is_placed(winner, loser) {
            // The source of the package reports what differs.
            true => self.shadow(loser, &reason),
            false => self.shadow_for(loser, &reason),
        }
    }

    /// Returns whether one of two records is at a place of the other, where it has to stay.
    fn is_placed(&self, one: RecordIndex, other: RecordIndex) -> bool {
        let [one, other] = [one, other].map(|at| self.builder.record(at));
        self.input.copies.is_placed([one, other])
    }

    pub(super) fn shadow_for(&mut self, loser: RecordIndex, reason: &str) {
        let finding = shadowed(self.builder.record(loser), reason);
        self.shadow(loser, reason);
        self.builder.diagnose(finding);
    }

    /// Excludes a copy as shadowed, without a warning. One directory that is reached by two paths,
    /// such as by the links that installers make for each client, is not even a hint.
    fn shadow_copy(&mut self, winner: RecordIndex, copy: RecordIndex) {
        let records = [winner, copy].map(|at| self.builder.record(at));
        if self.input.copies.are_one_directory(records) {
            return self.shadow(copy, &same_directory(records[0]));
        }
        let reason = used_instead(records[0]) + "; both have the same `SKILL.md`";
        let finding = copied(records[1], records[0]);
        let is_placed = self.is_placed(winner, copy);
        self.shadow(copy, &reason);
        if !is_placed {
            self.builder.diagnose(finding);
        }
    }

    fn disambiguate(&mut self, winner: RecordIndex, losers: &[RecordIndex]) {
        let mut shown = vec![winner];
        for &loser in losers {
            if let Some(&first) = shown.iter().find(|&&first| self.are_copies(first, loser)) {
                self.shadow_copy(first, loser);
                continue;
            }
            let id = self.distinct_id(&shown, loser);
            let record = self.builder.record(loser);
            if record.trust() == Trust::Untrusted && self.reservation_of(record, &id).is_some() {
                self.shadow_one(winner, loser);
                continue;
            }
            let finding = renamed(self.builder.record(loser), &id, self.builder.record(winner));
            match self.builder.show_as(loser, &id) {
                Ok(()) => self.builder.diagnose(finding),
                // Another skill has the same text as its id, and keeps it.
                Err(_) => self.shadow_one(winner, loser),
            }
            shown.push(loser);
        }
    }

    /// Returns `layer:id` if no earlier record is in the same layer, otherwise `source:id` if no
    /// earlier one is of the same source, otherwise a numbered id.
    fn distinct_id(&self, before: &[RecordIndex], at: RecordIndex) -> String {
        let record = self.builder.record(at);
        let layer = |record: Record<'_>| record.layer().name.to_string();
        let source = |record: Record<'_>| record.source().to_owned();
        let id = record.id();
        for qualifier in [&layer as &dyn Fn(Record<'_>) -> String, &source] {
            let own = qualifier(record);
            let is_taken = before.iter().any(|&other| {
                let other = self.builder.record(other);
                layer(other) == own || source(other) == own
            });
            if !is_taken {
                return format!("{own}:{id}");
            }
        }
        let number = before
            .iter()
            .filter(|&&other: &&RecordIndex| layer(self.builder.record(other)) == layer(record))
            .count()
            + 1;
        format!("{}:{id}#{number}", layer(record))
    }

    /// Rejects all records with the same trust as the winner. Records with lower trust do not
    /// affect a trusted skill.
    fn reject_all(&mut self, winner: RecordIndex, losers: &[RecordIndex]) {
        let is_untrusted = |at| matches!(self.builder.record(at).trust(), Trust::Untrusted);
        let is_contested = losers.iter().any(|&loser| {
            is_untrusted(loser) == is_untrusted(winner) && !self.are_copies(winner, loser)
        });
        let reason = used_instead(self.builder.record(winner));
        for &loser in losers {
            if !is_contested && self.are_copies(winner, loser) {
                self.shadow_copy(winner, loser);
            } else {
                let other = self.builder.record(winner).location();
                self.reject(loser, &other, &reason);
            }
        }
        if is_contested {
            let other = self.builder.record(losers[0]).location();
            self.reject(winner, &other, "another skill has its id, and neither is used");
        }
    }

    fn reject(&mut self, at: RecordIndex, other: &str, reason: &str) {
        let finding = collision(self.builder.record(at), other);
        self.builder.exclude(at, Availability::Rejected, reason);
        self.builder.diagnose(finding);
    }

    fn are_copies(&self, one: RecordIndex, other: RecordIndex) -> bool {
        self.input.copies.are_same(&self.builder, [one, other])
    }
}

pub(super) fn same_directory(first: Record<'_>) -> String {
    format!("it is the same directory as `{}`", first.location())
}

fn used_instead(winner: Record<'_>) -> String {
    format!("`{}` of layer `{}` is used instead", winner.location(), winner.layer().name)
}

fn shadowed(loser: Record<'_>, reason: &str) -> Diagnostic {
    let message = format!("skill `{}` is shadowed: {reason}", loser.id());
    let help = "rename or remove one of the two, or move the one that you want to a higher layer";
    Diagnostic::new(codes::SKILL_SHADOWED, Severity::Warning, message, help)
        .in_file(loser.location())
}

fn copied(copy: Record<'_>, winner: Record<'_>) -> Diagnostic {
    let message = format!(
        "skill `{}` has the same `SKILL.md` as `{}`, which is used",
        copy.id(),
        winner.location()
    );
    let help = "remove one of the two";
    Diagnostic::new(codes::SKILL_COPY, Severity::Hint, message, help).in_file(copy.location())
}

fn renamed(loser: Record<'_>, id: &str, winner: Record<'_>) -> Diagnostic {
    let message =
        format!("skill `{}` is offered as `{id}`: `{}` has its id", loser.id(), winner.location());
    let help = "rename one of the two to choose its id yourself";
    Diagnostic::new(codes::SKILL_RENAMED, Severity::Hint, message, help).in_file(loser.location())
}

fn collision(record: Record<'_>, other: &str) -> Diagnostic {
    let message = format!("skill `{}` is not used: `{other}` has its id too", record.id());
    let help = "rename or remove one of the two";
    Diagnostic::new(codes::SKILL_COLLISION, Severity::Error, message, help)
        .in_file(record.location())
}
