-- The batch of the change that made a version, an epoch or a revision, which tells it
-- from the same number in another history: after a fail-over that lost changes, or in
-- a database that was restored. NULL: none yet, or made by a server that knows only
-- numbers. Such servers can go on beside this schema. They leave an older batch where
-- it is, but each of their changes raises the number, so that no pair occurs twice
-- in one history.

ALTER TABLE versions
    ADD COLUMN catalogue_batch uuid,
    ADD COLUMN access_batch    uuid;
ALTER TABLE families ADD COLUMN batch uuid;
ALTER TABLE problems ADD COLUMN batch uuid;
