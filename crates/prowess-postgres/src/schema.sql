CREATE SCHEMA IF NOT EXISTS prowess;
CREATE TABLE prowess.layout (version bigint NOT NULL);
INSERT INTO prowess.layout VALUES (0);
CREATE TABLE prowess.session (
    id text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL,
    operation bigint NOT NULL,
    contents bytea NOT NULL,
    details bytea NOT NULL,
    touched bigint NOT NULL,
    expires bigint
);
CREATE INDEX session_touched ON prowess.session (touched, id);
CREATE INDEX session_expires ON prowess.session (expires) WHERE expires IS NOT NULL;
-- Texts are bytes: a text of PostgreSQL cannot have every character.
CREATE TABLE prowess.content (key bytea PRIMARY KEY, text bytea NOT NULL);
CREATE TABLE prowess.session_content (
    id text COLLATE "C" NOT NULL REFERENCES prowess.session ON DELETE CASCADE,
    key bytea NOT NULL REFERENCES prowess.content,
    PRIMARY KEY (id, key)
);
CREATE INDEX session_content_key ON prowess.session_content (key);
CREATE TABLE prowess.approval (
    id text COLLATE "C" PRIMARY KEY,
    number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    version bigint NOT NULL,
    session text NOT NULL,
    tool text NOT NULL,
    tenant text,
    state text NOT NULL,
    expires bigint,
    ended bigint,
    entry text NOT NULL
);
CREATE INDEX approval_session ON prowess.approval (session);
CREATE INDEX approval_tool ON prowess.approval (tool, tenant);
CREATE INDEX approval_ended ON prowess.approval (ended) WHERE ended IS NOT NULL;
-- Each version of each approval, stored together with it and never changed or removed.
CREATE TABLE prowess.approval_change (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    state text NOT NULL,
    entry text NOT NULL
);
CREATE TABLE prowess.audit_head (
    host text COLLATE "C" PRIMARY KEY,
    seq bigint NOT NULL,
    hash text NOT NULL
);
CREATE TABLE prowess.audit_line (
    host text COLLATE "C" NOT NULL REFERENCES prowess.audit_head,
    seq bigint NOT NULL,
    hash text NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (host, seq)
);
CREATE TABLE prowess.proposal (
    name uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    skill text NOT NULL,
    base text NOT NULL,
    diff text NOT NULL,
    justification text NOT NULL,
    evidence text,
    time bigint NOT NULL
);
