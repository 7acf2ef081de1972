package config

import (
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/problemtracking/problems/app/backend"
)

// Database has the settings of a PostgreSQL database, for any flag with its URL. The
// names of its own flags begin like that one.
type Database struct {
	PasswordFile string        `postgres:"" placeholder:"FILE" help:"File with the password of the PostgreSQL database."`
	Pooler       bool          `postgres:"" help:"The URL leads to a pooler in transaction mode: use no prepared statements and no settings of a session."`
	Timeout      time.Duration `postgres:"" default:"10s" placeholder:"TIME" help:"Limit for one statement of the PostgreSQL database. Default: ${default}."`
	AcceptLoss   bool          `postgres:"" help:"Accept a PostgreSQL database that can lose acknowledged writes: with fsync or full_page_writes off, or an unlogged table. The service then also leaves synchronous_commit as it is."`
}

// Check fails for a value without sense. prefix is the begin of the flags' names.
func (d *Database) Check(prefix string) error {
	if d.Timeout < time.Millisecond {
		return fmt.Errorf("--%stimeout has to be at least 1ms", prefix)
	}
	return nil
}

// CheckTyped fails for a typed flag for databases, as its tag says, beside another kind
// of store. It looks at the flags with the prefix. It leaves variables out, because they
// are set for all commands and all stores.
func CheckTyped(command *kong.Context, prefix string, store backend.URL) error {
	if store.IsDatabase() {
		return nil
	}
	for flag := range typed(command) {
		if strings.HasPrefix(flag.Name, prefix) && flag.Tag.Has("postgres") {
			return fmt.Errorf("--%s is for PostgreSQL: the store is %s", flag.Name, store)
		}
	}
	return nil
}

// Typed reports whether the command line has a flag: a variable or a default does not count.
func Typed(command *kong.Context, name string) bool {
	for flag := range typed(command) {
		if flag.Name == name {
			return true
		}
	}
	return false
}

// typed are the flags of the command line.
func typed(command *kong.Context) iter.Seq[*kong.Flag] {
	return func(yield func(*kong.Flag) bool) {
		for _, element := range command.Path {
			if element.Flag != nil && !element.Resolved && !yield(element.Flag) {
				return
			}
		}
	}
}
