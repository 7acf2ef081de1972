-- The feed: one row for each change that published events, in one series of numbers.
-- The body is JSON; size is how many bytes it counts for. The feed begins here: what
-- happened before has no entry.
-- Final: an older server would publish nothing, and leave gaps in the feed.

CREATE TABLE feed (
    number bigint NOT NULL PRIMARY KEY,
    batch  uuid   NOT NULL,
    size   bigint NOT NULL,
    body   text   COLLATE "C" NOT NULL
);

-- The entries without a number. A commit cannot take one: a slow commit would leave a
-- gap behind the readers. So a reader moves the entries that it sees into the feed, in
-- the order of their positions, while it holds the row of feed_head.
CREATE TABLE pending (
    position bigint NOT NULL PRIMARY KEY,
    batch    uuid   NOT NULL,
    size     bigint NOT NULL,
    body     text   COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_threshold = -1);

CREATE TABLE feed_head (
    id     smallint NOT NULL PRIMARY KEY CHECK (id = 1),
    number bigint   NOT NULL
) WITH (fillfactor = 10);

INSERT INTO feed_head (id, number) VALUES (1, 0);
