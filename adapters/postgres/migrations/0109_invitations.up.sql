-- Tokens that sign in once.

ALTER TABLE tokens ADD COLUMN invitation boolean NOT NULL DEFAULT false;
