-- The feed: one row for each change that published events, in one series of numbers.
-- The body is JSON; size is how many bytes it counts for. The feed begins here: what
-- happened before has no entry.
-- Final: an older server would publish nothing, and leave gaps in the feed.

CREATE TABLE feed (
    number INTEGER NOT NULL PRIMARY KEY,
    batch  TEXT    NOT NULL,
    size   INTEGER NOT NULL,
    body   TEXT    NOT NULL
) STRICT;
