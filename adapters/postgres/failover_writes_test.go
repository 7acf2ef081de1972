package postgres_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/usecases"
	"github.com/problemtracking/problems/domain/user"
)

// writes returns a function for every way to write.
func (c *failoverClient) writes() []func() {
	return []func(){
		c.createProblem, c.commentWithKey, c.updateProblem, c.setKeyword, c.link, c.saveQuery,
		c.comment, c.setKeyword, c.watch, c.createComponent, c.createToken, c.updateProblems,
	}
}

func titled(title string) tracker.ProblemPatch {
	return tracker.ProblemPatch{Title: patch.Set(title)}
}

func (c *failoverClient) createProblem() {
	tag := c.account.tag("problem")
	th := c.account.open(&thing{kind: "W1 create with a key", puts: func(a aftermath) []int {
		return []int{count(a.problems, func(d store.Dossier) bool { return d.Title == tag })}
	}})
	var id problem.ID
	th.put = c.insist(func(ctx context.Context, s *usecases.All) error {
		a, err := s.CreateProblem(ctx, c.caller, tracker.CreateProblem{ProblemPatch: titled(tag), Idempotency: &tracker.Idempotency[snapshot.Snapshot]{
			Key: tag, Fingerprint: sha256.Sum256([]byte(tag)),
			Render: func(a tracker.Answer[snapshot.Snapshot]) []byte {
				return strconv.AppendInt(nil, int64(a.Value.ID), 10)
			},
		}})
		if id = a.Value.ID; a.Replay != nil {
			n, _ := strconv.ParseInt(string(a.Replay), 10, 64)
			id = problem.ID(n)
		}
		return err
	})
	if th.put == acknowledged {
		c.last = id
	}
}

func commented(tag string) func(aftermath) []int {
	return func(a aftermath) []int {
		n := 0
		for _, d := range a.problems {
			n += count(d.Comments, func(c problem.Comment) bool { return c.Text == tag })
		}
		return []int{n}
	}
}

func (c *failoverClient) commentWithKey() {
	tag := c.account.tag("comment")
	th := c.account.open(&thing{kind: "W3 comment with a key", puts: commented(tag)})
	th.put = c.insist(func(ctx context.Context, s *usecases.All) error {
		_, err := s.AddComment(ctx, c.caller, c.hub, tracker.AddComment{Text: patch.Set(tag), Idempotency: &tracker.Idempotency[problem.Comment]{
			Key: tag, Fingerprint: sha256.Sum256([]byte(tag)), Render: func(tracker.Answer[problem.Comment]) []byte { return []byte(tag) },
		}})
		return err
	})
}

func (c *failoverClient) comment() {
	tag := c.account.tag("comment")
	th := c.account.open(&thing{kind: "W3 comment without a key", puts: commented(tag)})
	th.put = c.insistOnce(func(ctx context.Context, s *usecases.All) error {
		_, err := s.AddComment(ctx, c.caller, c.home, tracker.AddComment{Text: patch.Set(tag)})
		return err
	})
}

// retitled counts the changes of a problem's title to a tag.
func (a aftermath) retitled(id problem.ID, tag string) int {
	return count(a.problem(id).Log, func(e problem.LogEntry) bool {
		return e.Type == problem.FieldChanged && e.To == problem.LogText(tag)
	})
}

// updateProblem repeats with the same revision. When it is told that there is another,
// it loads the problem and decides again.
func (c *failoverClient) updateProblem() {
	tag := c.account.tag("title")
	th := c.account.open(&thing{kind: "W2 update with If-Match", puts: func(a aftermath) []int { return []int{a.retitled(c.home, tag)} }})
	revision := int64(0)
	th.put = c.insist(func(ctx context.Context, s *usecases.All) error {
		if revision == 0 {
			current, err := s.As(c.caller).Problem(ctx, c.home, 0)
			switch {
			case err != nil:
				return fault.Wrap(fault.Unavailable, err, "not loaded")
			case current.Value.Title == tag: // as the refusal before was about
				return nil
			}
			revision = current.Value.Revision
		}
		_, err := s.UpdateProblem(ctx, c.caller, c.home, tracker.UpdateProblem{
			Write: tracker.Write{IfMatch: &tracker.Match{Revisions: []int64{revision}}}, ProblemPatch: titled(tag),
		})
		if fault.Is(err, fault.StaleRevision) {
			revision = 0
			return errAgain
		}
		return err
	})
}

// updateProblems repeats with the same preview, until it is told that it no longer
// holds.
func (c *failoverClient) updateProblems() {
	tag := c.account.tag("titles")
	th := c.account.open(&thing{kind: "update of many with a preview", puts: func(a aftermath) []int {
		return []int{a.retitled(c.twins[0], tag), a.retitled(c.twins[1], tag)}
	}})
	cmd := tracker.UpdateProblems{Predicate: patch.Set(fmt.Sprintf("identifier IN {%d, %d}", c.twins[0], c.twins[1])), ProblemPatch: titled(tag)}
	th.put = c.insist(func(ctx context.Context, s *usecases.All) error {
		if cmd.Preview == nil {
			dry := cmd
			dry.DryRun = true
			a, err := s.UpdateProblems(ctx, c.caller, dry)
			if err != nil {
				return err
			}
			cmd.Preview = a.Value.Preview
		}
		_, err := s.UpdateProblems(ctx, c.caller, cmd)
		if fault.Is(err, fault.StaleRevision) {
			cmd.Preview = nil
			return errAgain
		}
		return err
	})
}

