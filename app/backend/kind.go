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
	// Forms show what a URL looks like, in --help and in errors. By default, those of
	// a kind with File are scheme:relative.db and scheme:///absolute/path.db.
	Forms []string
	// Note follows the forms in --help, in parentheses. It may be empty.
	Note string

	// File says that a store is a file or a directory on this machine. The URL then is
	// a scheme and a path, percent-encoded, and Options.Path is the path. A command
	// that needs an existing store fails by itself when nothing is at the path.
	File bool
	// DefaultFile is the name of the default store in the data directory of the
	// program. It needs File, and only one kind may have it. Empty: the default store
	// is of another kind.
	DefaultFile string
	// Parameters are the names that the query of a URL may have. A URL with another
	// name is refused. Their values are in Options.Parameters.
	Parameters []string
	// Check, if not nil, refuses a URL that makes no sense. Without File, it replaces
	// all checks but that of the scheme, so that the URL may have any form. It does no
	// I/O. Its error must not repeat the URL, because that may have a password.
	Check func(url string) error
	// Mask, if not nil, returns a URL without its password, for printing. By default
	// the password before the host is masked, and so is the value of each parameter
	// with "password", "secret", "token" or "key" in its name.
	Mask func(url string) string

	// Sharing says how many processes can use one store.
	Sharing Sharing
	// Open opens a store. Every failure is an error that a person can act on;
	// fault.Unavailable is for a store that is in use elsewhere (with Exclusive), or
	// away for now (with Shared). Search has to work like the rest of the port:
	// search.Scan does that for a store that can only iterate. If the store has a
	// method Host() string, the log and the metrics name the host.
	Open func(context.Context, Options) (store.Store, error)
	// Schema is for "problems migrate". It is nil for a kind without a schema, and for
	// one whose Open does all that is needed.
	Schema *Schema
	// Backup, if not nil, writes a copy of a store to a file, which is empty, and
	// returns how many problems the copy has. A service may be writing meanwhile.
	Backup func(ctx context.Context, o Options, to string) (problems int, err error)
	// InsteadOfBackup is a sentence for "problems backup" without Backup. By default it
	// points to "problems export".
	InsteadOfBackup string

	// Database says that the settings of a database server apply: the flags that name
	// PostgreSQL in --help. They are in Options.Database. For all other kinds, the
	// program refuses them.
	Database bool
	// Searches, if not nil, returns how many searches the store gets at a time. At
	// least as many more calls have to go through meanwhile. The password is not in
	// the options yet. 0 leaves the number to the service.
	Searches func(Options) int
	// Metrics, if not nil, returns what /metrics reports beside the figures of every
	// store. It gets the store that Open returned.
	Metrics func(store.Store) []prometheus.Collector
}

// Sharing says how many processes can use one store at a time. The zero Sharing is
// none of them, and is refused.
type Sharing int

// The ways to share a store.
const (
	// Private stores are inside the process that opened them, and end with it. Only
	// "problems serve" can use one.
	Private Sharing = iota + 1
	// Exclusive stores are open in one process at a time. While a service uses one,
	// Open fails elsewhere with fault.Unavailable. The service then tells people to
	// make tokens through it, not through the store.
	Exclusive
	// OneService stores take one service at a time; commands work beside it. Open
	// locks the store when Options.Serving is true.
	OneService
	// Shared stores take any number of processes. A service that starts waits while
	// Open fails with fault.Unavailable or fault.UnknownOutcome.
	Shared
)

// Schema is the schema of a kind of store. All but WithoutLog are required. They work
// beside services that use the store.
type Schema struct {
	// Status returns all steps in their order, without changing anything.
	Status func(context.Context, Options) ([]Step, error)
	// Plan returns the statements that Migrate would run; "" when no step is left.
	Plan func(context.Context, Options) (string, error)
	// Migrate does the steps that are left, and returns all. It makes a store that
	// does not exist.
	Migrate func(context.Context, Options) ([]Step, error)
	// WithoutLog is Migrate for a file whose write-ahead log is gone. It accepts the
	// loss of the last writes. nil: the kind has no such log.
	WithoutLog func(context.Context, Options) ([]Step, error)
}

// Step is one step of a schema.
type Step struct {
	Name string // as "problems migrate" shows it
	Done bool   // false: Migrate would do it
}
