INSERT INTO prowess.session
(id, version, operation, contents, details, touched, expires)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING
