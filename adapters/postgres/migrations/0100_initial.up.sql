-- Final: everything begins here.
-- Folds: 1
--
-- Moments are microseconds since 1970 in UTC. NULL stands for ident.None and for
-- the zero time. Text is compared byte by byte, on every server alike.
-- A position is a place in the order in which everything was stored: within what
-- is locked together, such as a problem, later commits have higher ones.
-- Which objects may refer to which is the domain's to watch over: a foreign key
-- only ties together the tables that hold one object.
-- A batch beside a version, an epoch or a revision is that of the change that made it. It tells
-- the number from the same one in another history: after a fail-over that lost changes, or in
-- a database that was restored. NULL: none yet.
-- What queries compare without regard to case (_c), and to case and combining marks
-- (_cd), as the domain folds it. NULL: the same as the column folded less. By which
-- version of the folding it was written, versions says; 0: by none.
-- User text is never the key of a plain index, which has no room for long values,
-- except for names: 255 characters are 1,020 bytes at most, which always fit.

CREATE SEQUENCE positions;

-- What problems are numbered from. Numbers are reserved, and so may be left out.
CREATE SEQUENCE problem_ids;

CREATE TABLE versions (
    id              smallint NOT NULL PRIMARY KEY CHECK (id = 1),
    catalogue       bigint   NOT NULL,
    catalogue_batch uuid,
    access          bigint   NOT NULL,
    access_batch    uuid,
    folding         bigint   NOT NULL DEFAULT 0
);

INSERT INTO versions (id, catalogue, access) VALUES (1, 0, 0);

-- The size is how many bytes a problem counts for: its title, and the texts of its keywords,
-- its comments, its log and its savepoints, with 256 for each of these. due is the last
-- millisecond of the day in UTC.
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
    due            bigint,
    revision       bigint NOT NULL,
    batch          uuid,
    size           bigint NOT NULL DEFAULT 0,
    title_c        text   COLLATE "C",
    title_cd       text   COLLATE "C"
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
    due            bigint,
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
    html     text   COLLATE "C",
    edited   bigint,
    editor   uuid,
    deleted  boolean NOT NULL DEFAULT false,
    text_c   text   COLLATE "C",
    text_cd  text   COLLATE "C"
);

CREATE INDEX comments_problem ON comments (problem);

CREATE TABLE keywords (
    problem  bigint NOT NULL,
    name     text   COLLATE "C" NOT NULL,
    name_c   text   COLLATE "C",
    name_cd  text   COLLATE "C",
    value    text   COLLATE "C",
    value_c  text   COLLATE "C",
    value_cd text   COLLATE "C",
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
    epoch bigint NOT NULL,
    batch uuid
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

-- The choice of e-mail is empty for all of it.
CREATE TABLE users (
    id       uuid    NOT NULL PRIMARY KEY,
    name     text    COLLATE "C" NOT NULL,
    email    text    COLLATE "C" NOT NULL,
    inactive boolean NOT NULL,
    mail     text    COLLATE "C" NOT NULL DEFAULT ''
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

-- The feed: one row for each change that published events, in one series of numbers.
-- The body is JSON; size is how many bytes it counts for.
CREATE TABLE feed (
    number bigint NOT NULL PRIMARY KEY,
    batch  uuid   NOT NULL,
    size   bigint NOT NULL,
    body   text   COLLATE "C" NOT NULL
);

-- The entries without a number. A commit cannot take one: a slow commit would leave a
-- gap behind the readers. So a reader moves the entries that it sees into the feed, in
-- the order of their positions, while it holds the row of feed_head.
CREATE TABLE pending (
    position bigint NOT NULL PRIMARY KEY,
    batch    uuid   NOT NULL,
    size     bigint NOT NULL,
    body     text   COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_threshold = -1);

CREATE TABLE feed_head (
    id     smallint NOT NULL PRIMARY KEY CHECK (id = 1),
    number bigint   NOT NULL
) WITH (fillfactor = 10);

INSERT INTO feed_head (id, number) VALUES (1, 0);

-- The sessions of the client application. A session begun by something else than a token
-- has no token.
CREATE TABLE sessions (
    position bigint NOT NULL PRIMARY KEY DEFAULT nextval('positions'),
    id       uuid   NOT NULL UNIQUE,
    user_id  uuid   NOT NULL,
    token    uuid,
    scope    text   COLLATE "C" NOT NULL,
    digest   bytea  NOT NULL,
    agent    text   COLLATE "C" NOT NULL,
    created  bigint NOT NULL,
    expires  bigint NOT NULL
);

CREATE INDEX sessions_digest ON sessions (digest);
CREATE INDEX sessions_user ON sessions (user_id);

-- Webhooks, with settings and progress as JSON documents. Only the service that delivers
-- writes the progress.
CREATE TABLE webhooks (
    position bigint NOT NULL PRIMARY KEY DEFAULT nextval('positions'),
    id       uuid NOT NULL UNIQUE,
    version  uuid NOT NULL,
    settings text COLLATE "C" NOT NULL,
    progress text COLLATE "C" NOT NULL
);

-- A lease says which server does a kind of work, and hands the state of this work on to the next
-- holder.
CREATE TABLE leases (
    name    text COLLATE "C" NOT NULL PRIMARY KEY,
    version uuid NOT NULL,
    holder  uuid,
    state   text COLLATE "C" NOT NULL DEFAULT ''
);

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

-- A list shows the latest changes first: of all open problems, or of those of one
-- assignee. It begins in these indexes, one state after the other. The list of one
-- assignee is sorted by priority first: its index has all that the search reads.
CREATE INDEX problems_state_modified ON problems (state, modified DESC, id);
CREATE INDEX problems_assignee_modified ON problems (assignee, state, modified DESC, id) INCLUDE (priority, revision);
