-- Final: everything begins here.
-- Folds: 1
--
-- Moments are microseconds since 1970 in UTC, identifiers are UUIDs in their
-- canonical text form. NULL stands for ident.None and for the zero time.
-- A position is a place in the order in which everything was stored. It is taken
-- from the one counter in versions, inside the transaction that stores.
-- Which objects may refer to which is the domain's to watch over: a foreign key
-- only ties together the tables that hold one object.
-- A batch beside a version, an epoch or a revision is that of the change that made it. It tells
-- the number from the same one in another history, such as in a file that was restored. NULL:
-- none yet.
-- What queries compare without regard to case (_c), and to case and combining marks
-- (_cd), as the domain folds it. NULL: the same as the column folded less. By which
-- version of the folding it was written, versions says; 0: by none.

CREATE TABLE versions (
    id              INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    position        INTEGER NOT NULL,
    catalogue       INTEGER NOT NULL,
    catalogue_batch TEXT,
    access          INTEGER NOT NULL,
    access_batch    TEXT,
    folding         INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO versions (id, position, catalogue, access) VALUES (1, 0, 0, 0);

-- The size is how many bytes a problem counts for: its title, and the texts of its keywords,
-- its comments, its log and its savepoints, with 256 for each of these. due is the last
-- millisecond of the day in UTC.
CREATE TABLE problems (
    id             INTEGER NOT NULL PRIMARY KEY,
    title          TEXT    NOT NULL,
    state          TEXT,
    priority       TEXT,
    classification TEXT,
    component      TEXT,
    milestone      TEXT,
    assignee       TEXT,
    originator     TEXT,
    created        INTEGER NOT NULL,
    modifier       TEXT,
    modified       INTEGER NOT NULL,
    resolver       TEXT,
    resolved       INTEGER,
    due            INTEGER,
    revision       INTEGER NOT NULL,
    batch          TEXT,
    size           INTEGER NOT NULL DEFAULT 0,
    title_c        TEXT,
    title_cd       TEXT
) STRICT;

CREATE TABLE savepoints (
    problem        INTEGER NOT NULL,
    position       INTEGER NOT NULL,
    batch          TEXT    NOT NULL,
    title          TEXT    NOT NULL,
    state          TEXT,
    priority       TEXT,
    classification TEXT,
    component      TEXT,
    milestone      TEXT,
    assignee       TEXT,
    originator     TEXT,
    created        INTEGER NOT NULL,
    modifier       TEXT,
    modified       INTEGER NOT NULL,
    resolver       TEXT,
    resolved       INTEGER,
    due            INTEGER,
    revision       INTEGER NOT NULL,
    PRIMARY KEY (problem, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE log (
    problem   INTEGER NOT NULL,
    position  INTEGER NOT NULL,
    id        TEXT    NOT NULL,
    type      TEXT    NOT NULL,
    created   INTEGER NOT NULL,
    author    TEXT,
    batch     TEXT    NOT NULL,
    field     TEXT    NOT NULL,
    old_value TEXT    NOT NULL,
    new_value TEXT    NOT NULL,
    revision  INTEGER NOT NULL,
    PRIMARY KEY (problem, position)
) STRICT, WITHOUT ROWID;

-- Comments can be long, and long rows do badly without a rowid.
CREATE TABLE comments (
    position INTEGER NOT NULL PRIMARY KEY,
    problem  INTEGER NOT NULL,
    id       TEXT    NOT NULL,
    author   TEXT,
    created  INTEGER NOT NULL,
    text     TEXT    NOT NULL,
    html     TEXT,
    edited   INTEGER,
    editor   TEXT,
    deleted  INTEGER NOT NULL DEFAULT 0,
    text_c   TEXT,
    text_cd  TEXT
) STRICT;

CREATE INDEX comments_problem ON comments (problem);

CREATE TABLE keywords (
    problem  INTEGER NOT NULL,
    name     TEXT    NOT NULL,
    name_c   TEXT,
    name_cd  TEXT,
    value    TEXT,
    value_c  TEXT,
    value_cd TEXT,
    PRIMARY KEY (problem, name)
) STRICT, WITHOUT ROWID;

-- The type is its code (D7), so that the primary key has the order of D10.
CREATE TABLE relationships (
    owner   INTEGER NOT NULL,
    type    INTEGER NOT NULL,
    other   INTEGER NOT NULL,
    created INTEGER NOT NULL,
    author  TEXT,
    PRIMARY KEY (owner, type, other)
) STRICT, WITHOUT ROWID;

-- The directed families, each with a row from the beginning on (D7).
CREATE TABLE families (
    type  INTEGER NOT NULL PRIMARY KEY,
    epoch INTEGER NOT NULL,
    batch TEXT
) STRICT;

INSERT INTO families (type, epoch) VALUES (200, 0), (300, 0), (400, 0), (500, 0), (600, 0);

CREATE TABLE watchers (
    problem INTEGER NOT NULL,
    user_id TEXT    NOT NULL,
    PRIMARY KEY (problem, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE reads (
    problem INTEGER NOT NULL,
    user_id TEXT    NOT NULL,
    PRIMARY KEY (problem, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE states (
    id       TEXT    NOT NULL PRIMARY KEY,
    name     TEXT    NOT NULL,
    resolved INTEGER NOT NULL,
    initial  INTEGER NOT NULL,
    rank     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE state_next (
    state TEXT    NOT NULL REFERENCES states (id),
    place INTEGER NOT NULL,
    next  TEXT    NOT NULL,
    PRIMARY KEY (state, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE priorities (
    id   TEXT    NOT NULL PRIMARY KEY,
    name TEXT    NOT NULL,
    rank INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE classifications (
    id   TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE components (
    id        TEXT    NOT NULL PRIMARY KEY,
    name      TEXT    NOT NULL,
    closed    INTEGER NOT NULL,
    successor TEXT,
    parent    TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE milestones (
    id         TEXT    NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    component  TEXT,
    created    INTEGER NOT NULL,
    start_date INTEGER,
    end_date   INTEGER
) STRICT, WITHOUT ROWID;

-- The choice of e-mail is empty for all of it.
CREATE TABLE users (
    id       TEXT    NOT NULL PRIMARY KEY,
    name     TEXT    NOT NULL,
    email    TEXT    NOT NULL,
    inactive INTEGER NOT NULL,
    mail     TEXT    NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
    position INTEGER NOT NULL PRIMARY KEY,
    id       TEXT    NOT NULL UNIQUE,
    user_id  TEXT    NOT NULL,
    scope    TEXT    NOT NULL,
    digest   BLOB    NOT NULL,
    created  INTEGER NOT NULL,
    expires  INTEGER,
    revoked  INTEGER
) STRICT;

CREATE TABLE replies (
    user_id     TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL,
    created     INTEGER NOT NULL,
    body        BLOB    NOT NULL,
    PRIMARY KEY (user_id, key)
) STRICT;

CREATE INDEX replies_created ON replies (created);

-- Position 0: it was ruled that the batch never happens.
CREATE TABLE batches (
    id       TEXT    NOT NULL PRIMARY KEY,
    position INTEGER NOT NULL,
    at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX batches_at ON batches (at);

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

-- The feed: one row for each change that published events, in one series of numbers.
-- The body is JSON; size is how many bytes it counts for.
CREATE TABLE feed (
    number INTEGER NOT NULL PRIMARY KEY,
    batch  TEXT    NOT NULL,
    size   INTEGER NOT NULL,
    body   TEXT    NOT NULL
) STRICT;

-- The sessions of the client application. A session begun by something else than a token
-- has no token.
CREATE TABLE sessions (
    position INTEGER NOT NULL PRIMARY KEY,
    id       TEXT    NOT NULL UNIQUE,
    user_id  TEXT    NOT NULL,
    token    TEXT,
    scope    TEXT    NOT NULL,
    digest   BLOB    NOT NULL,
    agent    TEXT    NOT NULL,
    created  INTEGER NOT NULL,
    expires  INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_digest ON sessions (digest);
CREATE INDEX sessions_user ON sessions (user_id);

-- Webhooks, with settings and progress as JSON documents. Only the service that delivers
-- writes the progress.
CREATE TABLE webhooks (
    position INTEGER NOT NULL PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    version  TEXT NOT NULL,
    settings TEXT NOT NULL,
    progress TEXT NOT NULL
) STRICT;

-- A lease says which server does a kind of work, and hands the state of this work on to the next
-- holder.
CREATE TABLE leases (
    name    TEXT NOT NULL PRIMARY KEY,
    version TEXT NOT NULL,
    holder  TEXT,
    state   TEXT NOT NULL DEFAULT ''
) STRICT;

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

-- A list shows the latest changes first: of all open problems, or of those of one
-- assignee. It begins in these indexes, one state after the other. The list of one
-- assignee is sorted by priority first: its index has all that the search reads.
CREATE INDEX problems_state_modified ON problems (state, modified DESC);
CREATE INDEX problems_assignee_modified ON problems (assignee, state, modified DESC, priority, revision);

-- What SQLite is to know when it chooses among indexes: how many rows there are in a
-- large store, and how many of them have one value of a column. It is the same for all
-- files, so that plans are, too; ANALYZE would make it anew.
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('problems', 'problems_assignee', '1000000 2000 400'),
    ('problems', 'problems_state', '1000000 200000'),
    ('problems', 'problems_component', '1000000 5000'),
    ('problems', 'problems_milestone', '1000000 5000'),
    ('problems', 'problems_state_modified', '1000000 200000 1'),
    ('problems', 'problems_assignee_modified', '1000000 2000 400 1 1 1'),
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
