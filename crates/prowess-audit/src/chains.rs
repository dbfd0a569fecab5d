//! The chains of several hosts, as one log in the order of time.

use jiff::Timestamp;

use crate::VerifyError;
use crate::chain::{self, Head, Sealed};
use crate::verify::{Found, Position, next};

/// Passes the entries of all chains to `visit`, each chain in its own order, and the earliest of
/// their next entries first: a session goes on with any host. The chains are checked like files,
/// which have the names of their hosts here.
pub(crate) fn walk_chains<L: Iterator<Item = String>>(
    chains: impl IntoIterator<Item = (String, L)>,
    visit: &mut dyn FnMut(Found),
) -> Result<(), VerifyError> {
    let begin = |(host, lines)| {
        let (last, next, broken) = (Head::empty(), None, None);
        let mut chain = Chain { host, lines, last, next, broken };
        chain.next = chain.read();
        chain
    };
    let mut chains: Vec<_> = chains.into_iter().map(begin).collect();
    loop {
        let open = chains.iter_mut().filter(|chain| chain.next.is_some());
        let time = |chain: &&mut Chain<L>| chain.next.as_ref().and_then(|(time, _)| *time);
        let Some(earliest) = open.min_by_key(time) else { break };
        let next = earliest.read();
        if let Some((_, found)) = std::mem::replace(&mut earliest.next, next) {
            visit(found);
        }
    }
    chains.into_iter().find_map(|chain| chain.broken).map_or(Ok(()), Err)
}

struct Chain<L> {
    host: String,
    lines: L,
    last: Head,
    /// The next entry, with its time.
    next: Option<(Option<Timestamp>, Found)>,
    broken: Option<VerifyError>,
}

impl<L: Iterator<Item = String>> Chain<L> {
    fn read(&mut self) -> Option<(Option<Timestamp>, Found)> {
        loop {
            let line = self.lines.next()?;
            let (head, entry) = match next(&self.last, line.as_bytes()) {
                Ok(Sealed { head, entry, .. }) => (head, entry),
                Err(problem) => {
                    let line_number = usize::try_from(self.last.seq + 1).unwrap_or(usize::MAX);
                    let file = self.host.clone().into();
                    let broken = VerifyError::Broken { file, line: line_number, problem };
                    self.broken.get_or_insert(broken);
                    let Some(read) = chain::read(line.as_bytes()) else { continue };
                    read
                }
            };
            self.last = head;
            let time = entry["timestamp"].as_str().and_then(|time| time.parse().ok());
            let (is_proven, position) = (self.broken.is_none(), Position::default());
            return Some((time, Found { head, entry, is_proven, position }));
        }
    }
}
