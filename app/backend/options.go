package backend

import (
	"log/slog"
	"net/url"
	"time"
)

// Options are the arguments of Kind.Open.
type Options struct {
	// URL is the URL of the store, with its password.
	URL string
	// Path is the path of the store, if its kind has File.
	Path string
	// Parameters is the query of the URL, if its kind has Parameters.
	Parameters url.Values
	// Existing forbids to make a store. It has to be there, with a schema.
	Existing bool
	// Serving is true for "problems serve", and false for all other commands.
	Serving bool
	// Database has further settings, if the kind has Database.
	Database Database
	// Logger is told of repairs and of accepted risks. It is never nil.
	Logger *slog.Logger
}

// Database are the settings of a database server.
type Database struct {
	// Password replaces the one in the URLs. It may be empty.
	Password string
	// CurrentPassword, if not nil, returns the password for each new connection, in
	// place of Password: a running service reads it again from its file.
	CurrentPassword func() string
	// Direct is a URL of the same database around a pooler. It may be empty.
	Direct string
	// Pooler is true if the URL leads to a pooler in transaction mode.
	Pooler bool
	// Connections is the most connections at a time; 0 stands for the default.
	Connections int
	// Timeout is for one statement.
	Timeout time.Duration
	// AcceptLoss opens a database even if it can lose confirmed writes.
	AcceptLoss bool
	// AutoMigrate brings the schema up to date when the store is opened.
	AutoMigrate bool
	// MigrationTimeout is how long to wait while another process migrates; 0 stands
	// for the default.
	MigrationTimeout time.Duration
}
