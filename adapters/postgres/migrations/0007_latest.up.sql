-- A list shows the latest changes first: of all open problems, or of those of one
-- assignee. It begins in these indexes, one state after the other. The list of one
-- assignee is sorted by priority first: its index has all that the search reads.
-- Background: only lists are slower without it.

CREATE INDEX problems_state_modified ON problems (state, modified DESC, id);
CREATE INDEX problems_assignee_modified ON problems (assignee, state, modified DESC, id) INCLUDE (priority, revision);
