-- Moments are microseconds since 1970 in UTC, identifiers are UUIDs in their
-- canonical text form. NULL stands for ident.None and for the zero time.
-- A position is a place in the order in which everything was stored. It is taken
-- from the one counter in versions, inside the transaction that stores.
-- Which objects may refer to which is the domain's to watch over: a foreign key
-- only ties together the tables that hold one object.

CREATE TABLE versions (
    id        INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    position  INTEGER NOT NULL,
    catalogue INTEGER NOT NULL,
    access    INTEGER NOT NULL
) STRICT;

INSERT INTO versions (id, position, catalogue, access) VALUES (1, 0, 0, 0);

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
    revision       INTEGER NOT NULL
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
    html     TEXT
) STRICT;

CREATE INDEX comments_problem ON comments (problem);

CREATE TABLE keywords (
    problem INTEGER NOT NULL,
    name    TEXT    NOT NULL,
    value   TEXT,
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

CREATE TABLE families (
    type  INTEGER NOT NULL PRIMARY KEY,
    epoch INTEGER NOT NULL
) STRICT;

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

CREATE TABLE users (
    id       TEXT    NOT NULL PRIMARY KEY,
    name     TEXT    NOT NULL,
    email    TEXT    NOT NULL,
    inactive INTEGER NOT NULL
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
