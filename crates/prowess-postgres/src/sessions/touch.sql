UPDATE prowess.session SET
expires = CASE WHEN touched <= $2 THEN $3 ELSE expires END, touched = greatest(touched, $2)
WHERE id = $1
