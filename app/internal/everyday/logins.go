package everyday

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/problemtracking/problems/app/internal/transfer"
	"github.com/problemtracking/problems/domain/access"
)

// login is a server with a token for it.
type login struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	User  string `json:"user"` // the name of its user, for people
}

// logins are the content of the file of logins. The first one counts when none is named.
type logins []login

// loginsFile returns the path of the file.
func loginsFile(getenv func(string) string) (string, error) {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // others do not count, says the standard
		home := getenv("HOME")
		if home == "" {
			return "", errors.New("there is no place for logins: set XDG_CONFIG_HOME or HOME")
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "problems", "logins.json"), nil
}

// readLogins returns the logins; none without a file.
func readLogins(getenv func(string) string) (all logins, err error) {
	path, err := loginsFile(getenv)
	if err != nil {
		return nil, nil // a system without a home has no logins
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	return all, nil
}

// write replaces the file. Only its owner can read it.
func (l logins) write(getenv func(string) string) error {
	path, err := loginsFile(getenv)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	f, err := transfer.CreateFile(path, true)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(text, '\n')); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Keep()
}

// find returns the place of the login for a server, by its address or host; -1 without one.
func (l logins) find(server string) int {
	return slices.IndexFunc(l, func(one login) bool {
		u, err := url.Parse(one.URL)
		return err == nil && (one.URL == strings.TrimRight(server, "/") || u.Host == server || u.Hostname() == server)
	})
}

// address returns the full address of a server: plain HTTP on this machine alone.
func address(server string) string {
	if !strings.Contains(server, "://") {
		scheme := "https://"
		if host, err := url.Parse("//" + server); err == nil && slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, host.Hostname()) {
			scheme = "http://"
		}
		server = scheme + server
	}
	return strings.TrimRight(server, "/")
}

// secret returns a token without its surroundings, or an error that does not repeat it.
func secret(text string) (string, error) {
	s, err := access.ParseSecret(strings.TrimSpace(text))
	if err != nil {
		return "", err
	}
	return s.Reveal(), nil
}
