-- Tokens that sign in once.

ALTER TABLE tokens ADD COLUMN invitation INTEGER NOT NULL DEFAULT 0;
