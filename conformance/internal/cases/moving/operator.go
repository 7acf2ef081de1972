package moving

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// operator uses the service on a store. Its writes obey all rules of the domain; the
// Changes of other cases may not. Two operators with the same part do the same.
type operator struct {
	*usecases.All
	*rand.Rand
	b        *bench.Bench
	caller   tracker.Caller
	problems []problem.ID
	creates  bool // problems; only the operator of an empty store makes them
}

// newOperator returns an operator. The seed of the case and the part decide all its choices.
func newOperator(b *bench.Bench, s store.Store, part uint64) *operator {
	b.Helper()
	key := [32]byte{31: byte(part)}
	binary.LittleEndian.PutUint64(key[:], b.Seed)
	random := rand.NewChaCha8(key)
	now := time.Date(2026, time.April, int(part), 8, 0, 0, 0, time.UTC)
	o := &operator{b: b, Rand: rand.New(random), All: usecases.New(tracker.Options{
		Store: s,
		Now: func() time.Time {
			now = now.Add(time.Second)
			return now
		},
		Random: random,
		Limits: tracker.DefaultLimits(),
	}, nil)}
	users, err := o.Users().List(b.Ctx)
	b.Must("Users().List of the service", err)
	if len(users.Value) > 0 {
		o.caller = tracker.Caller{User: users.Value[0].ID, Scope: access.Admin}
	}
	return o
}

// found fills the empty store as a new service does, and adds a few users.
func (o *operator) found() {
	o.b.Helper()
	secret, err := o.NewSecret()
	o.b.Must("NewSecret of the service", err)
	seeded, err := o.Seed(o.b.Ctx, secret)
	o.b.Must("Seed of the service", err)
	o.b.Equal("whether the service took the store for empty", true, seeded)
	o.caller, err = o.Authenticate(o.b.Ctx, secret)
	o.b.Must("Authenticate of the service, with the token that it has just stored", err)
	for i := range 3 {
		_, err := o.Users().Create(o.b.Ctx, o.caller, admin.CreateObject[admin.UserPatch]{Patch: admin.UserPatch{
			Name: patch.Set(fmt.Sprint("User ", i)), Email: patch.Set(fmt.Sprintf("user%d@example.org", i)),
		}})
		o.b.Must("Users().Create of the service", err)
	}
	for i, predicate := range []string{"watching = YES", "title CONTAINS[c] 'API'"} {
		_, err := o.SaveQuery(o.b.Ctx, o.caller, tracker.SaveQuery{Name: patch.Set(fmt.Sprint("Query ", i)), Predicate: patch.Set(predicate)})
		o.b.Must("SaveQuery of the service", err)
	}
	o.creates = true
	for range 3 {
		o.Create()
	}
}

// act makes the given number of requests. The rules refuse some of them.
func (o *operator) act(times int) {
	o.b.Helper()
	done := 0
	for range times {
		what, err := o.one(o.b.Ctx)
		if err == nil {
			done++
		}
		if kind := fault.KindOf(err); err != nil && (kind == fault.Internal || kind == fault.Unavailable || kind == fault.UnknownOutcome || kind == fault.Conflict) {
			o.b.Failf("%s failed, which is no matter of its rules: %v", what, err)
		}
	}
	if done < times/4 {
		o.b.Failf("of %d things that the service was asked to do, it did %d", times, done)
	}
}

// one makes one random request about one of the problems.
func (o *operator) one(ctx context.Context) (what string, err error) {
	id := o.problems[o.IntN(len(o.problems))]
	name := fmt.Sprint("key ", o.IntN(3))
	switch o.IntN(10) {
	case 0:
		if !o.creates {
			return "nothing", nil
		}
		o.Create()
		return "CreateProblem", nil
	case 1, 2:
		_, err = o.UpdateProblem(ctx, o.caller, id, tracker.UpdateProblem{ProblemPatch: o.fields()})
		return "UpdateProblem", err
	case 3:
		text := patch.Set(fmt.Sprintf("Comment %d\nwith  two lines ", o.IntN(1000)))
		_, err = o.AddComment(ctx, o.caller, id, tracker.AddComment{Text: text})
		return "AddComment", err
	case 4:
		value := problem.NullText{String: fmt.Sprint(o.IntN(5)), Valid: true}
		if o.IntN(3) == 0 {
			value = problem.NullText{}
		}
		_, err = o.SetKeyword(ctx, o.caller, id, tracker.SetKeyword{Name: name, Value: value})
		return "SetKeyword", err
	case 5:
		_, err = o.DeleteKeyword(ctx, o.caller, id, tracker.DeleteKeyword{Name: name})
		return "DeleteKeyword", err
	case 6:
		_, err = o.AddRelationship(ctx, o.caller, id, o.relation())
		return "AddRelationship", err
	case 7:
		_, err = o.DeleteRelationship(ctx, o.caller, id, o.relation())
		return "DeleteRelationship", err
	case 8:
		_, err = o.StopWatching(ctx, o.caller, id, tracker.Write{})
		return "StopWatching", err
	default:
		watcher := o.somebody()
		if o.IntN(2) == 0 {
			watcher = metadata.Members{"identifier": metadata.Text(o.caller.User.String())}
		}
		_, err = o.AddWatcher(ctx, o.caller, id, tracker.AddWatcher{User: watcher})
		return "AddWatcher", err
	}
}

func (o *operator) Create() {
	o.b.Helper()
	fields := o.fields()
	fields.Title = patch.Set(fmt.Sprint("Problem ", o.IntN(1000)))
	fields.State = patch.Field[metadata.Partial]{} // the initial one
	fields.Assignee = patch.Set[metadata.Partial](metadata.Members{"name": metadata.Text("User 0")})
	made, err := o.CreateProblem(o.b.Ctx, o.caller, tracker.CreateProblem{ProblemPatch: fields})
	o.b.Must("CreateProblem of the service", err)
	o.problems = append(o.problems, made.Value.ID)
}

// fields returns some fields of a problem with new values.
func (o *operator) fields() (p tracker.ProblemPatch) {
	if o.IntN(2) == 0 {
		p.Title = patch.Set(fmt.Sprint("Title ", o.IntN(1000)))
	}
	if o.IntN(2) == 0 {
		p.State = o.object("Open", "In Progress", "Closed", "Verified")
	}
	if o.IntN(3) == 0 {
		p.Assignee = patch.Set(o.somebody())
	}
	if o.IntN(4) == 0 {
		p.Assignee = patch.Null[metadata.Partial]()
	}
	if o.IntN(3) == 0 {
		p.Read = patch.Set(o.IntN(2) == 0)
	}
	return p
}

func (o *operator) object(names ...string) patch.Field[metadata.Partial] {
	return patch.Set[metadata.Partial](metadata.Members{"name": metadata.Text(names[o.IntN(len(names))])})
}

// somebody returns a user of found, or an unknown one.
func (o *operator) somebody() metadata.Partial {
	return metadata.Members{"name": metadata.Text(fmt.Sprint("User ", o.IntN(4)))}
}

func (o *operator) relation() tracker.Relate {
	families := relationship.Families()
	family := families[o.IntN(len(families))]
	kind := family.Forward
	if o.IntN(2) == 0 {
		kind = family.Backward
	}
	return tracker.Relate{Type: patch.Set(string(kind)), Other: patch.Set(o.problems[o.IntN(len(o.problems))])}
}
