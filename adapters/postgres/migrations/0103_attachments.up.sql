-- The records of attachments, and their files: the key is {problem}/{attachment}. A file without a
-- size is not complete, and nobody sees it.

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

CREATE TABLE files (
    key    text   COLLATE "C" NOT NULL PRIMARY KEY,
    size   bigint,
    stored bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
);

CREATE TABLE file_chunks (
    key    text    COLLATE "C" NOT NULL REFERENCES files (key) ON DELETE CASCADE,
    number integer NOT NULL,
    data   bytea   NOT NULL,
    PRIMARY KEY (key, number)
);

-- Most files are compressed already.
ALTER TABLE file_chunks ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE TABLE file_owner (
    id    boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (id),
    owner uuid    NOT NULL
);
