-- What queries compare without regard to case (_c), and to case and combining marks
-- (_cd), as the domain folds it. NULL: the same as the column folded less. By which
-- version of the folding it was written, versions says; 0: by none.
-- Final: an older server would leave the folded texts of its writes as they were.
-- Folds: 1

ALTER TABLE versions ADD COLUMN folding INTEGER NOT NULL DEFAULT 0;

ALTER TABLE problems ADD COLUMN title_c TEXT;
ALTER TABLE problems ADD COLUMN title_cd TEXT;
ALTER TABLE comments ADD COLUMN text_c TEXT;
ALTER TABLE comments ADD COLUMN text_cd TEXT;
ALTER TABLE keywords ADD COLUMN name_c TEXT;
ALTER TABLE keywords ADD COLUMN name_cd TEXT;
ALTER TABLE keywords ADD COLUMN value_c TEXT;
ALTER TABLE keywords ADD COLUMN value_cd TEXT;

CREATE INDEX problems_assignee ON problems (assignee, state);
CREATE INDEX problems_state ON problems (state);
CREATE INDEX problems_component ON problems (component);
CREATE INDEX problems_milestone ON problems (milestone);
CREATE INDEX problems_created ON problems (created);
CREATE INDEX problems_modified ON problems (modified);
CREATE INDEX savepoints_modifier ON savepoints (modifier, modified);
CREATE INDEX watchers_user ON watchers (user_id);
CREATE INDEX keywords_name ON keywords (name);
CREATE INDEX relationships_other ON relationships (other);

-- What SQLite is to know when it chooses among indexes: how many rows there are in a
-- large store, and how many of them have one value of a column. It is the same for all
-- files, so that plans are, too; ANALYZE would make it anew.
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('problems', 'problems_assignee', '1000000 2000 400'),
    ('problems', 'problems_state', '1000000 200000'),
    ('problems', 'problems_component', '1000000 5000'),
    ('problems', 'problems_milestone', '1000000 5000'),
    ('problems', 'problems_created', '1000000 1'),
    ('problems', 'problems_modified', '1000000 1'),
    ('savepoints', 'savepoints', '5000000 5 1'),
    ('savepoints', 'savepoints_modifier', '5000000 10000 1 1 1'),
    ('log', 'log', '10000000 10 1'),
    ('comments', 'comments_problem', '3000000 3'),
    ('keywords', 'keywords', '2000000 2 1'),
    ('keywords', 'keywords_name', '2000000 20000 1'),
    ('relationships', 'relationships', '500000 2 2 1'),
    ('relationships', 'relationships_other', '500000 2 1 1'),
    ('watchers', 'watchers', '2000000 2 1'),
    ('watchers', 'watchers_user', '2000000 2000 1'),
    ('reads', 'reads', '5000000 5 1');

CREATE TABLE audit (
    position  INTEGER NOT NULL PRIMARY KEY,
    id        TEXT    NOT NULL,
    created   INTEGER NOT NULL,
    author    TEXT,
    batch     TEXT    NOT NULL,
    type      TEXT    NOT NULL,
    kind      TEXT    NOT NULL,
    object    TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    field     TEXT    NOT NULL,
    old_value TEXT    NOT NULL,
    new_value TEXT    NOT NULL
) STRICT;

CREATE TABLE queries (
    position  INTEGER NOT NULL PRIMARY KEY,
    id        TEXT    NOT NULL UNIQUE,
    owner     TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    predicate TEXT    NOT NULL,
    sort      TEXT    NOT NULL,
    created   INTEGER NOT NULL
) STRICT;

CREATE INDEX queries_owner ON queries (owner);
