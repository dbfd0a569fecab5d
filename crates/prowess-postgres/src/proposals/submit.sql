INSERT INTO prowess.proposal
(skill, base, diff, justification, evidence, time) VALUES ($1, $2, $3, $4, $5, $6)
RETURNING name::text
