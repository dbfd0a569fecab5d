UPDATE prowess.session SET version = $2, operation = $3, contents = $4,
details = $5, expires = CASE WHEN touched <= $6 THEN $7 ELSE expires END,
touched = greatest(touched, $6) WHERE id = $1
