-- Background: without them, a search for what was resolved lately, or for problems without a
-- priority, looks at all problems.

CREATE INDEX problems_resolved ON problems (resolved, resolver) WHERE resolved IS NOT NULL;

CREATE INDEX problems_without_priority ON problems (id) WHERE priority IS NULL;
