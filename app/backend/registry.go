package backend

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Registry is a set of kinds. It is made by [New], and never changes.
type Registry struct {
	kinds    []*Kind
	byScheme map[string]*Kind
	byFile   *Kind // the kind with a DefaultFile; nil: none
}

// schemeForm is the form of RFC 3986, section 3.1, and kindForm the same in lower case.
var (
	schemeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)
	kindForm   = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)
)

// New returns the registry of some kinds. It fails when a kind is incomplete, or when
// two kinds have the same scheme or a default store each. The error names the kind and
// the member.
func New(kinds ...Kind) (*Registry, error) {
	if len(kinds) == 0 {
		return nil, errors.New("there is no kind of store: pass at least one Kind")
	}
	r := &Registry{byScheme: map[string]*Kind{}}
	for i, k := range kinds {
		if err := k.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", k.calledAt(i), err)
		}
		for _, scheme := range k.Schemes {
			if other := r.byScheme[scheme]; other != nil {
				return nil, fmt.Errorf("%s: its Schemes have %q, which %s has: no two kinds can share a scheme", k.calledAt(i), scheme, other.calledAt(i))
			}
			r.byScheme[scheme] = &k
		}
		if k.DefaultFile != "" {
			if r.byFile != nil {
				return nil, fmt.Errorf("%s: it has a DefaultFile, as %s has: there is one default store, so clear it in one of them", k.calledAt(i), r.byFile.calledAt(i))
			}
			r.byFile = &k
		}
		if k.File && len(k.Forms) == 0 {
			k.Forms = []string{k.Schemes[0] + ":relative.db", k.Schemes[0] + ":///absolute/path.db"}
		}
		r.kinds = append(r.kinds, &k)
	}
	return r, nil
}

// calledAt returns how errors call the kind at an index.
func (k *Kind) calledAt(i int) string {
	switch {
	case k.Name != "":
		return fmt.Sprintf("the kind of store %q", k.Name)
	case len(k.Schemes) > 0:
		return fmt.Sprintf("the kind of store with the scheme %q", k.Schemes[0])
	}
	return fmt.Sprintf("kind of store %d", i+1)
}

// check fails when a required member is missing or members contradict each other.
func (k *Kind) check() error {
	switch {
	case k.Name == "":
		return errors.New(`its Name is empty: give a noun phrase such as "a bbolt file"`)
	case len(k.Schemes) == 0:
		return errors.New(`it has no Schemes: give at least one, such as "bolt"`)
	case k.Open == nil:
		return errors.New("its Open is nil: nothing could open a store")
	case k.Sharing < Private || k.Sharing > Shared:
		return errors.New("its Sharing is none of Private, Exclusive, OneService and Shared")
	case !k.File && len(k.Forms) == 0:
		return errors.New("it has no Forms: show at least one URL, or set File")
	case !k.File && k.DefaultFile != "":
		return errors.New("it has a DefaultFile, but File is false: only a file can be the default store")
	case k.DefaultFile != filepath.Base(k.DefaultFile) && k.DefaultFile != "":
		return fmt.Errorf("its DefaultFile is %q: give a name without a directory", k.DefaultFile)
	}
	for _, scheme := range k.Schemes {
		if !kindForm.MatchString(scheme) {
			return fmt.Errorf("its Schemes have %q: want a lower-case letter first, then lower-case letters, digits, +, - and dots", scheme)
		}
	}
	for _, form := range k.Forms {
		if scheme, _, found := strings.Cut(form, ":"); !found || !slices.Contains(k.Schemes, scheme) {
			return fmt.Errorf("its Forms have %q, without one of its Schemes: begin it with %q", form, k.Schemes[0]+":")
		}
	}
	if k.Schema == nil {
		return nil
	}
	for _, member := range []struct {
		name    string
		missing bool
	}{{"Status", k.Schema.Status == nil}, {"Plan", k.Schema.Plan == nil}, {"Migrate", k.Schema.Migrate == nil}} {
		if member.missing {
			return fmt.Errorf("its Schema.%s is nil: a kind with a Schema has to migrate; leave Schema nil if there is nothing to migrate", member.name)
		}
	}
	return nil
}

// Default returns the default store in a data directory, given by its absolute path. It
// returns the zero URL when no kind has a DefaultFile.
func (r *Registry) Default(dataDir string) URL {
	if r.byFile == nil {
		return URL{}
	}
	return r.byFile.file(r.byFile.Schemes[0], filepath.Join(dataDir, r.byFile.DefaultFile), nil)
}

// DefaultFile returns the name of the default store in the data directory; "" when
// there is none.
func (r *Registry) DefaultFile() string {
	if r.byFile == nil {
		return ""
	}
	return r.byFile.DefaultFile
}

// NoStore returns ErrNoStore with the settings that would name a store.
func (r *Registry) NoStore() error {
	if r.byFile == nil {
		return fmt.Errorf("%w to a URL: %s", ErrNoStore, r.list(" or ", false))
	}
	return fmt.Errorf("%w or PROBLEMS_DATA_DIR, as there is no HOME", ErrNoStore)
}

// Forms returns the forms of all kinds, as a list within a sentence.
func (r *Registry) Forms() string { return r.list(" and ", false) }

// Help returns the forms of all kinds as alternatives, each with the Note of its kind.
func (r *Registry) Help() string { return r.list(" or ", true) }

// list returns the forms of all kinds, with a word before the last one.
func (r *Registry) list(word string, notes bool) string {
	var all []string
	for _, k := range r.kinds {
		all = append(all, k.Forms...)
		if notes && k.Note != "" {
			all[len(all)-1] += " (" + k.Note + ")"
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + word + all[last]
}
