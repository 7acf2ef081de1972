-- What queries compare without regard to case (_c), and to case and combining marks
-- (_cd), as the domain folds it. NULL: the same as the column folded less. By which
-- version of the folding it was written, versions says; 0: by none.
-- Final: an older server would leave the folded texts of its writes as they were.
-- Folds: 1

ALTER TABLE versions ADD COLUMN folding bigint NOT NULL DEFAULT 0;

ALTER TABLE problems
    ADD COLUMN title_c  text COLLATE "C",
    ADD COLUMN title_cd text COLLATE "C";
ALTER TABLE comments
    ADD COLUMN text_c  text COLLATE "C",
    ADD COLUMN text_cd text COLLATE "C";
ALTER TABLE keywords
    ADD COLUMN name_c   text COLLATE "C",
    ADD COLUMN name_cd  text COLLATE "C",
    ADD COLUMN value_c  text COLLATE "C",
    ADD COLUMN value_cd text COLLATE "C";

CREATE INDEX problems_assignee ON problems (assignee, state, id);
CREATE INDEX problems_state ON problems (state);
CREATE INDEX problems_component ON problems (component);
CREATE INDEX problems_milestone ON problems (milestone);
CREATE INDEX problems_created ON problems (created);
CREATE INDEX problems_modified ON problems (modified);
CREATE INDEX savepoints_modifier ON savepoints (modifier, modified);
CREATE INDEX watchers_user ON watchers (user_id);
CREATE INDEX keywords_name ON keywords (name);
CREATE INDEX relationships_other ON relationships (other);

CREATE TABLE audit (
    position  bigint NOT NULL PRIMARY KEY DEFAULT nextval('positions'),
    id        uuid   NOT NULL,
    created   bigint NOT NULL,
    author    uuid,
    batch     uuid   NOT NULL,
    type      text   COLLATE "C" NOT NULL,
    kind      text   COLLATE "C" NOT NULL,
    object    uuid   NOT NULL,
    name      text   COLLATE "C" NOT NULL,
    field     text   COLLATE "C" NOT NULL,
    old_value text   COLLATE "C" NOT NULL,
    new_value text   COLLATE "C" NOT NULL
);

CREATE TABLE queries (
    position  bigint NOT NULL PRIMARY KEY DEFAULT nextval('positions'),
    id        uuid   NOT NULL UNIQUE,
    owner     uuid   NOT NULL,
    name      text   COLLATE "C" NOT NULL,
    predicate text   COLLATE "C" NOT NULL,
    sort      text   COLLATE "C" NOT NULL,
    created   bigint NOT NULL
);

CREATE INDEX queries_owner ON queries (owner);
