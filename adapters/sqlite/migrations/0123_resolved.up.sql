-- Without them, a search for what was resolved lately, or for problems without a priority, looks at
-- all problems.

CREATE INDEX problems_resolved ON problems (resolved, resolver) WHERE resolved IS NOT NULL;
CREATE INDEX problems_without_priority ON problems (priority) WHERE priority IS NULL;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('problems', 'problems_resolved', '800000 1 1'),
    ('problems', 'problems_without_priority', '10000 10000');
