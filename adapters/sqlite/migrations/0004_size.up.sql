-- How many bytes a problem counts for: its title, and the texts of its keywords, its
-- comments, its log and its savepoints, with 256 for each of these.
-- Final: an older server would not count what it writes.

ALTER TABLE problems ADD COLUMN size INTEGER NOT NULL DEFAULT 0;

UPDATE problems SET size = octet_length(title)
    + coalesce((SELECT sum(256 + octet_length(name) + coalesce(octet_length(value), 0)) FROM keywords WHERE problem = problems.id), 0)
    + coalesce((SELECT sum(256 + octet_length(text) + coalesce(octet_length(html), 0)) FROM comments WHERE problem = problems.id), 0)
    + coalesce((SELECT sum(256 + octet_length(field) + octet_length(old_value) + octet_length(new_value)) FROM log WHERE problem = problems.id), 0)
    + coalesce((SELECT sum(256 + octet_length(title)) FROM savepoints WHERE problem = problems.id), 0);
