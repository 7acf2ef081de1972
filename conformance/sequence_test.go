package conformance

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/internal/sequence"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// keeping returns a harness of models that keep their data when they are closed.
func keeping() harness.Harness {
	var kept sync.Map // *model by Env.Dir
	return harness.Harness{
		Name: "keeping",
		Open: func(_ harness.T, env harness.Env) store.Store {
			m := model.NewModel()
			kept.Store(env.Dir, m)
			return m
		},
		Reopen: func(t harness.T, env harness.Env) store.Store {
			m, ok := kept.Load(env.Dir)
			if !ok {
				t.Fatalf("no store was open in %s", env.Dir)
			}
			return m.(*model.Model).Peer()
		},
		Crash: func(harness.T, harness.CrashSpec) harness.CrashRun { return harness.CrashRun{} },
		Caps:  harness.Capabilities{Durable: harness.Yes, Shared: harness.No},
	}
}

// drawn returns the sequence that the case draws with a seed.
func drawn(t *testing.T, id string, seed uint64) sequence.Sequence {
	t.Helper()
	b := &bench.Bench{T: t, Env: bench.FreshEnv(t), C: bench.Case{ID: id}, H: keeping(), Seed: seed}
	b.Author = b.ID()
	return sequence.Moods()[id].Draw(b)
}

// TestSequencesHaveEverything checks that everything there is comes up.
func TestSequencesHaveEverything(t *testing.T) {
	t.Parallel()
	want := slices.Concat(implementing(t, "effect"), implementing(t, "expectation"), []string{
		"UnknownEffect", "UnknownExpectation",
		"Commits", "Repeats", "Asks", "Reserves", "Reopens", "Restores",
		"Conflict", "Unsupported", "Abandoned", "a known Receipt", "Restores refused", "Asks denied",
		"one side", "both sides", "no effects", "no expectations", "no log",
	})
	if len(want) < 25+7 {
		t.Fatalf("package store was found to have %v alone", want)
	}
	seen := make(map[string]bool)
	for seed := range uint64(50) {
		for id := range sequence.Moods() {
			of := sequence.NewPast()
			for _, s := range drawn(t, id, seed) {
				note(seen, s, s.Happen(of))
			}
		}
	}
	for _, name := range want {
		if !seen[name] {
			t.Errorf("%s does not come up in 200 sequences", name)
		}
	}
}

// note adds what a step has, and what it comes to.
func note(seen map[string]bool, s sequence.Step, want sequence.Due) {
	kind := reflect.TypeOf(s).Name()
	seen[kind] = true
	for kind, name := range map[fault.Kind]string{fault.Conflict: "Conflict", fault.Unsupported: "Unsupported", fault.Abandoned: "Abandoned"} {
		seen[name] = seen[name] || fault.Is(want.Err, kind)
	}
	seen["a known Receipt"] = seen["a known Receipt"] || want.Known
	seen[kind+" refused"] = seen[kind+" refused"] || want.Err != nil
	seen[kind+" denied"] = seen[kind+" denied"] || !want.Stored
	c, ok := s.(sequence.Commits)
	if !ok {
		return
	}
	sides := 0
	for _, e := range c.Change.Effects {
		seen[reflect.TypeOf(e).Name()] = true
		if _, ok := e.(store.PutRelationship); ok {
			sides++
		}
	}
	for _, e := range c.Change.Expect {
		seen[reflect.TypeOf(e).Name()] = true
	}
	for name, is := range map[string]bool{
		"one side": sides == 1, "both sides": sides == 2,
		"no effects": len(c.Change.Effects) == 0, "no expectations": len(c.Change.Expect) == 0, "no log": len(c.Change.Log) == 0,
	} {
		seen[name] = seen[name] || is
	}
}

