WITH page AS MATERIALIZED (
SELECT key FROM prowess.content WHERE key > $1 ORDER BY key LIMIT $2),
unused AS MATERIALIZED (
SELECT key FROM prowess.content WHERE key = ANY (ARRAY(SELECT key FROM page))
AND NOT EXISTS (
SELECT 1 FROM prowess.session_content used WHERE used.key = content.key)
FOR UPDATE SKIP LOCKED),
deleted AS (
DELETE FROM prowess.content WHERE key = ANY (ARRAY(SELECT key FROM unused)))
SELECT key, count(*) OVER () FROM page ORDER BY key DESC LIMIT 1
