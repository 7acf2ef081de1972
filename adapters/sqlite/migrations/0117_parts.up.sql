-- A search for a part of a title or of a comment begins at the texts with all of its trigrams. These
-- are of the most folded form, which has whatever the others have. The tables have no texts of their
-- own; a row has the number of its problem, or the position of its comment. The service fills them in
-- portions: versions has the last number, and the last position. What comes up to these, and changes,
-- changes here, too, whoever changes it. Trigrams of a former text stay in the file, unused, until their
-- segment is merged or the file is compacted: to take them away at once takes a hundred times as long.
-- Segments are merged some pages at a time, and not all at once as soon as there are 16: a write could
-- wait for seconds.

CREATE VIRTUAL TABLE title_parts USING fts5 (text, content = '', columnsize = 0, detail = none, tokenize = 'trigram case_sensitive 1');
CREATE VIRTUAL TABLE comment_parts USING fts5 (text, content = '', columnsize = 0, detail = none, tokenize = 'trigram case_sensitive 1');
INSERT INTO title_parts (title_parts, rank) VALUES ('automerge', 8), ('crisismerge', 500);
INSERT INTO comment_parts (comment_parts, rank) VALUES ('automerge', 8), ('crisismerge', 500);

ALTER TABLE versions ADD COLUMN title_parts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE versions ADD COLUMN comment_parts INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER title_parts_added AFTER INSERT ON problems WHEN new.id <= (SELECT title_parts FROM versions)
BEGIN
    INSERT INTO title_parts (rowid, text) VALUES (new.id, coalesce(new.title_cd, new.title_c, new.title));
END;

CREATE TRIGGER title_parts_changed AFTER UPDATE OF title, title_c, title_cd ON problems
WHEN coalesce(old.title_cd, old.title_c, old.title) <> coalesce(new.title_cd, new.title_c, new.title) AND old.id <= (SELECT title_parts FROM versions)
BEGIN
    INSERT INTO title_parts (title_parts, rowid, text) VALUES ('delete', old.id, coalesce(old.title_cd, old.title_c, old.title));
    INSERT INTO title_parts (rowid, text) VALUES (new.id, coalesce(new.title_cd, new.title_c, new.title));
END;

CREATE TRIGGER comment_parts_added AFTER INSERT ON comments WHEN new.position <= (SELECT comment_parts FROM versions)
BEGIN
    INSERT INTO comment_parts (rowid, text) VALUES (new.position, coalesce(new.text_cd, new.text_c, new.text));
END;

CREATE TRIGGER comment_parts_changed AFTER UPDATE OF text, text_c, text_cd ON comments
WHEN coalesce(old.text_cd, old.text_c, old.text) <> coalesce(new.text_cd, new.text_c, new.text) AND old.position <= (SELECT comment_parts FROM versions)
BEGIN
    INSERT INTO comment_parts (comment_parts, rowid, text) VALUES ('delete', old.position, coalesce(old.text_cd, old.text_c, old.text));
    INSERT INTO comment_parts (rowid, text) VALUES (new.position, coalesce(new.text_cd, new.text_c, new.text));
END;
