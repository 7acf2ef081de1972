package linearity

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/linear"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

func linearVersionCases() []bench.Case {
	return []bench.Case{{
		ID:     "VER-001/linear",
		Rule:   "Clients changing and reading users, tokens and Versions at once get the answers of some sequential order, by either way of asking for the versions.",
		Seeded: true,
		Run:    func(b *bench.Bench) { checkVersions(b) },
	}}
}

// accessState is the state of two users and two tokens. Both have the number of their last
// write; 0: they do not exist.
type accessState struct {
	versions store.Versions
	users    [2]int64
	tokens   [2]int64
	first    int // the first token, counted from 1; 0: none
}

func (r accessState) String() string {
	text := fmt.Sprintf("catalogue version %d with the users' numbers %d, access version %d with the tokens' numbers %d", r.versions.Catalogue.Number, r.users, r.versions.Access.Number, r.tokens)
	if r.first > 0 {
		text += fmt.Sprintf(", token %d first", r.first-1)
	}
	return text
}

// accessRequest is a client's request.
type accessRequest struct {
	number      int64 // 0: to be shown
	batch       ident.ID
	briefly     bool // shown the versions alone
	user, token int  // the user; -1: none
	// expects is whether the client expects the versions of its last View.
	expects bool
	from    store.Versions
}

func (r accessRequest) String() string {
	switch {
	case r.briefly:
		return "for the Versions"
	case r.number == 0:
		return "to be shown users and tokens"
	}
	text := fmt.Sprintf("for number %d on", r.number)
	if r.user >= 0 {
		text += fmt.Sprintf(" user %d", r.user)
	}
	if r.user >= 0 && r.token >= 0 {
		text += " and"
	}
	if r.token >= 0 {
		text += fmt.Sprintf(" token %d", r.token)
	}
	if r.expects && r.user >= 0 {
		text += fmt.Sprintf(", where catalogue version %d is expected", r.from.Catalogue.Number)
	}
	if r.expects && r.token >= 0 {
		text += fmt.Sprintf(", where access version %d is expected", r.from.Access.Number)
	}
	return text
}

// meets reports whether the versions are as the client expects them.
func (r accessRequest) meets(now store.Versions) bool {
	return !r.expects ||
		(r.user < 0 || r.from.Catalogue == now.Catalogue) && (r.token < 0 || r.from.Access == now.Access)
}

// on returns the state after the Change.
func (r accessRequest) on(now accessState) accessState {
	if r.user >= 0 {
		now.versions.Catalogue = now.versions.Catalogue.Next(r.batch)
		now.users[r.user] = r.number
	}
	if r.token >= 0 {
		now.versions.Access = now.versions.Access.Next(r.batch)
		now.tokens[r.token] = r.number
		if now.first == 0 {
			now.first = 1 + r.token
		}
	}
	return now
}

// accessAnswer is a client's answer.
type accessAnswer struct {
	result
	shown accessState
}

// Step is the model of users and tokens.
func (r accessRequest) Step(before accessState, out accessAnswer) (accessState, bool) {
	switch {
	case r.number == 0 && r.briefly:
		return before, out.shown.versions == before.versions
	case r.number == 0:
		return before, out.shown == before
	case out.outcome == isStored:
		return r.on(before), r.meets(before.versions)
	case out.outcome == isRefused:
		return before, !r.meets(before.versions)
	default:
		return before, true
	}
}

// accessClient puts users and tokens into the store.
type accessClient struct {
	*bench.Bench
	problem problem.ID // it also shows the catalogue's version
	users   [2]user.User
	tokens  [2]access.Token
	began   time.Time // base of the numbers of writes, in milliseconds
}

