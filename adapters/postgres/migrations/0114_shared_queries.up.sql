-- Saved queries that everybody sees, and their columns.

ALTER TABLE queries ADD COLUMN columns text COLLATE "C";
ALTER TABLE queries ADD COLUMN shared boolean NOT NULL DEFAULT false;
CREATE INDEX queries_shared ON queries (shared);
