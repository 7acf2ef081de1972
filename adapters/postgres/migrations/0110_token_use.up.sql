-- The names of tokens, and when they were last used.

ALTER TABLE tokens ADD COLUMN name text COLLATE "C";
ALTER TABLE tokens ADD COLUMN last_use bigint;
