-- The records of attachments. Their bytes are elsewhere.

CREATE TABLE attachments (
    position   bigint NOT NULL PRIMARY KEY DEFAULT nextval('positions'),
    problem    bigint NOT NULL,
    id         uuid   NOT NULL,
    name       text   COLLATE "C" NOT NULL,
    media_type text   COLLATE "C" NOT NULL,
    size       bigint NOT NULL,
    digest     bytea  NOT NULL,
    author     uuid,
    created    bigint NOT NULL,
    deleted    bigint,
    UNIQUE (problem, id)
);
