-- The index of parts of titles changes on PostgreSQL. The steps of both stores have the same numbers,
-- and this one changes nothing.

SELECT 1;
