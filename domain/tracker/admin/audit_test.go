package admin

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/user"
)

// unaudited returns the effects of a change but for those of the audit log.
func unaudited(c store.Change) (effects []store.Effect) {
	for _, e := range c.Effects {
		if _, ok := e.(store.AppendAudit); !ok {
			effects = append(effects, e)
		}
	}
	return effects
}

// auditLines are the entries as the tests write them down: "kind name Type field:
// from → to".
func auditLines(entries []audit.Entry) (lines []string) {
	for _, e := range entries {
		lines = append(lines, fmt.Sprintf("%s %s %s %s: %s → %s", e.Kind, e.Name, e.Type, e.Field, e.From.JSON(), e.To.JSON()))
	}
	return lines
}

// audits checks what a change appends to the audit log, and that all of it is of
// one batch.
func audits(t *testing.T, c store.Change, want ...string) {
	t.Helper()
	var entries []audit.Entry
	seen := map[ident.ID]bool{c.Batch: true}
	for _, effect := range kit.EffectsOf[store.AppendAudit](c) {
		e := effect.Entry
		entries = append(entries, e)
		if e.Batch != c.Batch || e.Author != c.Author || !e.Created.Equal(c.At) {
			t.Errorf("entry %+v does not carry the batch %s, the author %s and the time %s of its change", e, c.Batch, c.Author, c.At)
		}
		if e.ID.IsNone() || e.Object.IsNone() || seen[e.ID] || e.ID == e.Object {
			t.Errorf("the identifier %s of an entry about %s is not its own", e.ID, e.Object)
		}
		seen[e.ID] = true
	}
	kit.Equal(t, "audit log", strings.Join(auditLines(entries), "\n"), strings.Join(want, "\n"))
}

// What is logged of users: all that changed, and nothing else.
func TestAuditUsers(t *testing.T) {
	t.Parallel()
	old := user.User{ID: kit.Bob, Name: "Bob", Email: "bob@example.org"}
	for _, c := range []struct {
		rule string
		old  user.User
		p    UserPatch
		want []string
	}{
		{"made", user.User{}, kit.Person("Dan", "Dan@example.org"), []string{`user Dan Created : null → {"name":"Dan","email":"Dan@example.org","inactive":false}`}},
		{"renamed: the name at that moment is the new one", old, UserPatch{Name: patch.Set("Rob"), Email: patch.Set("bob@example.org")}, []string{`user Rob Changed name: "Bob" → "Rob"`}},
		{"several members", old, kit.Person("Rob", "rob@example.org"), []string{`user Rob Changed name: "Bob" → "Rob"`, `user Rob Changed email: "bob@example.org" → "rob@example.org"`}},
		{"nothing", old, kit.Person("Bob", "bob@example.org"), nil},
		{"deactivated, with the tokens that this revokes", old, UserPatch{Inactive: patch.Set(true)},
			[]string{`user Bob Changed inactive: false → true`, `token Bob Changed revoked: null → "2015-11-05T13:00:00.000Z"`}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, _, err := new(Service).Users().decide(by(kit.Ann), tracker.Write{}, c.p, c.old, written{Directory: newDirectory()}, kit.At(kit.Now))
			kit.NoError(t, err)
			audits(t, change, c.want...)
		})
	}
}

// What is logged of tokens never has their secret or digest.
func TestAuditTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cmd  CreateToken
		want string
	}{
		{CreateToken{User: kit.Named("Bob"), Scope: patch.Set("read")},
			`token Bob Created : null → {"user":` + kit.Ref(kit.Bob, "Bob") + `,"scope":"read"}`},
		{CreateToken{User: kit.Named("Ann"), Scope: patch.Set("write"), Expires: patch.Set(kit.Now.Add(time.Hour))},
			`token Ann Created : null → {"user":` + kit.Ref(kit.Ann, "Ann") + `,"scope":"write","expires":"2015-11-05T14:00:00.000Z"}`},
	} {
		change, a, err := decideToken(by(kit.Ann), c.cmd, kit.Secret, newDirectory(), kit.At(kit.Now))
		kit.NoError(t, err)
		audits(t, change, c.want)
		kit.Equal(t, "object", kit.EffectsOf[store.AppendAudit](change)[0].Entry.Object, a.Value.ID)
	}
}

