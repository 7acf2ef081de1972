-- The token behind a change and a comment.

ALTER TABLE log ADD COLUMN via TEXT;
ALTER TABLE comments ADD COLUMN via TEXT;
