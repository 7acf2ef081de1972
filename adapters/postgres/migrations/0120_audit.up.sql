-- A page of the audit log begins at its number, and reads nothing before it. The numbers have no gaps;
-- the positions do, because all tables share them. A trigger gives the numbers: an older server adds
-- entries without one. Whoever adds any holds the row of versions, so it sees the last number.

ALTER TABLE audit ADD COLUMN number bigint;

UPDATE audit SET number = numbered.number
FROM (SELECT position, row_number() OVER (ORDER BY position) AS number FROM audit) AS numbered WHERE numbered.position = audit.position;

CREATE UNIQUE INDEX audit_number ON audit (number);

-- Citus takes no triggers: there, nothing gives further numbers, and nothing reads them.

DO $$ BEGIN
IF to_regclass('pg_catalog.pg_dist_partition') IS NULL THEN

CREATE FUNCTION number_audit() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS
'BEGIN new.number := (SELECT coalesce(max(number), 0) + 1 FROM audit); RETURN new; END'
; CREATE TRIGGER audit_numbered BEFORE INSERT ON audit FOR EACH ROW WHEN (new.number IS NULL) EXECUTE FUNCTION number_audit()
; ALTER TABLE audit ALTER COLUMN number SET NOT NULL

; END IF
; END $$;
