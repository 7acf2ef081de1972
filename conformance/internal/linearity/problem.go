package linearity

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/linear"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

func linearProblemCases() []bench.Case {
	return []bench.Case{{
		ID:     "COM-004/linear",
		Rule:   "Clients reading and writing one problem at once get the answers of some sequential order.",
		Seeded: true,
		Run:    func(b *bench.Bench) { checkProblems(b, 1) },
	}, {
		ID:     "COM-004/linear-several",
		Rule:   "Clients reading and writing several problems at once get, for each problem, the answers of some sequential order.",
		Seeded: true,
		Run:    func(b *bench.Bench) { checkProblems(b, 3) },
	}}
}

// problemState is the state of one problem. Texts are the numbers of writes.
type problemState struct {
	revision int64
	batch    ident.ID // of the revision
	title    string
	comments string
	log      string
	keywords [2]string // the value, by keyword
	read     [2]bool   // by user
	position int64     // of the last Change; 0 in a View
}

func (r problemState) String() string {
	text := fmt.Sprintf("revision %d, the title %q, the log %s, the comments %s", r.revision, r.title, cmp.Or(r.log, "empty"), cmp.Or(r.comments, "none"))
	for i, value := range r.keywords {
		text += fmt.Sprintf(", keyword %d %s", i, cmp.Or(value, "missing"))
	}
	for i, read := range r.read {
		if read {
			text += fmt.Sprintf(", read by user %d", i)
		}
	}
	return text
}

// problemRequest is a client's request: to change a problem, or to show it.
type problemRequest struct {
	problem int   // the problem
	number  int64 // 0: to be shown
	// expect is the expected revision, to be raised; 0: none.
	expect  int64
	from    ident.ID // the batch of the expected revision
	batch   ident.ID // its own
	comment bool
	keyword int  // the keyword; -1: none
	drop    bool // the keyword instead of setting it
	mark    int  // the user; -1: none
	unread  bool // instead of read
	forget  int  // the user with the only remaining mark; -1: none
}

func (w problemRequest) String() string {
	if w.number == 0 {
		return fmt.Sprintf("to be shown problem %d", w.problem)
	}
	parts := []string{"a log entry"}
	if w.expect > 0 {
		parts = append(parts, fmt.Sprintf("a title where revision %d is expected", w.expect))
	}
	if w.comment {
		parts = append(parts, "a comment")
	}
	if w.keyword >= 0 {
		parts = append(parts, fmt.Sprintf("%s keyword %d", map[bool]string{false: "setting", true: "dropping"}[w.drop], w.keyword))
	}
	if w.forget >= 0 {
		parts = append(parts, fmt.Sprintf("no read marks but of user %d", w.forget))
	}
	if w.mark >= 0 {
		parts = append(parts, fmt.Sprintf("problem %s by user %d", map[bool]string{false: "read", true: "unread"}[w.unread], w.mark))
	}
	return fmt.Sprintf("for number %d on problem %d (%s)", w.number, w.problem, strings.Join(parts, ", "))
}

// on returns the state after the write.
func (w problemRequest) on(r problemState, position int64) problemState {
	number := fmt.Sprint(w.number)
	r.position, r.log = position, appended(r.log, w.number)
	if w.expect > 0 {
		r.revision, r.batch, r.title = w.expect+1, w.batch, number
	}
	if w.comment {
		r.comments = appended(r.comments, w.number)
	}
	if w.keyword >= 0 {
		if r.keywords[w.keyword] = number; w.drop {
			r.keywords[w.keyword] = ""
		}
	}
	if w.forget >= 0 {
		r.read[1-w.forget] = false
	}
	if w.mark >= 0 {
		r.read[w.mark] = !w.unread
	}
	return r
}

// problemClient has the problems of the clients' writes.
type problemClient struct {
	*bench.Bench
	problems []problem.Problem
	users    [2]ident.ID
}

// keywordNames are the keywords of a problem.
func keywordNames() [2]string { return [2]string{"area", "price"} }

// Change returns the Change of the request.
func (s *problemClient) Change(w problemRequest) store.Change {
	p := s.problems[w.problem]
	change := s.Bench.Change()
	change.Batch = w.batch
	entry := s.Entry(p.ID)
	entry.Revision = w.number
	change.Log = []problem.LogEntry{entry}
	put := func(effect store.Effect) { change.Effects = append(change.Effects, effect) }
	// Effects without an expectation come first: they reveal a store that applies before
	// it checks.
	if w.comment {
		put(store.AddComment{Problem: p.ID, Comment: s.Comment(fmt.Sprint(w.number))})
	}
	if w.keyword >= 0 {
		name := keywordNames()[w.keyword]
		if w.drop {
			put(store.DropKeyword{Problem: p.ID, Name: name})
		} else {
			put(store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: name, Value: problem.Text(fmt.Sprint(w.number))}})
		}
	}
	if w.forget >= 0 {
		put(store.ForgetReads{Problem: p.ID, But: s.users[w.forget]})
	}
	if w.mark >= 0 {
		put(store.MarkRead{Problem: p.ID, User: s.users[w.mark], Read: !w.unread})
	}
	if w.expect > 0 {
		change.Expect = []store.Expectation{store.ProblemAt{ID: p.ID, Revision: w.expect, Batch: w.from}}
		p.Title, p.Revision = fmt.Sprint(w.number), w.expect+1
		put(store.UpdateProblem{Problem: p})
	}
	return change
}

