package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/alecthomas/kong"

	"github.com/problemtracking/problems/app/backend"
)

// Storage says where the data is, and how a database with it is used.
type Storage struct {
	Store            backend.URL `placeholder:"URL" help:"URL of the store: ${store_urls}. Default: ${store_default}."`
	DataDir          string      `default:"${data_dir}" placeholder:"DIR" help:"Directory of the default store. The service creates a missing one. Default: $$XDG_DATA_HOME/problems or ~/.local/share/problems."`
	StorePassword    Password    `postgres:"" placeholder:"PASSWORD" help:"Password of the PostgreSQL database, instead of one in its URL. Better set as a variable: other users of the machine can see flags."`
	Database         `embed:"" prefix:"store-"`
	StoreDirect      backend.URL   `postgres:"" placeholder:"URL" help:"Second URL of the PostgreSQL database, around the pooler in --store, for migrations. Default: the URL in --store."`
	StoreConnections int           `postgres:"" default:"16" placeholder:"N" help:"Most connections to the PostgreSQL database at a time. Searches use at most half. Default: ${default}."`
	AutoMigrate      bool          `postgres:"" default:"true" negatable:"" help:"Bring the schema of a PostgreSQL database up to date at the start. Otherwise, run \"problems migrate\" before. Default: ${default}."`
	MigrationTimeout time.Duration `postgres:"" default:"30s" placeholder:"TIME" help:"Longest wait for another migration of the PostgreSQL database, or for a lock on a table. Default: ${default}."`

	// fallback is the store in DataDir. Prepare makes the directory for it.
	fallback backend.URL `kong:"-"`
	// missing is the error of a use without a store.
	missing error `kong:"-"`
}

// Kong returns the options for reading URLs of stores. The kinds of the registry explain
// them. dataDir is the default of --data-dir.
func Kong(stores *backend.Registry, dataDir string) kong.Option {
	otherwise := "the file " + stores.DefaultFile() + " in the data directory"
	if stores.DefaultFile() == "" {
		otherwise = "none"
	}
	return kong.OptionFunc(func(k *kong.Kong) error {
		for _, o := range []kong.Option{
			kong.Bind(stores),
			kong.Vars{"data_dir": dataDir, "store_urls": stores.Help(), "store_default": otherwise},
			kong.TypeMapper(reflect.TypeFor[backend.URL](), kong.MapperFunc(func(c *kong.DecodeContext, target reflect.Value) error {
				var text string
				if err := c.Scan.PopValueInto("url", &text); err != nil {
					return err
				}
				store, err := stores.Parse(text)
				if err == nil {
					target.Set(reflect.ValueOf(store))
				}
				return err
			})),
		} {
			if err := o.Apply(k); err != nil {
				return err
			}
		}
		return nil
	})
}

// AfterApply is called by kong once all flags are set. It names the default store, if
// there is one, and checks the flags for it.
func (s *Storage) AfterApply(command *kong.Context, stores *backend.Registry, f *Faults) error {
	if s.DataDir != "" {
		dir, err := filepath.Abs(s.DataDir)
		if err != nil {
			return f.Add(fmt.Errorf("--data-dir: %w", err))
		}
		s.fallback = stores.Default(dir)
		if s.Store == (backend.URL{}) {
			s.DataDir, s.Store = dir, s.fallback
		}
	}
	s.missing = stores.NoStore()
	if err := CheckTyped(command, "", s.Store); err != nil || !s.Store.IsDatabase() {
		return f.Add(err)
	}
	return f.Add(s.faults()...)
}

// faults returns the faults of the settings of a database.
func (s *Storage) faults() (faults []error) {
	if s.StorePassword.Given() && s.PasswordFile != "" {
		faults = append(faults, errors.New("--store-password and --store-password-file exclude each other"))
	}
	if s.StoreDirect != (backend.URL{}) && s.StoreDirect.Kind() != s.Store.Kind() {
		faults = append(faults, fmt.Errorf("--store-direct has to be another URL of the database of --store: %s", s.Store.Kind().Forms[0]))
	}
	if s.StoreConnections < 1 {
		faults = append(faults, errors.New("--store-connections has to be at least 1"))
	}
	if s.MigrationTimeout < time.Millisecond {
		faults = append(faults, errors.New("--migration-timeout has to be at least 1ms"))
	}
	return append(faults, s.Check("store-"))
}

// Named fails with backend.ErrNoStore when the settings name no store. There is no
// default store without a home directory, or without a kind for one.
func (s *Storage) Named() error {
	switch {
	case s.Store.Kind() != nil:
		return nil
	case s.missing != nil:
		return s.missing
	}
	return backend.ErrNoStore
}

// Prepare makes the data directory if the store is the default one. Directories
// of other stores are their owners' to make.
func (s *Storage) Prepare() error {
	if s.Store == (backend.URL{}) || s.Store != s.fallback {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.Store.Path()), 0o700); err != nil {
		return fmt.Errorf("the data directory cannot be made: %w", err)
	}
	return nil
}

// Password returns the given password of the database, also from a file; "" without one.
func (s *Storage) Password() (string, error) {
	return readPassword("the password of the database", s.StorePassword, s.PasswordFile)
}
