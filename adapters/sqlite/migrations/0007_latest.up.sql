-- A list shows the latest changes first: of all open problems, or of those of one
-- assignee. It begins in these indexes, one state after the other. The list of one
-- assignee is sorted by priority first: its index has all that the search reads.

CREATE INDEX problems_state_modified ON problems (state, modified DESC);
CREATE INDEX problems_assignee_modified ON problems (assignee, state, modified DESC, priority, revision);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('problems', 'problems_state_modified', '1000000 200000 1'),
    ('problems', 'problems_assignee_modified', '1000000 2000 400 1 1 1');
