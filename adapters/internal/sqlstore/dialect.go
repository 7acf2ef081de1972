package sqlstore

import (
	"reflect"

	"github.com/uptrace/bun/schema"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
)

// Words are what the two databases say, or take, in different ways.
type Words struct {
	// Bun knows how bun's models stand in tables.
	Bun schema.Dialect
	// ID returns an identifier as an argument; ident.None is NULL.
	ID func(ident.ID) any
	// IDInto returns what an identifier is scanned into.
	IDInto func(*ident.ID) any
	// Lock ends a SELECT of rows that nobody else may change or lock until
	// the transaction ends; empty where there is one writer at a time.
	Lock string
	// Among follows a column that has to be one of a list, which is one
	// argument; List returns that argument.
	Among string
	List  func([]problem.ID) any
	// IDs, Texts and Numbers return such an argument of other values.
	IDs     func([]ident.ID) any
	Texts   func([]string) any
	Numbers func([]int64) any
	// NextPosition is an expression for the next position. It is empty when
	// the adapter counts them itself and gives each as an argument.
	NextPosition string
	// Apart are the columns of problems that are set only if they change,
	// where an UPDATE writes the entry of each index with a column that it
	// sets, changed or not. Empty where the database looks by itself.
	Apart []string
	// Finds are the conditions that a text, {text}, has another one, {part}, in
	// it, at its beginning or at its end.
	Finds map[predicate.Op]string
	// Form is the operator that compares a text with a form, and Pattern returns
	// the form as its argument.
	Form    string
	Pattern func(predicate.Pattern) string
	// Sum is the sum of integers, {value}: 0 when there are none, NULL when it
	// is no integer of 64 bits. None is negative.
	Sum string
	// Ranks returns a SELECT of the columns id and rank with its arguments.
	Ranks func([]ident.ID, []int64) (string, []any)
}

// Dialect is [Words] with the statements made from them. It is made by [New] and
// never changes.
type Dialect struct {
	Words
	models map[reflect.Type]model

	problems, savepoints, log, comments, keywords, relationships, watchers, reads, tokens, queries, audit Table

	update update

	problemAt, familyAt, neighbours, readProblems string
}

// New returns the dialect of the words.
func New(w Words) *Dialect {
	const doNothing = " ON CONFLICT DO NOTHING"
	return &Dialect{
		Words:      w,
		models:     newModels(w.Bun),
		problems:   w.kept("problems", "id, "+problemColumns, doNothing),
		savepoints: w.stamped("savepoints", "problem, batch, "+fieldColumns, ""),
		log:        w.stamped("log", "problem, id, type, created, author, batch, field, old_value, new_value, revision", ""),
		comments:   w.stamped("comments", "problem, id, author, created, text, html, text_c, text_cd", ""),
		keywords: w.kept("keywords", "problem, name, value, name_c, name_cd, value_c, value_cd", " ON CONFLICT (problem, name) DO UPDATE SET "+
			"value = excluded.value, value_c = excluded.value_c, value_cd = excluded.value_cd"),
		relationships: w.kept("relationships", "owner, type, other, created, author", doNothing),
		watchers:      w.kept("watchers", "problem, user_id", doNothing),
		reads:         w.kept("reads", "problem, user_id", doNothing),
		// The position stays as it was when a token is put again.
		tokens: w.stamped("tokens", "id, user_id, scope, digest, created, expires, revoked", " ON CONFLICT (id) DO UPDATE SET "+
			"user_id = excluded.user_id, scope = excluded.scope, digest = excluded.digest, created = excluded.created, "+
			"expires = excluded.expires, revoked = excluded.revoked"),
		// So does that of a saved query.
		queries: w.stamped("queries", queryColumns, " ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, name = excluded.name, "+
			"predicate = excluded.predicate, sort = excluded.sort, created = excluded.created"),
		audit: w.stamped("audit", auditColumns, ""),

		update: w.updating(),

		problemAt:    "SELECT 1 FROM problems WHERE id = ? AND revision = ? AND batch IS NOT DISTINCT FROM ?" + w.Lock,
		familyAt:     "SELECT 1 FROM families WHERE type = ? AND epoch = ? AND batch IS NOT DISTINCT FROM ?" + w.Lock,
		neighbours:   "SELECT owner, other, created, author FROM relationships WHERE type = ? AND owner " + w.Among,
		readProblems: "SELECT id, " + snapshotColumns + " FROM problems WHERE id " + w.Among,
	}
}
