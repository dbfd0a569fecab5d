CREATE TABLE approval (
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    entry TEXT NOT NULL,
    session TEXT AS (entry ->> '$.session'),
    tool TEXT AS (entry ->> '$.request.tool')
) STRICT, WITHOUT ROWID;
CREATE INDEX approval_session ON approval (session);
CREATE INDEX approval_tool ON approval (tool);
CREATE TABLE session (
    id TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    operation INTEGER NOT NULL,
    contents BLOB NOT NULL,
    details BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE last_use (
    id TEXT PRIMARY KEY REFERENCES session ON DELETE CASCADE,
    touched INTEGER NOT NULL,
    expires INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX last_use_touched ON last_use (touched, id);
CREATE INDEX last_use_expires ON last_use (expires) WHERE expires IS NOT NULL;
CREATE TABLE content (
    number INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL
) STRICT;
CREATE TABLE session_content (
    id TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
    key BLOB NOT NULL REFERENCES content (key),
    PRIMARY KEY (id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_content_key ON session_content (key);
