-- The last text at which the search for unused ones has arrived.
ALTER TABLE prowess.layout ADD COLUMN swept bytea NOT NULL DEFAULT '';
