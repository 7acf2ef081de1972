package sqlstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
)

// folded returns the values of the folded columns of a text: without case, and without
// case and combining marks. A value is NULL if it equals the column before it, so most
// texts are stored once.
func folded(text string) (c, cd any) {
	byCase := predicate.Fold(text, predicate.Case)
	if byCase != text {
		c = byCase
	}
	if both := predicate.Fold(text, predicate.Both); both != byCase {
		cd = both
	}
	return c, cd
}

// withFolded appends the two columns for each of the texts.
func withFolded(values []any, texts ...problem.NullText) []any {
	for _, text := range texts {
		c, cd := folded(text.String)
		values = append(values, c, cd)
	}
	return values
}

// foldedTable is a table with folded texts.
type foldedTable struct {
	name  string
	keys  []string // its primary key
	first []any    // less than any key
	texts []string
}

var foldedTables = []foldedTable{
	{"problems", []string{"id"}, []any{0}, columnsOf(foldedFields)},
	{"comments", []string{"position"}, []any{0}, []string{"text"}},
	{"keywords", []string{"problem", "name"}, []any{0, ""}, []string{"name", "value"}},
}

// foldedAtOnce is how many rows are folded in one transaction.
const foldedAtOnce = 500

// IsFolded reports whether the texts are folded as this version compares them. It changes
// nothing.
func IsFolded(ctx context.Context, db *bun.DB) (bool, error) {
	var version int
	if err := db.NewRaw("SELECT folding FROM versions").Scan(ctx, &version); err != nil {
		return false, fmt.Errorf("the version of the folding cannot be read: %w", err)
	}
	return version == predicate.FoldVersion, nil
}

// Folded reports whether all texts in the database are folded as this version folds
// them. If the database has no problems, Folded records this version, and returns true.
func Folded(ctx context.Context, db *bun.DB) (bool, error) {
	if done, err := IsFolded(ctx, db); done || err != nil {
		return done, err
	}
	result, err := db.ExecContext(ctx, setFolding+" WHERE NOT EXISTS (SELECT 1 FROM problems)", predicate.FoldVersion)
	if err != nil {
		return false, fmt.Errorf("the version of the folding cannot be written: %w", err)
	}
	set, err := result.RowsAffected()
	return set > 0, err
}

const setFolding = "UPDATE versions SET folding = ?"

// Fold corrects all folded texts of other versions. db has to be a single connection,
// outside of a transaction; begin starts one. Rows folded before a failure stay folded.
// Programs of other versions must not run: they write texts in their own folding.
func (d *Dialect) Fold(ctx context.Context, db *bun.DB, begin string) error {
	for _, table := range foldedTables {
		for after := table.first; after != nil; {
			err := within(ctx, db, begin, func(ctx context.Context) (err error) {
				after, err = table.fold(ctx, db, after, d.Lock)
				return err
			})
			if err != nil {
				return fmt.Errorf("the texts of %s cannot be folded: %w", table.name, err)
			}
		}
	}
	return within(ctx, db, begin, func(ctx context.Context) error {
		_, err := db.ExecContext(ctx, setFolding, predicate.FoldVersion)
		return err
	})
}

// within calls fn within a transaction. ctx can only end it before it begins: a
// cancelled statement would take the connection with it.
func within(ctx context.Context, db *bun.DB, begin string, fn func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	if _, err := db.ExecContext(ctx, begin); err != nil {
		return err
	}
	if err := fn(ctx); err != nil {
		_, _ = db.ExecContext(ctx, "ROLLBACK")
		return err
	}
	_, err := db.ExecContext(ctx, "COMMIT")
	return err
}

// fold folds the texts of the rows after a key, and returns the key of the last one;
// nil when there are no more.
func (t foldedTable) fold(ctx context.Context, db *bun.DB, after []any, lock string) (last []any, err error) {
	columns := t.keys
	for _, text := range t.texts {
		columns = append(columns[:len(columns):len(columns)], text, text+"_c", text+"_cd")
	}
	keys := strings.Join(t.keys, ", ")
	found, err := db.QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+t.name+
		" WHERE ("+keys+") > ("+placeholders(len(t.keys))+") ORDER BY "+keys+fmt.Sprintf(" LIMIT %d", foldedAtOnce)+lock, after...)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var updates strings.Builder
	for found.Next() {
		values := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := found.Scan(into...); err != nil {
			return nil, err
		}
		last = values[:len(t.keys)]
		updates.WriteString(t.update(db, last, values[len(t.keys):]))
	}
	if err := found.Err(); err != nil {
		return nil, err
	}
	if updates.Len() > 0 {
		_, err = db.ExecContext(ctx, updates.String())
	}
	return last, err
}

// update returns the statement to correct the folded forms of the row with a key; none
// when they are right. The arguments are the row's texts and folded forms.
func (t foldedTable) update(db *bun.DB, key, values []any) string {
	var set []string
	var args []any
	for i, name := range t.texts {
		text, _ := values[3*i].(string) // folds to NULL when it is NULL
		c, cd := folded(text)
		if c != values[3*i+1] || cd != values[3*i+2] {
			set = append(set, name+"_c = ?, "+name+"_cd = ?")
			args = append(args, c, cd)
		}
	}
	if set == nil {
		return ""
	}
	return db.QueryGen().FormatQuery("UPDATE "+t.name+" SET "+strings.Join(set, ", ")+" WHERE "+strings.Join(t.keys, " = ? AND ")+" = ?;\n", append(args, key...)...)
}
