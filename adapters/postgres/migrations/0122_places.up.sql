-- Background: without them, a page of the problems of a component or a milestone by number sorts all
-- problems that it has.

CREATE INDEX problems_component_id ON problems (component, id);

DROP INDEX problems_component;

CREATE INDEX problems_milestone_id ON problems (milestone, id);

DROP INDEX problems_milestone;
