WITH asked AS (INSERT INTO prowess.approval
(id, version, state, expires, ended, entry, session, tool, tenant)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING
RETURNING id, version, state, entry)
INSERT INTO prowess.approval_change (id, version, state, entry) SELECT * FROM asked
