-- The batch of the change that made a version, an epoch or a revision, which tells it
-- from the same number in another history: after a fail-over that lost changes, or in
-- a database that was restored. NULL: none yet, or made by a server that knows only
-- numbers. Such servers can go on beside this schema. They leave an older batch where
-- it is, but each of their changes raises the number, so that no pair occurs twice
-- in one history.

ALTER TABLE versions ADD COLUMN catalogue_batch TEXT;
ALTER TABLE versions ADD COLUMN access_batch TEXT;
ALTER TABLE families ADD COLUMN batch TEXT;
ALTER TABLE problems ADD COLUMN batch TEXT;

-- The directed families, each with a row from now on (D7).
INSERT INTO families (type, epoch) VALUES (200, 0), (300, 0), (400, 0), (500, 0), (600, 0)
    ON CONFLICT (type) DO NOTHING;