// setKeyword sets a keyword, and deletes two of three.
func (c *failoverClient) setKeyword() {
	tag := c.account.tag("keyword")
	traces := func(kind problem.LogType) func(aftermath) []int {
		return func(a aftermath) []int {
			return []int{count(a.problem(c.home).Log, func(e problem.LogEntry) bool { return e.Type == kind && e.Field == tag })}
		}
	}
	th := c.account.open(&thing{kind: "W4 keyword, W5", puts: traces(problem.KeywordSet), drops: traces(problem.KeywordDeleted), present: func(a aftermath) int {
		return count(a.problem(c.home).Keywords, func(k problem.Keyword) bool { return k.Name == tag })
	}})
	th.put = c.insist(func(ctx context.Context, s *usecases.All) error {
		_, err := s.SetKeyword(ctx, c.caller, c.home, tracker.SetKeyword{Name: tag})
		return err
	})
	if th.put != acknowledged || c.calls%3 == 0 {
		return
	}
	th.drop = c.insist(func(ctx context.Context, s *usecases.All) error {
		_, err := s.DeleteKeyword(ctx, c.caller, c.home, tracker.DeleteKeyword{Name: tag})
		return err
	}, fault.KeywordNotFound)
}

// link links the problem that was created last with one that all clients use, and with
// the client's own. The latter is dropped two of three times.
func (c *failoverClient) link() {
	if c.last == 0 {
		return
	}
	c.relate(c.last, relationship.RelatedTo, c.hub, false)
	c.relate(c.home, relationship.BlockerOf, c.last, c.calls%3 > 0)
	c.last = 0
}

func (c *failoverClient) relate(owner problem.ID, kind relationship.Type, other problem.ID, drop bool) {
	traces := func(logged problem.LogType) func(aftermath) []int {
		side := func(a aftermath, owner problem.ID, kind relationship.Type, other problem.ID) int {
			return count(a.problem(owner).Log, func(e problem.LogEntry) bool {
				link := e.To
				if logged == problem.RelationshipDeleted {
					link = e.From
				}
				linked, _ := link.Link()
				return e.Type == logged && e.Field == string(kind) && linked == other
			})
		}
		return func(a aftermath) []int {
			return []int{side(a, owner, kind, other), side(a, other, kind.Mirror(), owner)}
		}
	}
	th := c.account.open(&thing{kind: "W6 relationship, W7", puts: traces(problem.RelationshipAdded), drops: traces(problem.RelationshipDeleted), present: func(a aftermath) int {
		return count(a.problem(owner).Relationships, func(r relationship.Relationship) bool { return r.Type == kind && r.Other == other })
	}})
	cmd := tracker.Relate{Type: patch.Set(string(kind)), Other: patch.Set(other)}
	th.put = c.insist(func(ctx context.Context, s *usecases.All) error {
		_, err := s.AddRelationship(ctx, c.caller, owner, cmd)
		return err
	})
	if th.put != acknowledged || !drop {
		return
	}
	th.drop = c.insist(func(ctx context.Context, s *usecases.All) error {
		_, err := s.DeleteRelationship(ctx, c.caller, owner, cmd)
		return err
	}, fault.RelationshipNotFound)
}

const mailDomain = "@example.org"

// watch creates a user. The user watches, and two of three times leaves again.
func (c *failoverClient) watch() {
	email := c.account.tag("user") + mailDomain
	is := func(u user.User) bool { return u.Email == email }
	th := c.account.open(&thing{kind: "user", present: func(a aftermath) int { return count(a.catalogue.Content().Users, is) }})
	th.put = c.insist(func(ctx context.Context, s *usecases.All) error {
		_, err := s.Users().Create(ctx, c.caller, admin.CreateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set("A user"), Email: patch.Set(email)}})
		return err
	}, fault.AlreadyExists)
	if th.put != acknowledged {
		return
	}
	who := func(a aftermath) ident.ID {
		users := a.catalogue.Content().Users
		if i := slices.IndexFunc(users, is); i >= 0 {
			return users[i].ID
		}
		return ident.None
	}
	traces := func(kind problem.LogType, of func(problem.LogEntry) problem.LogValue) func(aftermath) []int {
		return func(a aftermath) []int {
			return []int{count(a.problem(c.home).Log, func(e problem.LogEntry) bool {
				id, _ := of(e).Ref()
				return e.Type == kind && id == who(a)
			})}
		}
	}
	th = c.account.open(&thing{
		kind:  "W8 watcher, D16",
		puts:  traces(problem.WatcherAdded, func(e problem.LogEntry) problem.LogValue { return e.To }),
		drops: traces(problem.WatcherRemoved, func(e problem.LogEntry) problem.LogValue { return e.From }),
		present: func(a aftermath) int {
			return count(a.problem(c.home).Watchers, func(id ident.ID) bool { return id == who(a) })
		},
	})
	watcher := tracker.Caller{Scope: c.caller.Scope}
	th.put = c.insist(func(ctx context.Context, s *usecases.All) error {
		a, err := s.AddWatcher(ctx, c.caller, c.home, tracker.AddWatcher{User: metadata.Members{"email": metadata.Text(email)}})
		watcher.User = a.Value.ID
		return err
	})
	if th.put != acknowledged || c.calls%3 == 0 {
		return
	}
	th.drop = c.insist(func(ctx context.Context, s *usecases.All) error {
		_, err := s.StopWatching(ctx, watcher, c.home, tracker.Write{})
		return err
	})
}

