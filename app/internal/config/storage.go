package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Storage says where the data is, and how a database with it is used.
type Storage struct {
	Store            StoreURL `placeholder:"URL" help:"Where the data is: sqlite:///absolute/path.db, sqlite:relative.db, postgres://user@host:5432/database?sslmode=verify-full (with parameters as libpq has them), or memory: (nothing survives a restart). Default: the file problems.db in the data directory."`
	DataDir          string   `default:"${data_dir}" placeholder:"DIR" help:"Directory of the default store; created when it is missing. Default: $$XDG_DATA_HOME/problems or ~/.local/share/problems."`
	StorePassword    Password `postgres:"" placeholder:"PASSWORD" help:"Password of the PostgreSQL database, instead of one in its URL. Better set as a variable: other users of the machine can see flags."`
	Database         `embed:"" prefix:"store-"`
	StoreDirect      StoreURL      `postgres:"" placeholder:"URL" help:"Second URL of the PostgreSQL database, around a pooler that --store leads to: for migrations. Default: that of --store."`
	StoreConnections int           `postgres:"" default:"16" placeholder:"N" help:"Most connections to the PostgreSQL database at a time, half of which searches can use. Default: ${default}."`
	AutoMigrate      bool          `postgres:"" default:"true" negatable:"" help:"Bring the schema of a PostgreSQL database up to date at the start. Without it \"problems migrate\" has to be run before. Default: ${default}."`
	MigrationTimeout time.Duration `postgres:"" default:"30s" placeholder:"TIME" help:"For which to wait while another process migrates the PostgreSQL database, or uses a table that is to be changed. Default: ${default}."`
}

// ErrNoStore says that no store was named, and none can be found by default.
var ErrNoStore = errors.New("no place for the data: set PROBLEMS_STORE or PROBLEMS_DATA_DIR, as there is no HOME")

// AfterApply is called by kong once all flags are set. It names the default
// store, if there is one, and checks that the flags are for it.
func (s *Storage) AfterApply(command *kong.Context) error {
	if s.Store == (StoreURL{}) && s.DataDir != "" {
		dir, err := filepath.Abs(s.DataDir)
		if err != nil {
			return fmt.Errorf("--data-dir: %w", err)
		}
		s.DataDir, s.Store = dir, defaultStore(dir)
	}
	if err := CheckTyped(command, "", s.Store); err != nil || s.Store.Scheme != Postgres {
		return err
	}
	switch {
	case s.StorePassword.Given() && s.PasswordFile != "":
		return errors.New("--store-password and --store-password-file exclude each other")
	case s.StoreDirect != (StoreURL{}) && s.StoreDirect.Scheme != Postgres:
		return errors.New("--store-direct has to be another URL of the database of --store: postgres://user@host:5432/database")
	case s.StoreConnections < 1:
		return errors.New("--store-connections has to be at least 1")
	case s.MigrationTimeout < time.Millisecond:
		return errors.New("--migration-timeout has to be at least 1ms")
	}
	return s.Check("store-")
}

func defaultStore(dir string) StoreURL {
	return StoreURL{Scheme: SQLite, Path: filepath.Join(dir, "problems.db")}
}

// Prepare makes the data directory if the store is the default one. Directories
// of other stores are their owners' to make.
func (s *Storage) Prepare() error {
	if s.DataDir == "" || s.Store != defaultStore(s.DataDir) {
		return nil
	}
	if err := os.MkdirAll(s.DataDir, 0o700); err != nil {
		return fmt.Errorf("the data directory cannot be made: %w", err)
	}
	return nil
}

// Password returns the password of the database that was given, also in a file;
// "" when none was. A line end at the end of the file does not count.
func (s *Storage) Password() (string, error) {
	if s.PasswordFile == "" {
		return s.StorePassword.Reveal(), nil
	}
	content, err := os.ReadFile(s.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("the password of the database cannot be read: %w", err)
	}
	password := strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")
	switch {
	case password == "":
		return "", fmt.Errorf("the password of the database cannot be read: %s is empty", s.PasswordFile)
	case strings.ContainsAny(password, "\n\x00"):
		return "", fmt.Errorf("the password of the database cannot be read: %s has more than one line", s.PasswordFile)
	}
	return password, nil
}
