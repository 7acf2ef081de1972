package backend

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// URL names a store (D35). It is made by [Registry.Parse]. URLs can be compared: equal
// ones of the same Registry name the same store. The zero URL names none.
type URL struct {
	kind *Kind
	text string // with the password
	path string // with File
}

// Parse reads the URL of a store. Its errors do not repeat the URL: there may be a
// password in it.
func (r *Registry) Parse(text string) (URL, error) {
	scheme, rest, found := strings.Cut(text, ":")
	if k := r.byScheme[scheme]; k != nil && found {
		return k.parse(text, scheme, rest)
	}
	known := "the known ones are " + r.Forms()
	if !found || !schemeForm.MatchString(scheme) {
		return URL{}, errors.New("not the URL of a store: " + known)
	}
	return URL{}, fmt.Errorf("no store has the scheme %s: %s", scheme, known)
}

// parse reads the URL of a store of this kind.
func (k *Kind) parse(text, scheme, rest string) (URL, error) {
	if k.Check != nil {
		if err := k.Check(text); err != nil {
			return URL{}, err
		}
	}
	if k.File {
		return k.parseFile(scheme, rest)
	}
	if k.Check == nil {
		parsed, err := url.Parse(text)
		if err != nil {
			return URL{}, fmt.Errorf("the URL of %s looks like %s", k.Name, k.Forms[0])
		}
		if _, err := k.query(parsed.RawQuery); err != nil {
			return URL{}, err
		}
	}
	return URL{kind: k, text: text}, nil
}

// parseFile reads the URL of a file. rest is its part after the scheme.
func (k *Kind) parseFile(scheme, rest string) (URL, error) {
	forms := scheme + ":///absolute/path.db or " + scheme + ":relative.db"
	if after, found := strings.CutPrefix(rest, "//"); found {
		if !strings.HasPrefix(after, "/") {
			return URL{}, fmt.Errorf("%s is on this machine: write %s", k.Name, forms)
		}
		rest = after
	}
	rest, raw, asked := strings.Cut(rest, "?")
	if asked && len(k.Parameters) == 0 || strings.Contains(rest+raw, "#") {
		return URL{}, fmt.Errorf("%s takes no parameters; a ? in its path is written %%3F, a # is written %%23", k.Name)
	}
	query, err := k.query(raw)
	if err != nil {
		return URL{}, err
	}
	file, err := url.PathUnescape(rest)
	switch {
	case err != nil:
		return URL{}, fmt.Errorf("the path of %s is not percent-encoded: write %%25 for %%", k.Name)
	case file == "" || strings.HasSuffix(file, "/") || strings.ContainsRune(file, 0):
		return URL{}, fmt.Errorf("the URL does not name %s: write %s", k.Name, forms)
	}
	return k.file(scheme, filepath.Clean(file), query), nil
}

// query reads the query of a URL. It knows only the names in Parameters.
func (k *Kind) query(raw string) (url.Values, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, fmt.Errorf("the parameters of %s are not percent-encoded: write %%25 for %%", k.Name)
	}
	for name := range query {
		if !slices.Contains(k.Parameters, name) {
			known := "it takes none"
			if len(k.Parameters) > 0 {
				known = "the known ones are " + strings.Join(k.Parameters, ", ")
			}
			return nil, fmt.Errorf("%s has no parameter %q: %s", k.Name, name, known)
		}
	}
	return query, nil
}

// file returns the URL of a file, in its one form.
func (k *Kind) file(scheme, path string, query url.Values) URL {
	text := scheme + ":"
	if filepath.IsAbs(path) {
		text += "//"
	}
	text += (&url.URL{Path: path}).EscapedPath()
	if len(query) > 0 {
		text += "?" + query.Encode()
	}
	return URL{kind: k, text: text, path: path}
}

// Kind returns the kind of the store; nil for the zero URL.
func (u URL) Kind() *Kind { return u.kind }

// Path returns the path of a store with File; "" for others.
func (u URL) Path() string { return u.path }

// Reveal returns the URL with its password.
func (u URL) Reveal() string { return u.text }

// HasPassword reports whether the URL has a password. String masks it.
func (u URL) HasPassword() bool { return u.String() != u.text }

// String returns the URL without its password. Parse reads this form, too.
func (u URL) String() string {
	switch {
	case u.kind == nil:
		return ""
	case u.kind.Mask != nil:
		return u.kind.Mask(u.text)
	}
	return mask(u.text)
}

// Is reports whether the store is shared in the given way. It is false for the zero
// URL.
func (u URL) Is(s Sharing) bool { return u.kind != nil && u.kind.Sharing == s }

// IsSame reports whether both URLs surely name one store. With File, it compares the
// files, so two paths to one file are the same store. It is false for private stores,
// since each process has its own, and for two URLs of one database on a server.
func (u URL) IsSame(other URL) bool {
	switch {
	case u.kind == nil || u.kind != other.kind || u.Is(Private):
		return false
	case !u.kind.File:
		return u == other
	}
	return IsSameFile(u.path, other.path)
}

// IsSameFile reports whether two paths are of one file or folder. It is false while there is none.
func IsSameFile(one, other string) bool {
	a, err := os.Stat(one)
	if err != nil {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}

// IsDatabase reports whether the settings of a database server apply.
func (u URL) IsDatabase() bool { return u.kind != nil && u.kind.Database }

// masked stands for a password.
const masked = "xxxxx"

// mask returns a URL without its passwords. It changes nothing else.
func mask(text string) string {
	parsed, err := url.Parse(text)
	if err != nil {
		scheme, _, _ := strings.Cut(text, ":")
		return scheme + ":" + masked
	}
	if _, has := parsed.User.Password(); has {
		parsed.User = url.UserPassword(parsed.User.Username(), masked)
		text = parsed.String()
	}
	before, query, _ := strings.Cut(text, "?")
	pairs := strings.Split(query, "&")
	hidden := false
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if secret(name) && value != "" {
			pairs[i], hidden = name+"="+masked, true
		}
	}
	if !hidden {
		return text
	}
	return before + "?" + strings.Join(pairs, "&")
}

// secret reports whether the value of a parameter is to be masked.
func secret(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"password", "secret", "token", "key"}, func(part string) bool { return strings.Contains(name, part) })
}