// look returns the problem in one View.
func (s *problemClient) look(i int) (shown problemState, err error) {
	id := s.problems[i].ID
	var first, then snapshot.Snapshot
	err = s.Store.View(s.Ctx, func(r store.Reader) (err error) {
		if first, err = r.Problem(s.Ctx, id, s.users[0], snapshot.Keywords|snapshot.Log); err != nil {
			return err
		}
		runtime.Gosched()
		then, err = r.Problem(s.Ctx, id, s.users[1], snapshot.Comments)
		return err
	})
	if err != nil {
		return problemState{}, fmt.Errorf("View: %w", err)
	}
	if first.Revision != then.Revision || first.Batch != then.Batch || first.Title != then.Title {
		return problemState{}, fmt.Errorf("one View showed of problem %d first revision %d with the title %q, and then revision %d with the title %q",
			id, first.Revision, first.Title, then.Revision, then.Title)
	}
	shown = problemState{
		revision: first.Revision,
		batch:    first.Batch,
		title:    first.Title,
		comments: numbersOf(then.Comments, func(c problem.Comment) any { return c.Text }),
		log:      numbersOf(first.Log, func(e problem.LogEntry) any { return e.Revision }),
		read:     [2]bool{first.Read, then.Read},
	}
	for i, name := range keywordNames() {
		for _, k := range first.Keywords {
			if k.Name == name {
				shown.keywords[i] = k.Value.String
			}
		}
	}
	return shown, nil
}

// problemAnswer is the answer to a write of a client.
type problemAnswer struct {
	result
	shown problemState
}

// Do makes the request.
func (s *problemClient) Do(w problemRequest) (out problemAnswer, err error) {
	if w.number == 0 {
		out.shown, err = s.look(w.problem)
	} else {
		out.result, err = send(s.Bench, s.Change(w))
	}
	return out, err
}

// Step is the model of one problem.
func (w problemRequest) Step(before problemState, out problemAnswer) (problemState, bool) {
	if w.number == 0 {
		out.shown.position = before.position
		return before, out.shown == before
	}
	meets := w.expect == 0 || w.expect == before.revision && w.from == before.batch
	switch out.outcome {
	case isStored:
		return w.on(before, out.position), meets && out.position > before.position
	case isRefused:
		return before, !meets
	default:
		return before, true
	}
}

// Draw returns a random request to a problem.
func (w problemRequest) Draw(random *rand.Rand) problemRequest {
	w.comment, w.drop, w.unread = random.IntN(2) == 0, random.IntN(3) == 0, random.IntN(3) == 0
	w.keyword, w.mark, w.forget = random.IntN(4)-2, random.IntN(4)-2, random.IntN(6)-4
	w.keyword, w.mark, w.forget = max(w.keyword, -1), max(w.mark, -1), max(w.forget, -1)
	return w
}

// checkProblems lets clients look at problems and write to them.
func checkProblems(b *bench.Bench, n int) {
	b.Helper()
	s := &problemClient{Bench: b, users: [2]ident.ID{b.ID(), b.ID()}}
	var last []problemRequest
	create := b.Change()
	for i := range n {
		p := b.Problem(b.Reserve())
		p.Title = "0"
		s.problems = append(s.problems, p)
		create.Effects = append(create.Effects, store.CreateProblem{Problem: p})
		last = append(last, problemRequest{problem: i})
	}
	b.Commit(create)
	t := &recording[problemState, problemRequest, problemAnswer]{Bench: b, ask: s.Do, Model: linear.Model[problemState, problemRequest, problemAnswer]{
		Start: problemState{revision: 1, batch: create.Batch, title: "0"},
		Step: func(before problemState, w problemRequest, out problemAnswer) (problemState, bool) {
			return w.Step(before, out)
		},
		Part:  func(w problemRequest) int { return w.problem },
		Asked: problemRequest.String,
		Told: func(w problemRequest, out problemAnswer) string {
			if w.number == 0 {
				return out.shown.String()
			}
			return out.result.String()
		},
		Shown: problemState.String,
	}}
	t.record(func(_ int, ask func(problemRequest) (problemAnswer, error), random *rand.Rand) error {
		w := problemRequest{problem: random.IntN(n)}
		out, err := ask(w)
		if err != nil {
			return err
		}
		if random.IntN(3) > 0 {
			if w = w.Draw(random); random.IntN(3) > 0 {
				w.expect, w.from = out.shown.revision, out.shown.batch
			}
			w.number, w.batch = t.number(), b.ID()
		}
		_, err = ask(w)
		return err
	}, last...)
}
