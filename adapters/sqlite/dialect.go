package sqlite

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/uptrace/bun/dialect/sqlitedialect"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/internal/sqlstore/sqlsearch"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
)

// newDialect returns the statements as SQLite wants them. The writer counts
// positions itself.
func newDialect() *sqlstore.Dialect {
	return sqlstore.New(sqlstore.Syntax{
		Syntax: sqlsearch.Syntax{
			ID:     sqlstore.IDText,
			InList: "IN (SELECT value FROM json_each(?))",
			IDs: func(ids []ident.ID) any {
				return jsonTexts(ids, func(id ident.ID) string { return id.String() })
			},
			Texts:   func(texts []string) any { return jsonTexts(texts, func(s string) string { return s }) },
			Numbers: jsonList[int64],
			TextSearch: map[predicate.Op]string{
				predicate.Contains:   "instr({text}, {part}) > 0",
				predicate.BeginsWith: "substr({text}, 1, length({part})) = {part}",
				// substr takes all of a text when it is to begin at the character 0.
				predicate.EndsWith: "({text} IS NOT NULL AND ({part} = '' OR substr({text}, -length({part})) = {part}))",
			},
			LikeOperator: "GLOB", // LIKE has its own ideas of upper and lower case
			LikePattern:  glob,
			// sum itself fails when it overflows. With * and + it becomes a REAL.
			Sum: "iif(typeof(coalesce(sum({value} >> 32) * 4294967296 + sum({value} & 4294967295), 0)) = 'integer', " +
				"coalesce(sum({value} >> 32) * 4294967296 + sum({value} & 4294967295), 0), NULL)",
			Blind: true, // its statistics are those of the migrations, for all stores
			Ranks: ranks,
		},
		Bun:    sqlitedialect.New(),
		IDInto: sqlstore.IDTextInto,
		List:   jsonList[problem.ID],
		// The index with the priority and the revision also has the time of the latest
		// change, which changes each time.
		SetIfChanged: []string{"state", "component", "milestone", "assignee", "created"},
		// The one writer commits in the order of the numbers.
		Publish:   "INSERT INTO feed (number, batch, size, body) SELECT coalesce(max(number), 0) + 1, ?, ?, ? FROM feed",
		WholeFeed: "feed",
		Parts:     findParts,
	})
}

func jsonList[N ~int64](numbers []N) any {
	b := []byte{'['}
	for i, n := range numbers {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return string(append(b, ']'))
}

// jsonTexts returns the texts of the values as a JSON array. All of them are valid
// UTF-8.
func jsonTexts[T any](values []T, text func(T) string) any {
	b := []byte{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, text(v))
	}
	return string(append(b, ']'))
}

func appendJSON(b []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // never fails for a string
	return append(b, quoted...)
}

// glob returns a pattern for GLOB, with special characters in brackets.
func glob(p predicate.Pattern) string {
	special := strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]")
	var b strings.Builder
	for _, part := range p.Parts {
		switch {
		case part.Any:
			b.WriteByte('*')
		case part.One:
			b.WriteByte('?')
		default:
			b.WriteString(special.Replace(part.Text))
		}
	}
	return b.String()
}

// ranks returns the rows of a JSON object.
func ranks(ids []ident.ID, ranks []int64) (string, []any) {
	b := []byte{'{'}
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendJSON(b, id.String()), ':')
		b = strconv.AppendInt(b, ranks[i], 10)
	}
	return "SELECT key AS id, value AS rank FROM json_each(?)", []any{string(append(b, '}'))}
}
