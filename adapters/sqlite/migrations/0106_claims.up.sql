-- Who works on a problem now.

ALTER TABLE problems ADD COLUMN claim TEXT;
ALTER TABLE problems ADD COLUMN claim_holder TEXT;
ALTER TABLE problems ADD COLUMN claim_via TEXT;
ALTER TABLE problems ADD COLUMN claim_expires INTEGER;
