package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/problemtracking/problems/domain/ident"
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

// A transaction folds a portion of a table: at most so many rows, and at most so many bytes
// of texts and their folded forms, or one row.
const (
	foldedAtOnce = 500
	foldedBytes  = 8 << 20
)

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

// Fold corrects all folded texts of other versions, portion by portion, and reports after
// each how much is done, in percent. db has to be a single connection, outside of a
// transaction; begin starts one. What is done before a failure stays done, and the next call
// goes on after it. Programs of other versions must not write meanwhile: they write texts in
// their own folding. So a step that is final comes before a new folding: see
// [Steps.FoldedBy].
func (d *Dialect) Fold(ctx context.Context, db *bun.DB, begin string, report func(percent int)) error {
	at, err := foldedUpTo(ctx, db)
	if err != nil {
		return err
	}
	for i, table := range foldedTables {
		if i < at.Table {
			continue
		}
		after := table.first
		if i == at.Table && at.After != nil {
			after = at.After
		}
		for after != nil {
			var percent int
			err := within(ctx, db, begin, func(ctx context.Context) (err error) {
				if after, err = table.fold(ctx, db, after, d.Lock); err != nil || after == nil {
					return err
				}
				if percent, err = table.share(ctx, db, after, i); err != nil {
					return err
				}
				return d.keepFolding(ctx, db, foldingState{Version: predicate.FoldVersion, Table: i, After: after, Percent: percent})
			})
			if err != nil {
				return fmt.Errorf("the texts of %s cannot be folded: %w", table.name, err)
			}
			if after != nil {
				report(percent)
			}
		}
	}
	return within(ctx, db, begin, func(ctx context.Context) error {
		if _, err := db.ExecContext(ctx, "DELETE FROM leases WHERE name = ?", foldingWork); err != nil {
			return err
		}
		_, err := db.ExecContext(ctx, setFolding, predicate.FoldVersion)
		return err
	})
}

// FoldingStep is the name of the folding among the steps that are left to do.
var FoldingStep = fmt.Sprintf("folding_%d", predicate.FoldVersion)

// foldingWork is the name of the work on folded texts, among the leases. The state of this
// lease says how far the work has come. Nobody holds the lease: the stores see to it by
// themselves that one process is at work.
const foldingWork = "folding"

// foldingState is how far texts are folded by a version.
type foldingState struct {
	Version int
	Table   int   // of foldedTables
	After   []any // the key of the last folded row
	Percent int
}

// foldedUpTo returns how far this version has folded the texts.
func foldedUpTo(ctx context.Context, db bun.IDB) (at foldingState, err error) {
	var text string
	err = db.NewRaw("SELECT state FROM leases WHERE name = ?", foldingWork).Scan(ctx, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return foldingState{}, nil
	}
	if err != nil {
		return at, fmt.Errorf("how far texts are folded cannot be read: %w", err)
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&at); err != nil || at.Version != predicate.FoldVersion {
		return foldingState{}, nil // of another version: this one begins anew
	}
	for i, key := range at.After {
		if number, ok := key.(json.Number); ok {
			if at.After[i], err = number.Int64(); err != nil {
				return foldingState{}, nil // begins anew, too
			}
		}
	}
	return at, nil
}

// FoldingProgress returns how far this version has folded the texts, in percent.
func FoldingProgress(ctx context.Context, db bun.IDB) (percent int, err error) {
	at, err := foldedUpTo(ctx, db)
	return at.Percent, err
}

func (d *Dialect) keepFolding(ctx context.Context, db *bun.DB, at foldingState) error {
	text, err := json.Marshal(at)
	if err != nil {
		return fmt.Errorf("%w", err)
	}
	_, err = db.ExecContext(ctx, "INSERT INTO leases (name, version, state) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET state = excluded.state",
		foldingWork, d.ID(ident.ID{15: 1}), string(text))
	return err
}

// share returns how much of all tables is folded up to a row of the table, in percent. Each
// table counts the same.
func (t foldedTable) share(ctx context.Context, db *bun.DB, key []any, place int) (percent int, err error) {
	var highest int64
	if err := db.NewRaw("SELECT coalesce(max("+t.keys[0]+"), 0) FROM "+t.name).Scan(ctx, &highest); err != nil {
		return 0, err
	}
	reached, _ := key[0].(int64)
	return int((float64(place) + float64(reached)/float64(max(1, highest))) * 100 / float64(len(foldedTables))), nil
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

// fold folds a portion: the texts of the first rows after a key. It returns the key of the
// last one, or nil when there are no more. A server may delete rows meanwhile.
func (t foldedTable) fold(ctx context.Context, db *bun.DB, after []any, lock string) (last []any, err error) {
	if last, err = t.portion(ctx, db, after); err != nil || last == nil {
		return nil, err
	}
	var updates strings.Builder
	keys, among := strings.Join(t.keys, ", "), placeholders(len(t.keys))
	if err := t.read(ctx, db, t.columns(), func(values []any) {
		updates.WriteString(t.update(db, values[:len(t.keys)], values[len(t.keys):]))
	}, "WHERE ("+keys+") > ("+among+") AND ("+keys+") <= ("+among+") ORDER BY "+keys+lock, slices.Concat(after, last)...); err != nil {
		return nil, err
	}
	if updates.Len() > 0 {
		_, err = db.ExecContext(ctx, updates.String())
	}
	return last, err
}

// portion returns the key of the last row of the portion after a key; nil when there are no
// more rows. As in a portion of comments, it reads nothing but the lengths of the texts.
func (t foldedTable) portion(ctx context.Context, db *bun.DB, after []any) (last []any, err error) {
	var size int64
	columns := t.columns()
	lengths := make([]string, 0, len(columns))
	for _, text := range columns[len(t.keys):] {
		lengths = append(lengths, "coalesce(octet_length("+text+"), 0)")
	}
	columns = append(columns[:len(t.keys):len(t.keys)], strings.Join(lengths, " + "))
	keys := strings.Join(t.keys, ", ")
	err = t.read(ctx, db, columns, func(values []any) {
		n, _ := values[len(t.keys)].(int64)
		if size += n; last == nil || size <= foldedBytes {
			last = values[:len(t.keys)]
		}
	}, "WHERE ("+keys+") > ("+placeholders(len(t.keys))+") ORDER BY "+keys+fmt.Sprintf(" LIMIT %d", foldedAtOnce), after...)
	return last, err
}

// columns are the columns of the key, and of each text and its two folded forms.
func (t foldedTable) columns() []string {
	columns := slices.Clone(t.keys)
	for _, text := range t.texts {
		columns = append(columns, text, text+"_c", text+"_cd")
	}
	return columns
}

// read calls fn with the values of the columns of each row.
func (t foldedTable) read(ctx context.Context, db *bun.DB, columns []string, fn func(values []any), rest string, args ...any) error {
	found, err := db.QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+t.name+" "+rest, args...)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		values := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := found.Scan(into...); err != nil {
			return err
		}
		fn(values)
	}
	return found.Err()
}

// update returns the statement to correct the folded forms of the row with a key, or "" when
// they are right. values are the texts of the row, each with its two folded forms behind it.
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
