package client

import (
	"context"
	"crypto/rand"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// at returns a request for a problem, or for something below it.
func at(method string, problem int64, below ...string) Request {
	return Request{Method: method, Path: append([]string{"problems", strconv.FormatInt(problem, 10)}, below...)}
}

// NewKey draws an Idempotency-Key.
func NewKey() string { return rand.Text() }

// create returns a request that creates something, with a new Idempotency-Key.
func create(r Request, body any) Request {
	r.Body, r.Key = body, NewKey()
	return r
}

// Create creates a problem (W1).
func (c *Client) Create(ctx context.Context, p NewProblem, options ...Option) (made Problem, err error) {
	_, err = c.Do(ctx, create(Request{Method: http.MethodPost, Path: []string{"problems"}}, p), &made, options...)
	return made, err
}

// Report is a problem to create, unless there is an unresolved one with the keyword (D55).
type Report struct {
	// Keyword is what reports of the same fault have in common. It has a value.
	Keyword Keyword    `json:"keyword"`
	Problem NewProblem `json:"problem"`
	Comment string     `json:"comment,omitempty"` // is added to the problem, new or not
}

// Report creates a problem, or comments on the one that is there.
func (c *Client) Report(ctx context.Context, report Report, options ...Option) (p Problem, created bool, err error) {
	header, err := c.Do(ctx, create(Request{Method: http.MethodPost, Path: []string{"problems", "report"}}, report), &p, options...)
	return p, header.Get("Location") != "", err
}

// Problem loads a problem with its log (R1).
func (c *Client) Problem(ctx context.Context, number int64, options ...Option) (Problem, error) {
	return Load[Problem](ctx, c, number, options...)
}

// Load does the same with a record of the caller.
func Load[T any](ctx context.Context, c *Client, number int64, options ...Option) (p T, err error) {
	_, err = c.Do(ctx, at(http.MethodGet, number), &p, options...)
	return p, err
}

// Update changes fields of a problem (W2), and adds a comment. With a [Key], a repeat changes nothing.
func (c *Client) Update(ctx context.Context, number int64, p Patch, options ...Option) (now Problem, err error) {
	r := at(http.MethodPatch, number)
	r.Body = p
	if p.Comment != "" {
		r.Key = NewKey()
	}
	_, err = c.Do(ctx, r, &now, options...)
	return now, err
}

// Comment adds a comment (W3).
func (c *Client) Comment(ctx context.Context, number int64, comment NewComment, options ...Option) (made Comment, err error) {
	_, err = c.Do(ctx, create(at(http.MethodPost, number, "comments"), comment), &made, options...)
	return made, err
}

// Comments returns the comments of a problem, oldest first (R2).
func (c *Client) Comments(ctx context.Context, number int64, options ...Option) iter.Seq2[Comment, error] {
	r := at(http.MethodGet, number, "comments")
	r.Query = url.Values{"limit": {strconv.Itoa(pageSize)}}
	return All[Comment](ctx, c, r, options...)
}

// SetKeyword sets a keyword, new or not (W4).
func (c *Client) SetKeyword(ctx context.Context, number int64, k Keyword, options ...Option) error {
	r := at(http.MethodPut, number, "keywords", k.Name)
	r.Body = k.Value // null for a keyword without a value
	_, err := c.Do(ctx, r, nil, options...)
	return err
}

// DeleteKeyword deletes a keyword (W5).
func (c *Client) DeleteKeyword(ctx context.Context, number int64, name string, options ...Option) error {
	_, err := c.Do(ctx, at(http.MethodDelete, number, "keywords", name), nil, options...)
	return err
}

// link is one side of a relationship.
type link struct {
	Type  string `json:"type"`
	Other int64  `json:"problemIdentifier"`
}

// Relate adds a relationship of a type, with its mirror on the other problem (W6).
func (c *Client) Relate(ctx context.Context, number int64, relationship string, other int64, options ...Option) (made Relationship, err error) {
	r := at(http.MethodPut, number, "relationships")
	r.Body = link{relationship, other}
	_, err = c.Do(ctx, r, &made, options...)
	return made, err
}

// Unrelate deletes a relationship, with its mirror (W7).
func (c *Client) Unrelate(ctx context.Context, number int64, relationship string, other int64, options ...Option) error {
	r := at(http.MethodDelete, number, "relationships")
	r.Body = link{relationship, other}
	_, err := c.Do(ctx, r, nil, options...)
	return err
}

// Relationships returns the relationships of a problem (R3).
func (c *Client) Relationships(ctx context.Context, number int64, options ...Option) (all []Relationship, err error) {
	_, err = c.Do(ctx, at(http.MethodGet, number, "relationships"), &all, options...)
	return all, err
}

// Watch adds a watcher (W8).
func (c *Client) Watch(ctx context.Context, number int64, user Partial, options ...Option) (watcher User, err error) {
	r := at(http.MethodPut, number, "watchers")
	r.Body = user
	_, err = c.Do(ctx, r, &watcher, options...)
	return watcher, err
}

// Watchers returns the watchers of a problem (R4).
func (c *Client) Watchers(ctx context.Context, number int64, options ...Option) (all []User, err error) {
	_, err = c.Do(ctx, at(http.MethodGet, number, "watchers"), &all, options...)
	return all, err
}

// Me returns the owner of the token (D33).
func (c *Client) Me(ctx context.Context) (me Me, err error) {
	_, err = c.Do(ctx, Request{Method: http.MethodGet, Path: []string{"me"}}, &me)
	return me, err
}

// NewOwnToken is a token to be made for oneself.
type NewOwnToken struct {
	Scope   string     `json:"scope"`
	Name    string     `json:"name,omitempty"`
	Expires *time.Time `json:"expires,omitempty"` // nil: as late as possible
}

// OwnTokens returns the tokens of the owner of the token (D50).
func (c *Client) OwnTokens(ctx context.Context) ([]Token, error) {
	return List[Token](ctx, c, "me", "tokens")
}

// CreateOwnToken makes a token for the owner of the token. The server keeps no answer with a
// secret, so this is not repeated: after [ErrUnknown], revoke the token that may be there.
func (c *Client) CreateOwnToken(ctx context.Context, t NewOwnToken) (made Token, err error) {
	_, err = c.Do(ctx, Request{Method: http.MethodPost, Path: []string{"me", "tokens"}, Body: t}, &made)
	return made, err
}

// RevokeOwnToken revokes a token of the owner of the token, also the token itself.
func (c *Client) RevokeOwnToken(ctx context.Context, identifier string) error {
	_, err := c.Do(ctx, Request{Method: http.MethodDelete, Path: []string{"me", "tokens", identifier}}, nil)
	return err
}