// createComponent creates a component and renames it.
func (c *failoverClient) createComponent() {
	tag, renamed := c.account.tag("component"), c.account.tag("renamed")
	named := func(names ...string) func(aftermath) int {
		return func(a aftermath) int {
			return count(a.catalogue.Content().Components, func(o metadata.Component) bool { return slices.Contains(names, o.Name) })
		}
	}
	th := c.account.open(&thing{kind: "metadata", present: named(tag, renamed)})
	th.put = c.insist(func(ctx context.Context, s *usecases.All) error {
		_, err := s.Components().Create(ctx, c.caller, admin.CreateObject[admin.ComponentPatch]{Patch: admin.ComponentPatch{Name: patch.Set(tag)}})
		return err
	}, fault.AlreadyExists)
	if th.put != acknowledged {
		return
	}
	var id ident.ID
	for id.IsNone() && c.ctx.Err() == nil {
		var all tracker.Answer[[]metadata.Component]
		err := c.call(func(ctx context.Context, s *usecases.All) (err error) {
			all, err = s.Components().List(ctx)
			return err
		})
		i := slices.IndexFunc(all.Value, func(o metadata.Component) bool { return o.Name == tag })
		switch {
		case err == nil && i < 0:
			return // it is lost
		case err == nil:
			id = all.Value[i].ID
		}
	}
	th = c.account.open(&thing{kind: "metadata renamed", present: named(renamed)})
	th.put = c.insist(func(ctx context.Context, s *usecases.All) error {
		_, err := s.Components().Update(ctx, c.caller, id, admin.UpdateObject[admin.ComponentPatch]{Patch: admin.ComponentPatch{Name: patch.Set(renamed)}})
		return err
	})
}

// createToken creates a token, which can be told by its end, and revokes it.
func (c *failoverClient) createToken() {
	expires := c.from.time().AddDate(50, 0, 0)
	tokens := func(is func(access.Token) bool) func(aftermath) int {
		return func(a aftermath) int {
			return count(a.tokens, func(t access.Token) bool { return t.Expires.Equal(expires) && is(t) })
		}
	}
	made := tokens(func(access.Token) bool { return true })
	valid := tokens(func(t access.Token) bool { return t.Revoked.IsZero() })
	revoked := tokens(func(t access.Token) bool { return !t.Revoked.IsZero() })
	th := c.account.open(&thing{kind: "token, revoked", present: valid,
		puts:  func(a aftermath) []int { return []int{made(a)} },
		drops: func(a aftermath) []int { return []int{revoked(a)} },
	})
	var id ident.ID
	th.put = c.insistOnce(func(ctx context.Context, s *usecases.All) error {
		a, err := s.CreateToken(ctx, c.caller, admin.CreateToken{
			User: patch.Set[metadata.Partial](metadata.Members{"email": metadata.Text(admin.Email)}), Scope: patch.Set(string(access.Read)), Expires: patch.Set(expires),
		})
		id = a.Value.ID
		return err
	})
	if th.put != acknowledged {
		return
	}
	th.drop = c.insist(func(ctx context.Context, s *usecases.All) error {
		_, err := s.RevokeToken(ctx, c.caller, id, tracker.Write{})
		return err
	}, fault.NotFound)
}

// saveQuery saves a query, and deletes two of three.
func (c *failoverClient) saveQuery() {
	tag := c.account.tag("query")
	th := c.account.open(&thing{kind: "saved query, deleted", present: func(a aftermath) int {
		return count(a.queries, func(q query.Saved) bool { return q.Name == tag })
	}})
	var id ident.ID
	th.put = c.insistOnce(func(ctx context.Context, s *usecases.All) error {
		a, err := s.SaveQuery(ctx, c.caller, tracker.SaveQuery{Name: patch.Set(tag), Predicate: patch.Set("TRUEPREDICATE")})
		id = a.Value.ID
		return err
	})
	if th.put != acknowledged || c.calls%3 == 0 {
		return
	}
	th.drop = c.insist(func(ctx context.Context, s *usecases.All) error {
		_, err := s.DeleteQuery(ctx, c.caller, id, tracker.Write{})
		return err
	}, fault.NotFound)
}
