-- Saved queries that everybody sees, and their columns.

ALTER TABLE queries ADD COLUMN columns TEXT;
ALTER TABLE queries ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
CREATE INDEX queries_shared ON queries (shared);
