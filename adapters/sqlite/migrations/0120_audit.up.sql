-- A page of the audit log begins at its number, and reads nothing before it. The numbers have no gaps;
-- the positions do, because all tables share them. A trigger gives the numbers: an older version adds
-- entries without one.

ALTER TABLE audit ADD COLUMN number INTEGER;

UPDATE audit SET number = numbered.number
FROM (SELECT position, row_number() OVER (ORDER BY position) AS number FROM audit) AS numbered WHERE numbered.position = audit.position;

CREATE UNIQUE INDEX audit_number ON audit (number);

CREATE TRIGGER audit_numbered AFTER INSERT ON audit
BEGIN
    UPDATE audit SET number = (SELECT coalesce(max(number), 0) + 1 FROM audit) WHERE position = new.position;
END;
