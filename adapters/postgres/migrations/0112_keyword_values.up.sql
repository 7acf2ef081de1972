-- Of many problems with a keyword, a report looks for the one with a certain value. Values can be
-- long, so the index has their beginnings.

DROP INDEX keywords_name;
CREATE INDEX keywords_name ON keywords (name, substr(value, 1, 64));