// implementing returns the types of package store that have a method.
func implementing(t *testing.T, method string) (types []string) {
	t.Helper()
	for _, file := range sources(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == method {
				types = append(types, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	return types
}

// TestSequencesAreRepeatable checks that the seed decides about a sequence, and
// that a sequence cannot tell it was played.
func TestSequencesAreRepeatable(t *testing.T) {
	t.Parallel()
	for id := range sequence.Moods() {
		for seed := range uint64(5) {
			q := drawn(t, id, seed)
			if again := drawn(t, id, seed); !reflect.DeepEqual(q, again) {
				t.Errorf("%s: the seed %d gave two sequences:\n%v\n%v", id, seed, q, again)
			}
			if other := drawn(t, id, seed+1); reflect.DeepEqual(q, other) {
				t.Errorf("%s: the seeds %d and %d gave the same sequence", id, seed, seed+1)
			}
			if left := q.Sensible(); !reflect.DeepEqual(q, left) {
				t.Errorf("%s: not all of the sequence of seed %d makes sense:\n%v\n%v", id, seed, q, left)
			}
		}
	}
}

// TestModelAgreesWithItself counts false alarms, also under what is left of
// sequences after parts were taken away.
func TestModelAgreesWithItself(t *testing.T) {
	t.Parallel()
	for id := range sequence.Moods() {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(75) {
				q := drawn(t, id, seed)
				if seed%3 == 2 {
					q = mangled(q, seed)
				}
				o := onTrial(t, id, seed, keeping(), func(b *bench.Bench) {
					if m := sequence.Play(b, q, func(int) {}); m != nil {
						b.Failf("%s", sequence.Complaint(q, m))
					}
				})
				if o.Status != report.Passed {
					t.Fatalf("seed %d: %s", seed, o.Failure())
				}
			}
		})
	}
}

// mangled returns what makes sense of a sequence without some steps and parts.
func mangled(q sequence.Sequence, seed uint64) sequence.Sequence {
	random := rand.New(rand.NewPCG(seed, 0))
	q = slices.DeleteFunc(slices.Clone(q), func(sequence.Step) bool { return random.IntN(4) == 0 })
	for i := range q {
		if n := sequence.PartsOf(q, i); n > 0 {
			from := random.IntN(n)
			q[i] = q[i].(sequence.Divisible).Without(from, from+random.IntN(n-from+1))
		}
	}
	return q.Sensible()
}

// TestSenselessSteps checks what is left out because the contract does not say
// what a store does with it.
func TestSenselessSteps(t *testing.T) {
	t.Parallel()
	b := &bench.Bench{T: t, Env: bench.FreshEnv(t), H: keeping()}
	p, q := b.Problem(1), b.Problem(2)
	create := sequence.Commits{Change: b.Change(store.CreateProblem{Problem: p})}
	comment := store.AddComment{Problem: p.ID, Comment: b.Comment("text")}
	reply := store.KeepReply{Reply: store.Reply{User: b.ID(), Key: "key", Created: b.Now()}}
	ruledOut := b.Change(comment)
	late := b.Change()
	late.Effects = []store.Effect{store.Expire{Before: b.Now()}}
	unused := b.Change(reply)
	unused.Expect = []store.Expectation{store.KeyUnused{User: reply.Reply.User, Key: "key", Since: b.Now()}}
	token := b.Token()
	double := b.Token()
	double.Digest = token.Digest
	for name, c := range map[string]struct {
		steps sequence.Sequence
		left  int // steps and parts
	}{
		"a comment":                        {sequence.Sequence{create, sequence.Commits{Change: b.Change(comment)}}, 4},
		"a comment without its problem":    {sequence.Sequence{sequence.Commits{Change: b.Change(comment)}}, 0},
		"a comment before its problem":     {sequence.Sequence{sequence.Commits{Change: b.Change(comment, store.CreateProblem{Problem: p})}}, 2},
		"a comment twice":                  {sequence.Sequence{create, sequence.Commits{Change: b.Change(comment, comment)}}, 4},
		"a savepoint without its problem":  {sequence.Sequence{sequence.Commits{Change: b.Change(store.PutSavepoint{Problem: p})}}, 0},
		"an update without its problem":    {sequence.Sequence{sequence.Commits{Change: b.Change(store.UpdateProblem{Problem: p})}}, 2},
		"a side without the other problem": {sequence.Sequence{create, sequence.Commits{Change: b.Change(b.Pair(p.ID, relationship.ParentOf, q.ID)...)}}, 2},
		"a reply":                          {sequence.Sequence{sequence.Commits{Change: b.Change(reply)}}, 2},
		"a reply in place of another":      {sequence.Sequence{sequence.Commits{Change: b.Change(reply)}, sequence.Commits{Change: b.Change(reply)}}, 2},
		"a reply that may replace another": {sequence.Sequence{sequence.Commits{Change: b.Change(reply)}, sequence.Commits{Change: unused}}, 5},
		"an Expire that forgets itself":    {sequence.Sequence{sequence.Commits{Change: late}}, 0},
		"two tokens with one digest":       {sequence.Sequence{sequence.Commits{Change: b.Change(store.PutToken{Token: token}, store.PutToken{Token: double})}}, 2},
		"nothing at all":                   {sequence.Sequence{sequence.Commits{Change: b.Change()}}, 0},
		"a repetition of nothing":          {sequence.Sequence{sequence.Repeats{Batch: b.ID()}}, 0},
		"a repetition":                     {sequence.Sequence{create, sequence.Repeats{Batch: create.Change.Batch}}, 3},
		"a batch that was ruled out":       {sequence.Sequence{create, sequence.Asks{Batch: ruledOut.Batch, At: b.Now()}, sequence.Commits{Change: ruledOut}}, 5},
		"two reasons to refuse":            {sequence.Sequence{create, sequence.Commits{Change: b.Change(store.CreateProblem{Problem: p}, bench.UnknownEffect{})}}, 2},
		"two reasons of one kind":          {sequence.Sequence{create, sequence.Commits{Change: b.Change(store.CreateProblem{Problem: p}, store.UpdateProblem{Problem: q})}}, 5},
		"an Archive":                       {sequence.Sequence{sequence.Restores{Holdings: bench.Holdings{Dossiers: b.Holdings(1, 2).Dossiers[:1]}}}, 26},
		"an Archive of nothing":            {sequence.Sequence{sequence.Restores{}}, 0},
		"an Archive later":                 {sequence.Sequence{sequence.Asks{Batch: b.ID(), At: b.Now()}, sequence.Restores{Holdings: b.Holdings(1)}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if left := c.steps.Sensible(); sequence.Weight(left) != c.left {
				t.Errorf("%d steps and parts are left, want %d:\n%v", sequence.Weight(left), c.left, left)
			}
		})
	}
}

// TestSequencesAreReadable checks how steps are told.
func TestSequencesAreReadable(t *testing.T) {
	t.Parallel()
	b := &bench.Bench{T: t, Env: bench.FreshEnv(t)}
	change := b.Change(store.ForgetFeed{Through: 3})
	q := sequence.Sequence{sequence.Commits{Change: change}, sequence.Repeats{Batch: change.Batch}, sequence.Asks{Batch: change.Batch, At: b.Now()}, sequence.Reserves{}, sequence.Reopens{}, sequence.Restores{Holdings: b.Holdings(1, 2)},
		sequence.Commits{Change: b.Change(store.DropKeyword{Problem: 1, Name: "\u00e9\r\n'\u202e"})}, sequence.Commits{Change: b.Change(bench.UnknownEffect{})}}
	batch := bench.Short(change.Batch)
	want := []string{
		"1. Commit of batch " + batch + ": ForgetFeed{Through:3}",
		"2. Commit of batch " + batch + " again",
		"3. Outcome of batch " + batch,
		"4. Reserve",
		"5. Close, and the store is opened again",
		"6. Restore of an Archive with 2 problems, 12 metadata objects and users, 3 tokens, 3 saved queries, 2 webhooks, 3 audit entries and 3 entries of the feed",
		"7. Commit of batch " + bench.Short(q[6].(sequence.Commits).Change.Batch) + `: DropKeyword{Problem:1 Name:é\r\n'\u202e}`,
		"8. Commit of batch " + bench.Short(q[7].(sequence.Commits).Change.Batch) + ": bench.UnknownEffect{that no store knows}",
	}
	for i, line := range strings.Split(fmt.Sprint(q), "\n") {
		if strings.TrimSpace(line) != want[i] {
			t.Errorf("the step is told as %q, want %q", line, want[i])
		}
	}
}

// sources returns the files of package store.
func sources(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f",
		`{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}`, "github.com/problemtracking/problems/domain/store").Output()
	if err != nil {
		t.Fatalf("go list, which finds the sources of package store: %v", err)
	}
	return strings.Fields(string(out))
}
