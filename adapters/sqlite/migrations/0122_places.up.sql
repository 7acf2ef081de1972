-- On PostgreSQL, the indexes on the component and the milestone also have the number from here on. On
-- SQLite, every index has it. The steps of both stores have the same numbers, and this one changes
-- nothing.

SELECT 1;
