-- Who works on a problem now.

ALTER TABLE problems ADD COLUMN claim uuid;
ALTER TABLE problems ADD COLUMN claim_holder uuid;
ALTER TABLE problems ADD COLUMN claim_via uuid;
ALTER TABLE problems ADD COLUMN claim_expires bigint;
