-- Webhooks, with settings and progress as JSON documents. Only the service that delivers
-- writes the progress. A lease says which server does a kind of work.

CREATE TABLE webhooks (
    position INTEGER NOT NULL PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    version  TEXT NOT NULL,
    settings TEXT NOT NULL,
    progress TEXT NOT NULL
) STRICT;

CREATE TABLE leases (
    name    TEXT NOT NULL PRIMARY KEY,
    version TEXT NOT NULL,
    holder  TEXT
) STRICT;
