// Package upgradetest has what the tests of upgrades of both SQL stores share: the content of a
// store, steps of a later version, and the folding of texts.
package upgradetest

import (
	"slices"
	"testing"
)

// Content is the statements for a store whose texts are not folded.
const Content = `
	INSERT INTO problems (id, title, created, modified, revision) VALUES (1, 'Crème BRÛLÉE', 1000, 2000, 3), (2, 'plain', 1000, 2000, 1);
	UPDATE versions SET catalogue = 6;
	INSERT INTO comments (position, problem, id, created, text) VALUES (7, 1, '00000000-0000-0000-0000-000000000001', 1000, 'It''s ÉTÉ? No'), (8, 2, '00000000-0000-0000-0000-000000000002', 1000, 'x');
	INSERT INTO log (problem, position, id, type, created, batch, field, old_value, new_value, revision) VALUES
		(1, 9, '00000000-0000-0000-0000-000000000003', 'FieldChanged', 1000, '00000000-0000-0000-0000-000000000004', 'title', '"é"', '"Crème BRÛLÉE"', 3);
	INSERT INTO savepoints (problem, position, batch, title, created, modified, revision) VALUES
		(1, 10, '00000000-0000-0000-0000-000000000004', 'Crème BRÛLÉE', 1000, 1000, 3);
	INSERT INTO keywords (problem, name, value) VALUES (1, 'Tag', NULL), (1, 'Zoë', 'ÄÖ'), (2, 'tag', 'Straße')`

// FoldedTexts is the query for all texts, each with its folded forms.
const FoldedTexts = `
	SELECT title || '|' || coalesce(title_c, '') || '|' || coalesce(title_cd, '') FROM (SELECT * FROM problems ORDER BY id) p UNION ALL
	SELECT text || '|' || coalesce(text_c, '') || '|' || coalesce(text_cd, '') FROM (SELECT * FROM comments ORDER BY position) c UNION ALL
	SELECT name || '|' || coalesce(name_c, '') || '|' || coalesce(name_cd, '') FROM (SELECT * FROM keywords ORDER BY problem, name) k UNION ALL
	SELECT coalesce(value, '-') || '|' || coalesce(value_c, '') || '|' || coalesce(value_cd, '') FROM (SELECT * FROM keywords ORDER BY problem, name) v`

// Folded compares the result of FoldedTexts with the texts of Content. Beside them are many
// problems with the title "Many".
func Folded(t *testing.T, got []string, many int) {
	t.Helper()
	want := []string{
		"Crème BRÛLÉE|crème brûlée|creme brulee", "plain||",
		"It's ÉTÉ? No|it's été? no|it's ete? no", "x||",
		"Tag|tag|", "Zoë|zoë|zoe", "tag||", "-||", "ÄÖ|äö|ao", "Straße|straße|",
	}
	count := len(got)
	got = slices.DeleteFunc(slices.Clone(got), func(text string) bool { return text == "Many|many|" })
	if !slices.Equal(got, want) || count-len(got) != many {
		t.Errorf("the texts are\n%q and %d of many; want\n%q and %d", got, count-len(got), want, many)
	}
}
