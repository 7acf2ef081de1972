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
