-- Moments are microseconds since 1970 in UTC. NULL stands for ident.None and for
-- the zero time. Text is compared byte by byte, on every server alike.
-- A position is a place in the order in which everything was stored: within what
-- is locked together, such as a problem, later commits have higher ones.
-- Which objects may refer to which is the domain's to watch over: a foreign key
-- only ties together the tables that hold one object.
-- User text is never the key of a plain index, which has no room for long values,
-- except for names: 255 characters are 1,020 bytes at most, which always fit.

CREATE SEQUENCE positions;

-- What problems are numbered from. Numbers are reserved, and so may be left out.
CREATE SEQUENCE problem_ids;

CREATE TABLE versions (
    id        smallint NOT NULL PRIMARY KEY CHECK (id = 1),
    catalogue bigint   NOT NULL,
    access    bigint   NOT NULL
);

INSERT INTO versions (id, catalogue, access) VALUES (1, 0, 0);

-- The room that is left in every page lets an update stay in it, without a new
-- entry in the index.
CREATE TABLE problems (
    id             bigint NOT NULL PRIMARY KEY,
    title          text   COLLATE "C" NOT NULL,
    state          uuid,
    priority       uuid,
    classification uuid,
    component      uuid,
    milestone      uuid,
    assignee       uuid,
    originator     uuid,
    created        bigint NOT NULL,
    modifier       uuid,
    modified       bigint NOT NULL,
    resolver       uuid,
    resolved       bigint,
    revision       bigint NOT NULL
) WITH (fillfactor = 85);

CREATE TABLE savepoints (
    problem        bigint NOT NULL,
    position       bigint NOT NULL DEFAULT nextval('positions'),
    batch          uuid   NOT NULL,
    title          text   COLLATE "C" NOT NULL,
    state          uuid,
    priority       uuid,
    classification uuid,
    component      uuid,
    milestone      uuid,
    assignee       uuid,
    originator     uuid,
    created        bigint NOT NULL,
    modifier       uuid,
    modified       bigint NOT NULL,
    resolver       uuid,
    resolved       bigint,
    revision       bigint NOT NULL,
    PRIMARY KEY (problem, position)
);

CREATE TABLE log (
    problem   bigint NOT NULL,
    position  bigint NOT NULL DEFAULT nextval('positions'),
    id        uuid   NOT NULL,
    type      text   COLLATE "C" NOT NULL,
    created   bigint NOT NULL,
    author    uuid,
    batch     uuid   NOT NULL,
    field     text   COLLATE "C" NOT NULL,
    old_value text   COLLATE "C" NOT NULL,
    new_value text   COLLATE "C" NOT NULL,
    revision  bigint NOT NULL,
    PRIMARY KEY (problem, position)
);

CREATE TABLE comments (
    position bigint NOT NULL PRIMARY KEY DEFAULT nextval('positions'),
    problem  bigint NOT NULL,
    id       uuid   NOT NULL,
    author   uuid,
    created  bigint NOT NULL,
    text     text   COLLATE "C" NOT NULL,
    html     text   COLLATE "C"
);

CREATE INDEX comments_problem ON comments (problem);

CREATE TABLE keywords (
    problem bigint NOT NULL,
    name    text   COLLATE "C" NOT NULL,
    value   text   COLLATE "C",
    PRIMARY KEY (problem, name)
);

-- The type is its code (D7), so that the primary key has the order of D10.
CREATE TABLE relationships (
    owner   bigint NOT NULL,
    type    bigint NOT NULL,
    other   bigint NOT NULL,
    created bigint NOT NULL,
    author  uuid,
    PRIMARY KEY (owner, type, other)
);

-- The directed families, each with a row to lock from the beginning on (D7).
CREATE TABLE families (
    type  bigint NOT NULL PRIMARY KEY,
    epoch bigint NOT NULL
);

INSERT INTO families (type, epoch) VALUES (200, 0), (300, 0), (400, 0), (500, 0), (600, 0);

CREATE TABLE watchers (
    problem bigint NOT NULL,
    user_id uuid   NOT NULL,
    PRIMARY KEY (problem, user_id)
);

CREATE TABLE reads (
    problem bigint NOT NULL,
    user_id uuid   NOT NULL,
    PRIMARY KEY (problem, user_id)
);

CREATE TABLE states (
    id       uuid    NOT NULL PRIMARY KEY,
    name     text    COLLATE "C" NOT NULL,
    resolved boolean NOT NULL,
    initial  boolean NOT NULL,
    rank     bigint  NOT NULL
);

CREATE TABLE state_next (
    state uuid   NOT NULL REFERENCES states (id),
    place bigint NOT NULL,
    next  uuid   NOT NULL,
    PRIMARY KEY (state, place)
);

CREATE TABLE priorities (
    id   uuid   NOT NULL PRIMARY KEY,
    name text   COLLATE "C" NOT NULL,
    rank bigint NOT NULL
);

CREATE TABLE classifications (
    id   uuid NOT NULL PRIMARY KEY,
    name text COLLATE "C" NOT NULL
);

CREATE TABLE components (
    id        uuid    NOT NULL PRIMARY KEY,
    name      text    COLLATE "C" NOT NULL,
    closed    boolean NOT NULL,
    successor uuid,
    parent    uuid
);

CREATE TABLE milestones (
    id         uuid   NOT NULL PRIMARY KEY,
    name       text   COLLATE "C" NOT NULL,
    component  uuid,
    created    bigint NOT NULL,
    start_date bigint,
    end_date   bigint
);

CREATE TABLE users (
    id       uuid    NOT NULL PRIMARY KEY,
    name     text    COLLATE "C" NOT NULL,
    email    text    COLLATE "C" NOT NULL,
    inactive boolean NOT NULL
);

CREATE TABLE tokens (
    position bigint NOT NULL PRIMARY KEY DEFAULT nextval('positions'),
    id       uuid   NOT NULL UNIQUE,
    user_id  uuid   NOT NULL,
    scope    text   COLLATE "C" NOT NULL,
    digest   bytea  NOT NULL,
    created  bigint NOT NULL,
    expires  bigint,
    revoked  bigint
);

CREATE TABLE replies (
    user_id     uuid   NOT NULL,
    key         text   COLLATE "C" NOT NULL,
    fingerprint bytea  NOT NULL,
    created     bigint NOT NULL,
    body        bytea  NOT NULL,
    PRIMARY KEY (user_id, key)
);

CREATE INDEX replies_created ON replies (created);

-- Position 0: it was ruled that the batch never happens.
CREATE TABLE batches (
    id       uuid   NOT NULL PRIMARY KEY,
    position bigint NOT NULL,
    at       bigint NOT NULL
);

CREATE INDEX batches_at ON batches (at);
