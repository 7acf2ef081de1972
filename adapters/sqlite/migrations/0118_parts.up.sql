-- PostgreSQL has an index of the parts of texts from here on, as SQLite since step 0117. The steps of
-- both stores have the same numbers, and this one changes nothing.

SELECT 1;
