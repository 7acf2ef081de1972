-- Of many problems with a keyword, a report looks for the one with a certain value. Values can be
-- long, so the index has their beginnings.

DROP INDEX keywords_name;
CREATE INDEX keywords_name ON keywords (name, substr(value, 1, 64));
DELETE FROM sqlite_stat1 WHERE idx = 'keywords_name';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('keywords', 'keywords_name', '2000000 20000 2 1');
