-- What the answer in a reply shows: a problem, and a comment of it. 0: no problem. NULL: it is not
-- known, because an older server has stored the reply.
ALTER TABLE replies ADD COLUMN about INTEGER;
ALTER TABLE replies ADD COLUMN comment TEXT;

CREATE INDEX replies_about ON replies (about);
