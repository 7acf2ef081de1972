-- A user's choice of e-mail, empty for all of it. A lease hands the state of its work on to
-- the next holder.

ALTER TABLE users ADD COLUMN mail TEXT NOT NULL DEFAULT '';
ALTER TABLE leases ADD COLUMN state TEXT NOT NULL DEFAULT '';
