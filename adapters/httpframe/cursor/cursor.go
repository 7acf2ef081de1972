// Package cursor writes the end of a page of search results as text in a link, and reads it
// back.
package cursor

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// token is a tracker.Position in the hands of clients: JSON in base64url, opaque to
// them. Nothing in it is secret or trusted: it holds values its user has just seen, and
// is checked like all other input.
type token struct {
	User    string     `json:"u"`
	Query   []byte     `json:"q"`
	Now     time.Time  `json:"n"`
	Keys    []tokenKey `json:"k,omitempty"`
	Problem problem.ID `json:"p,omitempty"`
	Object  string     `json:"o,omitempty"`
}

// tokenKey is a value of one type, or nil.
type tokenKey struct {
	Bool   *bool      `json:"b,omitempty"`
	Int    *int64     `json:"i,omitempty"`
	Float  *float64   `json:"f,omitempty"`
	String *string    `json:"s,omitempty"`
	ID     string     `json:"u,omitempty"`
	Date   *time.Time `json:"d,omitempty"`
}

// Write returns a position as clients see it.
func Write(p tracker.Position) (string, error) {
	c := token{User: p.User.String(), Query: p.Query[:], Now: p.Now, Problem: p.Problem}
	if !p.Object.IsNone() {
		c.Object = p.Object.String()
	}
	for _, value := range p.Keys {
		var key tokenKey
		switch v := value.(type) {
		case nil:
		case bool:
			key.Bool = &v
		case int64:
			key.Int = &v
		case float64:
			key.Float = &v
		case string:
			key.String = &v
		case ident.ID:
			key.ID = v.String()
		case time.Time:
			key.Date = &v
		default:
			return "", fault.New(fault.Internal, "a cursor cannot hold a %T", value)
		}
		c.Keys = append(c.Keys, key)
	}
	text, err := json.Marshal(c)
	return base64.RawURLEncoding.EncodeToString(text), err
}

// Read reads the text of Write. The service decides if it fits the search.
func Read(text string) (*tracker.Position, error) {
	c, err := parse(text)
	if err != nil {
		return nil, fault.Wrap(fault.MalformedRequest, err, "cursor has to be that of a link to the next page, as it stands there")
	}
	p := &tracker.Position{Now: c.Now.UTC(), Problem: c.Problem}
	copy(p.Query[:], c.Query)
	p.User, _ = ident.Parse(c.User) // or nobody's
	p.Object, _ = ident.Parse(c.Object)
	for _, key := range c.Keys {
		p.Keys = append(p.Keys, key.value())
	}
	return p, nil
}

func parse(text string) (c token, err error) {
	plain, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return c, err
	}
	strict := json.NewDecoder(bytes.NewReader(plain))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&c); err != nil {
		return c, err
	}
	if _, err := strict.Token(); err != io.EOF {
		return c, errors.New("there is more after its end")
	}
	if len(c.Query) != len(tracker.Position{}.Query) {
		return c, errors.New("no hash is as long")
	}
	return c, nil
}

// value returns the first non-nil value, or nil.
func (k tokenKey) value() predicate.Value {
	switch {
	case k.Bool != nil:
		return *k.Bool
	case k.Int != nil:
		return *k.Int
	case k.Float != nil:
		return *k.Float
	case k.String != nil:
		return *k.String
	case k.ID != "":
		id, _ := ident.Parse(k.ID)
		return id
	case k.Date != nil:
		return k.Date.UTC()
	}
	return nil
}
