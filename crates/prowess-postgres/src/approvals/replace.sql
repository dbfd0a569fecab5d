WITH replaced AS (UPDATE prowess.approval
SET version = $2, state = $3, expires = $4, ended = $5, entry = $6
WHERE id = $1 AND version = $7 RETURNING id, version, state, entry)
INSERT INTO prowess.approval_change (id, version, state, entry) SELECT * FROM replaced
