-- Background: without it, a page of the open problems by number passes over all closed ones between
-- them.

CREATE INDEX problems_state_id ON problems (state, id);

DROP INDEX problems_state;
