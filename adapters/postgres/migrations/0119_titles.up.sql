-- A new title left an entry in parts_due, and most were taken away again when a block came to its
-- number. From here on, only the titles up to titles_end do so: the end of the last block, or of one in
-- the making. A sequence is the same for all transactions at once, whatever they see else, and a look
-- at it takes a hundredth of an entry. Who makes a block raises it, waits for all who write problems, and
-- looks at the titles then: a later one that belongs into the block has an entry.
-- Servers of step 0118 look for all new titles in parts_due. So titles are of kind 3. To these servers,
-- those of kind 1 have a block that nobody has filled, or can: they search them one by one.

SELECT pg_advisory_xact_lock(hashtextextended('problems: parts of ' || current_schema(), 0));

UPDATE parts SET kind = 3 WHERE kind = 1;

UPDATE part_blocks SET kind = 3 WHERE kind = 1;

INSERT INTO part_blocks (kind, low, high) VALUES (1, -1, -1);

ALTER TABLE part_blocks ADD CHECK (kind <> 1 OR rows IS NULL);

CREATE SEQUENCE titles_end MINVALUE 0;

-- To a user without rights on it, some versions of PostgreSQL give the value of a sequence as null.
-- Then each title leaves an entry, as before.

DO $$ BEGIN
IF to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN

CREATE FUNCTION end_titles(at bigint) RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS
'BEGIN PERFORM pg_advisory_xact_lock(hashtextextended(''problems: end of titles of '' || current_schema(), 0)); PERFORM setval(''titles_end'', at) FROM titles_end WHERE last_value < at OR NOT is_called; RETURN at; END'

; DROP TRIGGER title_added ON problems
; CREATE OR REPLACE FUNCTION title_due() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS
'BEGIN INSERT INTO parts_due (kind, key) VALUES (3, new.id) ON CONFLICT DO NOTHING; RETURN NULL; END'
; CREATE TRIGGER title_added AFTER INSERT ON problems FOR EACH ROW WHEN (new.id <= coalesce(pg_sequence_last_value('titles_end'), new.id)) EXECUTE FUNCTION title_due()
; PERFORM end_titles(0)
; PERFORM end_titles(max(high)) FROM part_blocks WHERE kind = 3 HAVING max(high) > 0

; END IF
; END $$;

UPDATE parts_due SET kind = 3 WHERE kind = 1;
