-- The token behind a change and a comment.

ALTER TABLE log ADD COLUMN via uuid;
ALTER TABLE comments ADD COLUMN via uuid;
