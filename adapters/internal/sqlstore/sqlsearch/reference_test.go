package sqlsearch

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// lookedAt is a context that ends at one of the looks at its Err; with left < 0, at none.
type lookedAt struct {
	context.Context
	left, looks int
}

func (c *lookedAt) Err() error {
	c.looks++
	if c.left == 0 {
		return context.DeadlineExceeded
	}
	c.left--
	return nil
}

// ofUsers returns a query in a catalogue with so many users.
func ofUsers(t *testing.T, users int, where, sort string) store.Query {
	t.Helper()
	plan, err := check.Compile(where, predicate.Problem, predicate.Env{Now: noon, User: ann})
	if err != nil {
		t.Fatal(err)
	}
	order, err := check.CompileOrder(sort, predicate.Problem)
	if err != nil {
		t.Fatal(err)
	}
	content := catalogue().Content()
	for i := len(content.Users); i < users; i++ {
		content.Users = append(content.Users, user.User{ID: ident.ID{13: 1, 14: byte(i >> 8), 15: byte(i)}, Name: fmt.Sprint("User ", i)})
	}
	return store.Query{Plan: plan, Sort: order, Limit: 1, Catalogue: metadata.NewCatalogue(ident.Version{Number: 2}, content), As: ann}
}

// The end of the time is that of the search, wherever it comes.
func TestPrepareEndsWithItsContext(t *testing.T) {
	t.Parallel()
	where := strings.Repeat("assignee.name CONTAINS 'x' OR ", 400) + "assignee.email = 'x'"
	q := ofUsers(t, 5, where, "assignee.name")
	for looks := 0; ; looks++ {
		_, err := Prepare(&lookedAt{Context: t.Context(), left: looks}, plain(), q, Known{})
		if err == nil {
			if looks < 15 {
				t.Errorf("Prepare looked at its context %d times", looks)
			}
			return
		}
		if !fault.Is(err, fault.Unavailable) {
			t.Fatalf("at look %d: %v, want %s", looks, err, fault.Unavailable)
		}
	}
}

// A long list is not compared member by member with each of many users. Each look at the
// context beyond those for the users is work of 256 comparisons.
func TestLongListsOfManyUsersArePrepared(t *testing.T) {
	t.Parallel()
	const users = 500
	q := ofUsers(t, users, "assignee.name IN {"+strings.Repeat("'x', ", 900)+"'Ann'}", "")
	ctx := &lookedAt{Context: t.Context(), left: -1}
	found, err := Prepare(ctx, plain(), q, Known{})
	if err != nil || len(found.Args) == 0 || found.Args[0] != ann.String() {
		t.Errorf("it is %s of %v, %v", found.SQL, found.Args, err)
	}
	if ctx.looks > users+users/10 {
		t.Errorf("Prepare looked at its context %d times for %d users", ctx.looks, users)
	}
}
