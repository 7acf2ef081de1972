-- The names of tokens, and when they were last used.

ALTER TABLE tokens ADD COLUMN name TEXT;
ALTER TABLE tokens ADD COLUMN last_use INTEGER;
