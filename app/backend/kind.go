package backend

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/problemtracking/problems/domain/store"
)

// Kind describes a kind of store. [New] checks it: Name, Schemes, Sharing and Open are
// required, and Forms unless File is true.
//
// The program has no flags for a further kind. Such a kind takes its settings from the
// query of its URL: see Parameters.
type Kind struct {
	// Name is a noun phrase with its article, such as "a bbolt file". Errors use it
	// within a sentence.
	Name string
	// Schemes are the schemes of the URLs, in lower case and without the colon. No two
	// kinds share one.
	Schemes []string
	// Forms are examples of a URL, for --help and errors. Each begins with one of the
	// Schemes. A kind with File has a
	// default: scheme:relative.db and scheme:///absolute/path.db.
	Forms []string
	// Note follows the forms in --help, in parentheses. It may be empty.
	Note string

	// File is true if a store is a file or a directory on this machine. The URL then is
	// a scheme and a path, percent-encoded, and Options.Path is the path. Commands for
	// an existing store fail when nothing is at the path.
	File bool
	// DefaultFile is the name of the default store in the data directory of the
	// program. It needs File, and only one kind may have it. Empty: the default store
	// is of another kind.
	DefaultFile string
	// Parameters are the names in the query of a URL. The program refuses a URL with
	// another name. The values are in Options.Parameters.
	Parameters []string
	// Check, if not nil, refuses wrong URLs. Without File, it replaces all checks but
	// the one of the scheme, so the URL may have any form. It does no I/O. Its error
	// must not repeat the URL: there may be a password in it.
	Check func(url string) error
	// Mask, if not nil, returns a URL without its password, for printing. The default
	// masks the password before the host, and the value of each parameter with
	// "password", "secret", "token" or "key" in its name.
	Mask func(url string) string

	// Sharing says how many processes can use one store.
	Sharing Sharing
	// Open opens a store. People read its errors. It fails with fault.Unavailable if
	// another process has the store open (with Exclusive), or if the store is away for
	// now (with Shared). Search has to work like the rest of the port; search.Scan is
	// one for stores without queries. If the store has a method Host() string, the log
	// and the metrics name the host.
	Open func(context.Context, Options) (store.Store, error)
	// Schema is for "problems migrate". It is nil for a kind without a schema. It may be
	// nil, too, if Open always brings the store up to date.
	Schema *Schema
	// Examine, if not nil, is for "problems doctor": it finds faults of an existing store,
	// beside its services, and changes nothing. It fails when it cannot look.
	Examine func(context.Context, Options) ([]Finding, error)
	// Backup, if not nil, writes a copy of a store to an empty file, and returns how
	// many problems the copy has. A service may be writing meanwhile.
	Backup func(ctx context.Context, o Options, to string) (problems int, err error)
	// InsteadOfBackup is a sentence for "problems backup" without Backup. By default it
	// points to "problems export".
	InsteadOfBackup string

	// Compact, if not nil, removes the bytes of replaced and deleted texts from an existing
	// store, beside its services. It calls begun with the name and the size in bytes of each
	// part that it writes anew.
	Compact func(ctx context.Context, o Options, begun func(part string, bytes int64)) error
	// Remains says what still has such texts after Compact, each as a noun phrase.
	Remains []string

	// Database is true if the settings of a database server apply: the flags about
	// PostgreSQL in --help. Options.Database has their values. For all other kinds, the
	// program refuses these flags.
	Database bool
	// Searches, if not nil, returns how many searches the store gets at a time. At
	// least as many more calls have to go through meanwhile. The password is not in
	// the options yet. 0 leaves the number to the service.
	Searches func(Options) int
	// Metrics, if not nil, returns further figures for /metrics. Its argument is the
	// result of Open.
	Metrics func(store.Store) []prometheus.Collector
}

// Sharing says how many processes can use one store at a time. The zero Sharing is
// none of them, and is refused.
type Sharing int

// The ways to share a store.
const (
	// Private stores are inside one process, and end with it. Only "problems serve" can
	// use one.
	Private Sharing = iota + 1
	// Exclusive stores are open in one process at a time. While a service uses one,
	// Open fails elsewhere with fault.Unavailable. The service then tells people to
	// make tokens through it, not through the store.
	Exclusive
	// OneService stores take one service at a time; commands work beside it. Open
	// locks the store when Options.Serving is true.
	OneService
	// Shared stores take any number of processes. At its start, a service waits while
	// Open fails with fault.Unavailable or fault.UnknownOutcome.
	Shared
)

// Schema is the schema of a kind of store. All but WithoutLog are required. They work
// beside running services.
type Schema struct {
	// Status returns all steps in their order, without changing anything.
	Status func(context.Context, Options) ([]Step, error)
	// Plan returns the statements of the remaining steps; "" when none remains.
	Plan func(context.Context, Options) (string, error)
	// Migrate does the remaining steps and returns all steps. It makes the store if
	// there is none.
	Migrate func(context.Context, Options) ([]Step, error)
	// WithoutLog is Migrate for a file without its write-ahead log. It accepts the loss
	// of the last writes. nil: the kind has no such log.
	WithoutLog func(context.Context, Options) ([]Step, error)
}

// Step is one step of a schema.
type Step struct {
	Name string // as "problems migrate" shows it
	Done bool   // false: Migrate would do it
	// Final is true if versions without the step cannot use the store after it. The way
	// back is a backup.
	Final bool
	// Newer is true for a step that only a newer version knows, in a store that this
	// version can use.
	Newer bool
	// Background is true for a step that is done beside the service, and whose lack only
	// makes it slower.
	Background bool
	// UnderWay is true while somebody is at work on a background step. Percent is how much
	// is done, and Waits names what the work waits for; "": nothing.
	UnderWay bool
	Percent  int
	Waits    string
}

// Finding is a fault of a store, and the way to mend it.
type Finding struct {
	// Grave is true if the service cannot work, or if data is at risk.
	Grave bool
	What  string // a sentence without its full stop
	Mend  string // what to do, as an order
}
