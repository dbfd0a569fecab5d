WITH moved AS (UPDATE prowess.audit_head SET seq = $3, hash = $4
WHERE host = $1 AND seq = $2 RETURNING host)
INSERT INTO prowess.audit_line (host, seq, hash, line)
SELECT host, lines.* FROM moved, unnest($5::bigint[], $6::text[], $7::text[]) AS lines
