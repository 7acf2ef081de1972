-- Webhooks, with settings and progress as JSON documents. Only the service that delivers
-- writes the progress. A lease says which server does a kind of work.

CREATE TABLE webhooks (
    position bigint NOT NULL PRIMARY KEY DEFAULT nextval('positions'),
    id       uuid NOT NULL UNIQUE,
    version  uuid NOT NULL,
    settings text COLLATE "C" NOT NULL,
    progress text COLLATE "C" NOT NULL
);

CREATE TABLE leases (
    name    text COLLATE "C" NOT NULL PRIMARY KEY,
    version uuid NOT NULL,
    holder  uuid
);
