-- A search for a part of a title or of a comment begins at the texts with all of its trigrams. parts
-- has lists of the rows with a trigram, in blocks: a block has the titles or comments (kind 1 or 2)
-- from one number or position to another. A part is a hash of a trigram of the most folded form, so
-- that a block has 65,536 of them at most. The service fills blocks beside writes: one without a
-- number of rows is not filled yet.
-- Comments behind the last block wait for theirs. So does what is in parts_due: new titles, whose numbers
-- were reserved in any order, and what has changed since. The transaction is in its key: an entry that
-- the service sees and takes away is never that of a change that it does not see.

CREATE TABLE part_blocks (
    kind smallint NOT NULL,
    low  bigint   NOT NULL,
    high bigint   NOT NULL,
    rows integer,
    PRIMARY KEY (kind, low)
);

CREATE TABLE parts (
    block bigint   NOT NULL,
    kind  smallint NOT NULL,
    part  smallint NOT NULL,
    rows  bytea    NOT NULL,
    PRIMARY KEY (kind, block, part)
);

ALTER TABLE parts ALTER COLUMN rows SET STORAGE EXTERNAL;

CREATE TABLE parts_due (
    key    bigint   NOT NULL,
    change bigint   NOT NULL DEFAULT txid_current(),
    kind   smallint NOT NULL,
    PRIMARY KEY (kind, key, change)
);

-- Citus takes no triggers: there, nothing fills the index, and nothing searches it. The functions name
-- their schema for sessions outside of it.

DO $$ BEGIN
IF to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN

CREATE FUNCTION title_due() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS
'BEGIN INSERT INTO parts_due (kind, key) VALUES (1, new.id) ON CONFLICT DO NOTHING; RETURN NULL; END'
; CREATE FUNCTION comment_due() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS
'BEGIN INSERT INTO parts_due (kind, key) VALUES (2, new.position) ON CONFLICT DO NOTHING; RETURN NULL; END'

; CREATE TRIGGER title_added AFTER INSERT ON problems FOR EACH ROW EXECUTE FUNCTION title_due()
; CREATE TRIGGER title_changed AFTER UPDATE OF title, title_c, title_cd ON problems FOR EACH ROW
WHEN (coalesce(old.title_cd, old.title_c, old.title) <> coalesce(new.title_cd, new.title_c, new.title)) EXECUTE FUNCTION title_due()
; CREATE TRIGGER comment_changed AFTER UPDATE OF text, text_c, text_cd ON comments FOR EACH ROW
WHEN (coalesce(old.text_cd, old.text_c, old.text) <> coalesce(new.text_cd, new.text_c, new.text)) EXECUTE FUNCTION comment_due()

; END IF
; END $$;

INSERT INTO part_blocks (kind, low, high) SELECT 1, 0, max(id) FROM problems HAVING count(*) > 0;
