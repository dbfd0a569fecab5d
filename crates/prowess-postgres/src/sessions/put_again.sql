UPDATE prowess.session SET version = $3, operation = $4, details = $5,
expires = CASE WHEN touched <= $6 THEN $7 ELSE expires END, touched = greatest(touched, $6)
WHERE id = $1 AND operation = $2 AND contents = $8
