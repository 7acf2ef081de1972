-- The records of attachments. Their bytes are elsewhere.

CREATE TABLE attachments (
    position   INTEGER NOT NULL PRIMARY KEY,
    problem    INTEGER NOT NULL,
    id         TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    media_type TEXT    NOT NULL,
    size       INTEGER NOT NULL,
    digest     BLOB    NOT NULL,
    author     TEXT,
    created    INTEGER NOT NULL,
    deleted    INTEGER,
    UNIQUE (problem, id)
) STRICT;
