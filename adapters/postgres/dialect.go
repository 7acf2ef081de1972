package postgres

import (
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/uptrace/bun/dialect/pgdialect"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/internal/sqlstore/sqlsearch"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
)

// newDialect returns the statements as PostgreSQL wants them. Positions come from
// a sequence.
func newDialect() *sqlstore.Dialect {
	return sqlstore.New(sqlstore.Syntax{
		Syntax: sqlsearch.Syntax{
			ID:      func(id ident.ID) any { return pgtype.UUID{Bytes: id, Valid: !id.IsNone()} },
			InList:  "= ANY(?)",
			IDs:     uuids,
			Texts:   func(texts []string) any { return texts },
			Numbers: func(numbers []int64) any { return numbers },
			TextSearch: map[predicate.Op]string{
				predicate.Contains:   "strpos({text}, {part}) > 0",
				predicate.BeginsWith: "starts_with({text}, {part})",
				predicate.EndsWith:   "right({text}, length({part})) = {part}",
			},
			LikeOperator: "LIKE",
			LikePattern:  like,
			InTurn:       " OFFSET 0",
			Sum:          "CASE WHEN count({value}) = 0 THEN 0 WHEN sum({value}) <= 9223372036854775807 THEN sum({value}) END",
			Ranks: func(ids []ident.ID, ranks []int64) (string, []any) {
				return "SELECT * FROM unnest(?::uuid[], ?::bigint[]) AS r (id, rank)", []any{uuids(ids), ranks}
			},
		},
		Bun:          pgdialect.New(),
		IDInto:       func(id *ident.ID) any { return (*uuid)(id) },
		Lock:         " FOR UPDATE",
		List:         list,
		NextPosition: "nextval('positions')",
		// The batch of the Change has a smaller position than this, from the same sequence.
		Publish:   "INSERT INTO pending (position, batch, size, body) VALUES (currval('positions'), ?, ?, ?)",
		WholeFeed: wholeFeed,
		Parts:     findParts,
	})
}

func uuids(ids []ident.ID) any {
	list := make([]pgtype.UUID, len(ids))
	for i, id := range ids {
		list[i] = pgtype.UUID{Bytes: id, Valid: true}
	}
	return list
}

// like returns a pattern for LIKE with the backslash as escape.
func like(p predicate.Pattern) string {
	special := strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`)
	var b strings.Builder
	for _, part := range p.Parts {
		switch {
		case part.Any:
			b.WriteByte('%')
		case part.One:
			b.WriteByte('_')
		default:
			b.WriteString(special.Replace(part.Text))
		}
	}
	return b.String()
}

// uuid receives an identifier in a scan.
type uuid ident.ID

// ScanUUID implements pgtype.UUIDScanner.
func (u *uuid) ScanUUID(v pgtype.UUID) error {
	*u = uuid(v.Bytes) // all zeros when it is NULL, as ident.None is
	return nil
}

func list(ids []problem.ID) any {
	numbers := make([]int64, len(ids))
	for i, id := range ids {
		numbers[i] = int64(id)
	}
	return numbers
}

// texts are the final statements, by their sources. Their number is bounded by the code,
// including joined ones for the parts of problems.
type texts struct{ plain, guarded sync.Map }

// plainOf returns the statement with its arguments numbered.
func (t *texts) plainOf(sql string) string { return remember(&t.plain, sql, numbered) }

// guardedOf returns a statement that fails when it finds or changes no row.
func (t *texts) guardedOf(sql string) string { return remember(&t.guarded, sql, guarded) }

func remember(texts *sync.Map, sql string, make func(string) string) string {
	if text, ok := texts.Load(sql); ok {
		return text.(string)
	}
	text, _ := texts.LoadOrStore(sql, make(sql))
	return text.(string)
}

// numbered replaces the question marks.
func numbered(sql string) string {
	var b strings.Builder
	for i, part := range strings.Split(sql, "?") {
		if i > 0 {
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(i))
		}
		b.WriteString(part)
	}
	return b.String()
}

// guarded returns the statement with a division by the number of its rows. At 0 the
// server itself undoes the transaction. So nobody has to look at the result before the
// transaction ends, and all statements travel at once.
func guarded(sql string) string {
	if !strings.HasPrefix(sql, "SELECT") {
		sql += " RETURNING 1"
	}
	return "WITH touched AS (" + numbered(sql) + ") SELECT 1 / count(*) FROM touched"
}
