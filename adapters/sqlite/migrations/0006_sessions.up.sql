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
