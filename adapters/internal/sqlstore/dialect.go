package sqlstore

import (
	"context"
	"reflect"

	"github.com/uptrace/bun/schema"

	"github.com/problemtracking/problems/adapters/internal/sqlstore/sqlsearch"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Syntax holds the differences between the SQL of the two databases.
type Syntax struct {
	// Syntax is that of searches.
	sqlsearch.Syntax
	// Bun maps bun's models to tables.
	Bun schema.Dialect
	// IDInto returns the destination to scan an identifier into.
	IDInto func(*ident.ID) any
	// Lock ends a SELECT; no other transaction may change or lock its rows before this
	// one ends. It is empty where the database has one writer at a time.
	Lock string
	// List returns a list of numbers as an argument: see InList.
	List func([]problem.ID) any
	// NextPosition is an expression for the next position. It is empty when the
	// adapter counts positions itself and gives each as an argument.
	NextPosition string
	// SetIfChanged are the columns of problems to set only if their value changes. It is
	// for databases that write an index entry for every column in the SET clause, changed
	// or not. It is empty for others.
	SetIfChanged []string
	// Publish stores an entry of the feed, from its batch, size and body.
	Publish string
	// Parts looks for a text in the index of parts. It returns the number of problems that can have it
	// in their titles, or of comments that can have it, and the list of their numbers or positions, as
	// an argument of InList; nil when there are more than so many. Parts is nil where no index finds
	// parts of texts.
	Parts func(ctx context.Context, session Session, s sqlsearch.Sought, most int) (found int, list any, err error)
	// Unnumbered is true where nothing gives numbers to the entries of the audit log.
	Unnumbered bool
	// WholeFeed is the table of the feed together with the entries without a number, in
	// the order of their numbering.
	WholeFeed string
}

// Dialect is [Syntax] with the statements made from it. It is made by [New] and never
// changes.
type Dialect struct {
	Syntax
	models map[reflect.Type]model

	problems, savepoints, log, comments, attachments, keywords, relationships, watchers, reads, tokens, queries, sessions, webhooks, leases, audit, feed Table

	update update

	problemAt, claimAt, webhookAt, leaseAt, neighbours, readProblems string
}

// Unfolded returns the dialect for a store with texts that another version has folded.
// Its searches compare them in the process.
func (d *Dialect) Unfolded() *Dialect {
	unfolded := *d
	unfolded.Syntax.Syntax.Unfolded = true
	return &unfolded
}

// New returns the dialect of a syntax.
func New(s Syntax) *Dialect {
	const doNothing = " ON CONFLICT DO NOTHING"
	return &Dialect{
		Syntax:        s,
		models:        newModels(s.Bun),
		problems:      s.keyed("problems", "id, "+problemColumns, doNothing),
		savepoints:    s.ordered("savepoints", "problem, batch, "+fieldColumns, ""),
		log:           s.ordered("log", "problem, "+entryColumns, ""),
		comments:      s.ordered("comments", "problem, "+commentColumns+", text_c, text_cd", ""),
		attachments:   s.ordered("attachments", "problem, "+attachmentColumns, replacing("problem, id", attachmentColumns)),
		keywords:      s.keyed("keywords", "problem, name, value, name_c, name_cd, value_c, value_cd", replacing("problem, name", "value, value_c, value_cd")),
		relationships: s.keyed("relationships", "owner, type, other, created, author", doNothing),
		watchers:      s.keyed("watchers", "problem, user_id", doNothing),
		reads:         s.keyed("reads", "problem, user_id", doNothing),
		// The positions stay as they were when a row is put again. So does the progress of a webhook.
		tokens:   s.ordered("tokens", tokenColumns, replacing("id", tokenColumns)),
		queries:  s.ordered("queries", queryColumns, replacing("id", queryColumns)),
		sessions: s.ordered("sessions", sessionColumns, replacing("id", sessionColumns)),
		webhooks: s.ordered("webhooks", "id, version, settings, progress", replacing("id", "version, settings")),
		leases:   s.keyed("leases", leaseColumns, replacing("name", leaseColumns)),
		audit:    s.ordered("audit", auditColumns, ""),
		feed:     s.keyed("feed", "number, batch, size, body", ""),

		update: s.updating(),

		problemAt:    "SELECT 1 FROM problems WHERE id = ? AND revision = ? AND batch IS NOT DISTINCT FROM ?" + s.Lock,
		claimAt:      "SELECT 1 FROM problems WHERE id = ? AND claim IS NOT DISTINCT FROM ? AND claim_expires IS NOT DISTINCT FROM ?" + s.Lock,
		webhookAt:    "SELECT 1 FROM webhooks WHERE id = ? AND version = ?" + s.Lock,
		leaseAt:      "SELECT 1 FROM leases WHERE name = ? AND version = ?" + s.Lock,
		neighbours:   "SELECT owner, other, created, author FROM relationships WHERE type = ? AND owner " + s.InList,
		readProblems: "SELECT id, " + snapshotColumns + " FROM problems WHERE id " + s.InList,
	}
}
