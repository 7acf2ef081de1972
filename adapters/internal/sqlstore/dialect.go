package sqlstore

import (
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
	// Parts returns a statement with one row: the number of problems that can have a text in their
	// titles, or of comments that can have it, and the list of their numbers or positions, as an
	// argument of InList. The list is NULL when there are more than so many. Parts is nil where no
	// index finds parts of texts.
	Parts func(s sqlsearch.Sought, most int) Statement
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
		Syntax:     s,
		models:     newModels(s.Bun),
		problems:   s.keyed("problems", "id, "+problemColumns, doNothing),
		savepoints: s.ordered("savepoints", "problem, batch, "+fieldColumns, ""),
		log:        s.ordered("log", "problem, "+entryColumns, ""),
		comments:   s.ordered("comments", "problem, "+commentColumns+", text_c, text_cd", ""),
		attachments: s.ordered("attachments", "problem, "+attachmentColumns, " ON CONFLICT (problem, id) DO UPDATE SET name = excluded.name, "+
			"media_type = excluded.media_type, size = excluded.size, digest = excluded.digest, author = excluded.author, created = excluded.created, deleted = excluded.deleted"),
		keywords: s.keyed("keywords", "problem, name, value, name_c, name_cd, value_c, value_cd", " ON CONFLICT (problem, name) DO UPDATE SET "+
			"value = excluded.value, value_c = excluded.value_c, value_cd = excluded.value_cd"),
		relationships: s.keyed("relationships", "owner, type, other, created, author", doNothing),
		watchers:      s.keyed("watchers", "problem, user_id", doNothing),
		reads:         s.keyed("reads", "problem, user_id", doNothing),
		// The position stays as it was when a token is put again.
		tokens: s.ordered("tokens", tokenColumns, " ON CONFLICT (id) DO UPDATE SET "+
			"user_id = excluded.user_id, scope = excluded.scope, digest = excluded.digest, created = excluded.created, "+
			"expires = excluded.expires, revoked = excluded.revoked, invitation = excluded.invitation, name = excluded.name, last_use = excluded.last_use"),
		// So does the position of a saved query.
		queries: s.ordered("queries", queryColumns, " ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, name = excluded.name, "+
			"predicate = excluded.predicate, sort = excluded.sort, columns = excluded.columns, shared = excluded.shared, created = excluded.created"),
		// And that of a session.
		sessions: s.ordered("sessions", sessionColumns, " ON CONFLICT (id) DO UPDATE SET user_id = excluded.user_id, token = excluded.token, "+
			"scope = excluded.scope, digest = excluded.digest, agent = excluded.agent, created = excluded.created, expires = excluded.expires"),
		// And that of a webhook, with its progress.
		webhooks: s.ordered("webhooks", "id, version, settings, progress", " ON CONFLICT (id) DO UPDATE SET "+
			"version = excluded.version, settings = excluded.settings"),
		leases: s.keyed("leases", leaseColumns, " ON CONFLICT (name) DO UPDATE SET version = excluded.version, holder = excluded.holder, state = excluded.state"),
		audit:  s.ordered("audit", auditColumns, ""),
		feed:   s.keyed("feed", "number, batch, size, body", ""),

		update: s.updating(),

		problemAt:    "SELECT 1 FROM problems WHERE id = ? AND revision = ? AND batch IS NOT DISTINCT FROM ?" + s.Lock,
		claimAt:      "SELECT 1 FROM problems WHERE id = ? AND claim IS NOT DISTINCT FROM ? AND claim_expires IS NOT DISTINCT FROM ?" + s.Lock,
		webhookAt:    "SELECT 1 FROM webhooks WHERE id = ? AND version = ?" + s.Lock,
		leaseAt:      "SELECT 1 FROM leases WHERE name = ? AND version = ?" + s.Lock,
		neighbours:   "SELECT owner, other, created, author FROM relationships WHERE type = ? AND owner " + s.InList,
		readProblems: "SELECT id, " + snapshotColumns + " FROM problems WHERE id " + s.InList,
	}
}
