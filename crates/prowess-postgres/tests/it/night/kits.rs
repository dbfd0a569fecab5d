//! The rules of the stores.

use std::path::PathBuf;
use std::sync::Arc;

use prowess_core::ProposalStore;
use prowess_postgres::Database;
use prowess_testkit::{
    OpenedProposals, PostgresServer, ProposalFixture, check_approval_store, check_proposal_store,
    check_store,
};

#[test]
fn database_keeps_every_rule() {
    let server = PostgresServer::start();
    let database = Database::open(&server.database()).unwrap();
    let report = check_store(&database);
    assert!(report.is_passed(), "{report}");
    let report = check_approval_store(&database);
    assert!(report.is_passed(), "{report}");
    let directory = tempfile::tempdir().unwrap();
    let fixture = Proposals { server: Arc::new(server), directory: directory.path().to_owned() };
    let report = check_proposal_store(&fixture);
    assert!(report.is_passed(), "{report}");
}

struct Proposals {
    server: Arc<PostgresServer>,
    directory: PathBuf,
}

impl ProposalFixture for Proposals {
    fn open(&self) -> OpenedProposals {
        let url = self.server.database();
        let store: Arc<dyn ProposalStore> = Arc::new(Database::open(&url).unwrap());
        let (server, kept_in) = (Arc::clone(&self.server), url.clone());
        let kept = move || {
            let select = "SELECT name || '|' || to_json(concat_ws(' ', skill, base, diff, \
                          justification, evidence)) FROM prowess.proposal";
            let rows = server.query(&kept_in, select);
            let rows = rows.lines().filter_map(|line| line.split_once('|'));
            rows.map(|(name, text)| (name.to_owned(), text.replace("\\n", "\n"))).collect()
        };
        let server = Arc::clone(&self.server);
        let while_failing = move |run: &(dyn Fn() + Sync)| {
            server.query(&url, "ALTER TABLE prowess.proposal RENAME TO away");
            run();
            server.query(&url, "ALTER TABLE prowess.away RENAME TO proposal");
        };
        OpenedProposals {
            store,
            kept: Box::new(kept),
            while_failing: Box::new(while_failing),
            directory: self.directory.clone(),
        }
    }
}
