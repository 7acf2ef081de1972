-- What users prefer in the pages.

ALTER TABLE users ADD COLUMN preferences TEXT;