// Change returns the requested Change.
func (o *accessClient) Change(r accessRequest) store.Change {
	change := o.Bench.Change()
	change.Batch = r.batch
	if r.user >= 0 {
		person := o.users[r.user]
		person.Name = fmt.Sprint(r.number)
		change.Effects = append(change.Effects, store.PutUser{User: person})
		if r.expects {
			change.Expect = append(change.Expect, store.CatalogueAt{Version: r.from.Catalogue})
		}
	}
	if r.token >= 0 {
		token := o.tokens[r.token]
		token.Expires = o.began.Add(time.Duration(r.number) * time.Millisecond)
		change.Effects = append(change.Effects, store.PutToken{Token: token})
		if r.expects {
			change.Expect = append(change.Expect, store.AccessAt{Version: r.from.Access})
		}
	}
	return change
}

// look returns one View. It fails if the View contradicts itself.
func (o *accessClient) look() (shown accessState, err error) {
	err = o.Store.View(o.Ctx, func(r store.Reader) error {
		catalogue, err := r.Catalogue(o.Ctx)
		if err != nil {
			return err
		}
		for i := range o.users {
			if person, ok := catalogue.User(o.users[i].ID); ok {
				if _, err := fmt.Sscan(person.Name, &shown.users[i]); err != nil {
					return fmt.Errorf("user %d has the name %q, which nobody gave", i, person.Name)
				}
			}
		}
		runtime.Gosched()
		tokens, err := r.Tokens(o.Ctx)
		if err != nil {
			return err
		}
		for _, token := range tokens {
			i := 0
			if token.ID == o.tokens[1].ID {
				i = 1
			}
			shown.tokens[i] = token.Expires.Sub(o.began).Milliseconds()
			if shown.first == 0 {
				shown.first = 1 + i
			}
		}
		runtime.Gosched()
		if shown.versions, err = r.Versions(o.Ctx); err != nil {
			return err
		}
		s, err := r.Problem(o.Ctx, o.problem, ident.None, 0)
		if v := shown.versions.Catalogue; err == nil && (v != catalogue.Version || v != s.Catalogue) {
			return fmt.Errorf("one View showed catalogue version %v by Catalogue, %v by Versions and %v by Problem", catalogue.Version, v, s.Catalogue)
		}
		return err
	})
	return shown, err
}

// Do makes the request.
func (o *accessClient) Do(r accessRequest) (out accessAnswer, err error) {
	switch {
	case r.number > 0:
		out.result, err = send(o.Bench, o.Change(r))
	case r.briefly:
		out.shown.versions, err = o.Store.Versions(o.Ctx)
	default:
		out.shown, err = o.look()
	}
	return out, err
}

// checkVersions lets clients put users and tokens, and look at them.
func checkVersions(b *bench.Bench) {
	b.Helper()
	o := &accessClient{Bench: b, began: b.Now(), problem: b.Create().ID, tokens: [2]access.Token{b.Token(), b.Token()}}
	for i := range o.users {
		o.users[i] = b.Objects().Users[0]
	}
	t := &recording[accessState, accessRequest, accessAnswer]{Bench: b, ask: o.Do, Model: linear.Model[accessState, accessRequest, accessAnswer]{
		Step: func(before accessState, r accessRequest, out accessAnswer) (accessState, bool) {
			return r.Step(before, out)
		},
		Asked: accessRequest.String,
		Told: func(r accessRequest, out accessAnswer) string {
			switch {
			case r.number > 0:
				return out.result.String()
			case r.briefly:
				return fmt.Sprintf("catalogue version %d, access version %d", out.shown.versions.Catalogue.Number, out.shown.versions.Access.Number)
			}
			return out.shown.String()
		},
		Shown: accessState.String,
	}}
	t.record(func(_ int, ask func(accessRequest) (accessAnswer, error), random *rand.Rand) error {
		out, err := ask(accessRequest{briefly: random.IntN(2) == 0})
		if err != nil {
			return err
		}
		r := accessRequest{user: random.IntN(3) - 1, token: random.IntN(3) - 1, expects: random.IntN(2) == 0, from: out.shown.versions}
		if r.user >= 0 || r.token >= 0 {
			r.number, r.batch = t.number(), b.ID()
		}
		_, err = ask(r)
		return err
	}, accessRequest{}, accessRequest{briefly: true})
}
