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

	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// keeping returns a harness of models that keep their data when they are closed.
func keeping() Harness {
	var kept sync.Map // *model by Env.Dir
	return Harness{
		Name: "keeping",
		Open: func(_ T, env Env) store.Store {
			m := newModel()
			kept.Store(env.Dir, m)
			return m
		},
		Reopen: func(t T, env Env) store.Store {
			m, ok := kept.Load(env.Dir)
			if !ok {
				t.Fatalf("no store was open in %s", env.Dir)
			}
			return m.(*model).peer()
		},
		Crash: func(T, CrashSpec) CrashRun { return CrashRun{} },
		Caps:  Capabilities{Durable: Yes, Shared: No},
	}
}

// drawn returns the sequence that the case draws with a seed.
func drawn(t *testing.T, id string, seed uint64) sequence {
	t.Helper()
	b := &bench{T: t, Env: freshEnv(t), c: Case{ID: id}, h: keeping(), seed: seed}
	b.author = b.ID()
	return moods()[id].draw(b)
}

// TestSequencesHaveEverything checks that everything there is comes up.
func TestSequencesHaveEverything(t *testing.T) {
	t.Parallel()
	want := slices.Concat(implementing(t, "effect"), implementing(t, "expectation"), []string{
		"unknownEffect", "unknownExpectation",
		"commits", "repeats", "asks", "reserves", "reopens", "restores",
		"Conflict", "Unsupported", "Abandoned", "a known Receipt", "restores refused", "asks denied",
		"one side", "both sides", "no effects", "no expectations", "no log",
	})
	if len(want) < 25+7 {
		t.Fatalf("package store was found to have %v alone", want)
	}
	seen := make(map[string]bool)
	for seed := range uint64(50) {
		for id := range moods() {
			of := newPast()
			for _, s := range drawn(t, id, seed) {
				note(seen, s, s.happen(of))
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
func note(seen map[string]bool, s step, want due) {
	kind := reflect.TypeOf(s).Name()
	seen[kind] = true
	for kind, name := range map[fault.Kind]string{fault.Conflict: "Conflict", fault.Unsupported: "Unsupported", fault.Abandoned: "Abandoned"} {
		seen[name] = seen[name] || fault.Is(want.err, kind)
	}
	seen["a known Receipt"] = seen["a known Receipt"] || want.known
	seen[kind+" refused"] = seen[kind+" refused"] || want.err != nil
	seen[kind+" denied"] = seen[kind+" denied"] || !want.stored
	c, ok := s.(commits)
	if !ok {
		return
	}
	sides := 0
	for _, e := range c.change.Effects {
		seen[reflect.TypeOf(e).Name()] = true
		if _, ok := e.(store.PutRelationship); ok {
			sides++
		}
	}
	for _, e := range c.change.Expect {
		seen[reflect.TypeOf(e).Name()] = true
	}
	for name, is := range map[string]bool{
		"one side": sides == 1, "both sides": sides == 2,
		"no effects": len(c.change.Effects) == 0, "no expectations": len(c.change.Expect) == 0, "no log": len(c.change.Log) == 0,
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
	for id := range moods() {
		for seed := range uint64(5) {
			q := drawn(t, id, seed)
			if again := drawn(t, id, seed); !reflect.DeepEqual(q, again) {
				t.Errorf("%s: the seed %d gave two sequences:\n%v\n%v", id, seed, q, again)
			}
			if other := drawn(t, id, seed+1); reflect.DeepEqual(q, other) {
				t.Errorf("%s: the seeds %d and %d gave the same sequence", id, seed, seed+1)
			}
			if left := q.sensible(); !reflect.DeepEqual(q, left) {
				t.Errorf("%s: not all of the sequence of seed %d makes sense:\n%v\n%v", id, seed, q, left)
			}
		}
	}
}

// TestModelAgreesWithItself counts false alarms, also under what is left of
// sequences after parts were taken away.
func TestModelAgreesWithItself(t *testing.T) {
	t.Parallel()
	for id := range moods() {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(75) {
				q := drawn(t, id, seed)
				if seed%3 == 2 {
					q = mangled(q, seed)
				}
				o := onTrial(t, id, seed, keeping(), func(b *bench) {
					if m := play(b, q, func(int) {}); m != nil {
						b.failf("%s", complaint(q, m))
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
func mangled(q sequence, seed uint64) sequence {
	random := rand.New(rand.NewPCG(seed, 0))
	q = slices.DeleteFunc(slices.Clone(q), func(step) bool { return random.IntN(4) == 0 })
	for i := range q {
		if n := partsOf(q, i); n > 0 {
			from := random.IntN(n)
			q[i] = q[i].(divisible).without(from, from+random.IntN(n-from+1))
		}
	}
	return q.sensible()
}

// TestSenselessSteps checks what is left out because the contract does not say
// what a store does with it.
func TestSenselessSteps(t *testing.T) {
	t.Parallel()
	b := &bench{T: t, Env: freshEnv(t), h: keeping()}
	p, q := b.problem(1), b.problem(2)
	create := commits{b.change(store.CreateProblem{Problem: p})}
	comment := store.AddComment{Problem: p.ID, Comment: b.comment("text")}
	reply := store.KeepReply{Reply: store.Reply{User: b.ID(), Key: "key", Created: b.Now()}}
	ruledOut := b.change(comment)
	late := b.change()
	late.Effects = []store.Effect{store.Expire{Before: b.Now()}}
	unused := b.change(reply)
	unused.Expect = []store.Expectation{store.KeyUnused{User: reply.Reply.User, Key: "key", Since: b.Now()}}
	token := b.token()
	double := b.token()
	double.Digest = token.Digest
	for name, c := range map[string]struct {
		steps sequence
		left  int // steps and parts
	}{
		"a comment":                        {sequence{create, commits{b.change(comment)}}, 4},
		"a comment without its problem":    {sequence{commits{b.change(comment)}}, 0},
		"a comment before its problem":     {sequence{commits{b.change(comment, store.CreateProblem{Problem: p})}}, 2},
		"a comment twice":                  {sequence{create, commits{b.change(comment, comment)}}, 4},
		"a savepoint without its problem":  {sequence{commits{b.change(store.PutSavepoint{Problem: p})}}, 0},
		"an update without its problem":    {sequence{commits{b.change(store.UpdateProblem{Problem: p})}}, 2},
		"a side without the other problem": {sequence{create, commits{b.change(b.pair(p.ID, relationship.ParentOf, q.ID)...)}}, 2},
		"a reply":                          {sequence{commits{b.change(reply)}}, 2},
		"a reply in place of another":      {sequence{commits{b.change(reply)}, commits{b.change(reply)}}, 2},
		"a reply that may replace another": {sequence{commits{b.change(reply)}, commits{unused}}, 5},
		"an Expire that forgets itself":    {sequence{commits{late}}, 0},
		"two tokens with one digest":       {sequence{commits{b.change(store.PutToken{Token: token}, store.PutToken{Token: double})}}, 2},
		"nothing at all":                   {sequence{commits{b.change()}}, 0},
		"a repetition of nothing":          {sequence{repeats{b.ID()}}, 0},
		"a repetition":                     {sequence{create, repeats{create.change.Batch}}, 3},
		"a batch that was ruled out":       {sequence{create, asks{ruledOut.Batch, b.Now()}, commits{ruledOut}}, 5},
		"two reasons to refuse":            {sequence{create, commits{b.change(store.CreateProblem{Problem: p}, unknownEffect{})}}, 2},
		"two reasons of one kind":          {sequence{create, commits{b.change(store.CreateProblem{Problem: p}, store.UpdateProblem{Problem: q})}}, 5},
		"an Archive":                       {sequence{restores{holdings{Dossiers: b.holdings(1, 2).Dossiers[:1]}}}, 23},
		"an Archive of nothing":            {sequence{restores{}}, 0},
		"an Archive later":                 {sequence{asks{b.ID(), b.Now()}, restores{b.holdings(1)}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if left := c.steps.sensible(); weight(left) != c.left {
				t.Errorf("%d steps and parts are left, want %d:\n%v", weight(left), c.left, left)
			}
		})
	}
}

// TestSequencesAreReadable checks how steps are told.
func TestSequencesAreReadable(t *testing.T) {
	t.Parallel()
	b := &bench{T: t, Env: freshEnv(t)}
	change := b.change(store.MoveFamily{Family: relationship.ParentOf})
	q := sequence{commits{change}, repeats{change.Batch}, asks{change.Batch, b.Now()}, reserves{}, reopens{}, restores{b.holdings(1, 2)},
		commits{b.change(store.DropKeyword{Problem: 1, Name: "\u00e9\r\n'\u202e"})}, commits{b.change(unknownEffect{})}}
	batch := short(change.Batch)
	want := []string{
		"1. Commit of batch " + batch + ": MoveFamily{Family:ParentOf}",
		"2. Commit of batch " + batch + " again",
		"3. Outcome of batch " + batch,
		"4. Reserve",
		"5. Close, and the store is opened again",
		"6. Restore of an Archive with 2 problems, 12 metadata objects and users, 3 tokens, 3 saved queries and 3 audit entries",
		"7. Commit of batch " + short(q[6].(commits).change.Batch) + `: DropKeyword{Problem:1 Name:é\r\n'\u202e}`,
		"8. Commit of batch " + short(q[7].(commits).change.Batch) + ": conformance.unknownEffect{that no store knows}",
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
