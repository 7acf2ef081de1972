package config

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/problemtracking/problems/adapters/postgres"
)

// The schemes of store URLs, one per storage adapter.
const (
	Memory   = "memory"
	SQLite   = "sqlite"
	Postgres = "postgres" // also written postgresql
)

// StoreURL names a store (D35). The zero StoreURL names none.
type StoreURL struct {
	Scheme string // Memory, SQLite or Postgres
	Path   string // the file, with Scheme SQLite
	// Address is the URL of the database, with Scheme Postgres. It may carry
	// a password: String is for showing.
	Address string
}

// ParseStoreURL reads the URL of a store: "memory:", "sqlite:relative.db" or
// "sqlite:///absolute/path.db", the path percent-encoded, or
// "postgres://user@host:5432/database?parameters". Its errors do not repeat the
// URL, which may carry a password.
func ParseStoreURL(text string) (StoreURL, error) {
	scheme, rest, _ := strings.Cut(text, ":")
	switch scheme {
	case Memory:
		if rest != "" {
			return StoreURL{}, errors.New("a store in memory is written memory: and nothing else")
		}
		return StoreURL{Scheme: Memory}, nil
	case SQLite:
		return parseSQLite(rest)
	case Postgres, "postgresql":
		if err := postgres.CheckURL(text); err != nil {
			return StoreURL{}, err
		}
		return StoreURL{Scheme: Postgres, Address: text}, nil
	}
	if scheme == text || !schemeForm.MatchString(scheme) {
		return StoreURL{}, errors.New("not the URL of a store: " + knownSchemes)
	}
	return StoreURL{}, fmt.Errorf("no store has the scheme %s: %s", scheme, knownSchemes)
}

const knownSchemes = "the known ones are memory:, sqlite:relative.db, sqlite:///absolute/path.db and postgres://user@host:5432/database"

// schemeForm is that of RFC 3986, section 3.1.
var schemeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)

func parseSQLite(rest string) (StoreURL, error) {
	if after, found := strings.CutPrefix(rest, "//"); found {
		if !strings.HasPrefix(after, "/") {
			return StoreURL{}, errors.New("a SQLite file is on this machine: write sqlite:///absolute/path.db or sqlite:relative.db")
		}
		rest = after
	}
	if strings.ContainsAny(rest, "?#") {
		return StoreURL{}, errors.New("a SQLite store takes no parameters; a ? in its path is written %3F, a # is written %23")
	}
	file, err := url.PathUnescape(rest)
	switch {
	case err != nil:
		return StoreURL{}, errors.New("the path of the SQLite file is not percent-encoded: write %25 for %")
	case file == "" || strings.HasSuffix(file, "/") || strings.ContainsRune(file, 0):
		return StoreURL{}, errors.New("the URL does not name a SQLite file: write sqlite:///absolute/path.db or sqlite:relative.db")
	case strings.HasPrefix(file, ":"):
		return StoreURL{}, errors.New("a store in memory is written memory:; a SQLite file cannot begin with a colon")
	}
	return StoreURL{Scheme: SQLite, Path: filepath.Clean(file)}, nil
}

// UnmarshalText is [ParseStoreURL].
func (u *StoreURL) UnmarshalText(text []byte) (err error) {
	*u, err = ParseStoreURL(string(text))
	return err
}

// HasPassword reports whether the URL carries one, which String masks.
func (u StoreURL) HasPassword() bool { return u.Scheme == Postgres && u.String() != u.Address }

// String returns the URL in the form that ParseStoreURL reads, without its
// password.
func (u StoreURL) String() string {
	switch {
	case u == StoreURL{}:
		return ""
	case u.Scheme == Postgres:
		return postgres.Mask(u.Address)
	case filepath.IsAbs(u.Path):
		return u.Scheme + "://" + (&url.URL{Path: u.Path}).EscapedPath()
	default:
		return u.Scheme + ":" + (&url.URL{Path: u.Path}).EscapedPath()
	}
}