// What is logged of the first start is by the service itself.
func TestAuditSeed(t *testing.T) {
	t.Parallel()
	change := decideSeed(kit.Secret, kit.At(kit.Now))
	states := kit.EffectsOf[store.PutState](change)
	admin := kit.EffectsOf[store.PutUser](change)[0].User
	open, progress, closed := kit.Ref(states[0].State.ID, "Open"), kit.Ref(states[1].State.ID, "In Progress"), kit.Ref(states[2].State.ID, "Closed")
	audits(t, change,
		`state Open Created : null → {"name":"Open","resolved":false,"initial":true,"order":1,"nextStates":[`+progress+`,`+closed+`]}`,
		`state In Progress Created : null → {"name":"In Progress","resolved":false,"initial":false,"order":2,"nextStates":[`+open+`,`+closed+`]}`,
		`state Closed Created : null → {"name":"Closed","resolved":true,"initial":false,"order":3,"nextStates":[`+open+`]}`,
		`priority Urgent Created : null → {"name":"Urgent","order":1}`,
		`priority High Created : null → {"name":"High","order":2}`,
		`priority Normal Created : null → {"name":"Normal","order":3}`,
		`priority Low Created : null → {"name":"Low","order":4}`,
		`classification Feature Created : null → {"name":"Feature"}`,
		`classification Enhancement Created : null → {"name":"Enhancement"}`,
		`classification Incorrect Behavior Created : null → {"name":"Incorrect Behavior"}`,
		`classification Task Created : null → {"name":"Task"}`,
		`user Administrator Created : null → {"name":"Administrator","email":"admin@localhost","inactive":false}`,
		`token Administrator Created : null → {"user":`+kit.Ref(admin.ID, "Administrator")+`,"scope":"admin"}`,
	)
	kit.Equal(t, "author", change.Author, ident.None)
}

// Read backwards, the newest entry comes first, and a number of older ones always selects
// the same entries.
func TestAuditBefore(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const most = math.MaxInt
	all, err := s.Audit(t.Context(), 0, 1000)
	kit.NoError(t, err)
	slices.Reverse(all.Value.Entries)
	for _, limit := range []int{1, 4, 12, 13, 14} {
		var got []audit.Entry
		for before := most; before > 0; {
			page, err := s.AuditBefore(t.Context(), before, limit)
			kit.NoError(t, err)
			kit.Equal(t, "length", page.Value.Length, 13)
			kit.Equal(t, "end", page.Value.End, min(before, 13))
			kit.Equal(t, "start", page.Value.Start, page.Value.End-len(page.Value.Entries))
			got = append(got, page.Value.Entries...)
			before = page.Value.Start
		}
		kit.Equal(t, fmt.Sprintf("pages of %d", limit), auditLines(got), auditLines(all.Value.Entries))
	}
	s.issue(t, "read")
	older, err := s.AuditBefore(t.Context(), 13, 1)
	kit.NoError(t, err)
	kit.Equal(t, "the entry before", auditLines(older.Value.Entries), auditLines(all.Value.Entries[:1]))
	for before, want := range map[int]int{0: 0, -1: 0, 1: 1, most: 14} {
		page, err := s.AuditBefore(t.Context(), before, 100)
		kit.NoError(t, err)
		kit.Equal(t, fmt.Sprintf("entries before %d", before), len(page.Value.Entries), want)
	}
	for _, limit := range []int{-1, 0, tracker.MostOnPage + 1} {
		_, err := s.AuditBefore(t.Context(), most, limit)
		kit.WantFault(t, err, fault.MalformedRequest)
	}
}
