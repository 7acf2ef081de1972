package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Rule is a property of every run, under all failures.
type Rule string

// The rules.
const (
	Lost         Rule = "LOST: an acknowledged write is there"
	Duplicate    Rule = "DUPLICATE: one write is stored once"
	Phantom      Rule = "PHANTOM: everything stored was written by a client"
	Resurrected  Rule = "RESURRECTED: deleted, refused or failed writes are not there"
	OneSided     Rule = "ONE-SIDED: a relationship has its mirror"
	Cycle        Rule = "CYCLE: a directed family has no cycle"
	Torn         Rule = "TORN: a change of many problems is all or nothing"
	Disorder     Rule = "DISORDER: revisions, logs and savepoints have no gap and agree"
	LostUpdate   Rule = "LOST UPDATE: a write with If-Match changes the revision read before"
	NameTwice    Rule = "NAME TWICE: unique names are unique"
	Dangling     Rule = "DANGLING: a reference leads to an object"
	TokenLives   Rule = "TOKEN LIVES: no server takes a token two seconds after its revocation"
	TokenRefused Rule = "TOKEN REFUSED: a valid token is taken as soon as it was issued"
	ReadBack     Rule = "READ BACK: reads do not go back"
	WrongRefusal Rule = "WRONG REFUSAL: the reason of a refusal is true"
	NumberBack   Rule = "NUMBER BACK: numbers of problems rise"
	Defect       Rule = "DEFECT: no answer is 500, and none is malformed"
)

// ledger is the knowledge of the clients: their attempts, and the answers.
type ledger struct {
	start time.Time

	mu           sync.Mutex
	broken       []Violation
	acknowledged int
	claims       []*claim
	registers    map[string]*register
	revisions    map[int64]int64            // by problem, the highest revision read
	titles       map[int64]map[int64]string // by problem and revision
}

// claim is the outcome of a write with a trace of its own.
type claim struct {
	op     Op
	result result
	// unknowns counts the requests of unknown outcome.
	unknowns int
	id       string // its identifier in the answer
	sent     time.Time
	answered time.Time
	number   int64 // of the problem, if one was created
	// based is, by problem and revision, the title read before.
	based    map[int64]map[int64]string
	blind    bool    // whether a fail-over may have lost the earlier reads
	left     []int   // by request still in progress on a server, the number of fail-overs with losses before it
	problems []int64 // in the answer of a change of many names
	revoked  bool    // of a token: its revocation was acknowledged
	taken    bool    // of a name: it was refused as taken
}

// result is the client's final knowledge about its write.
type result int

const (
	notDone result = iota // by the word of the server, or nothing was sent
	unclear               // it may be stored
	acked                 // it is stored
	refused               // it is not stored
)

func newLedger(start time.Time) *ledger {
	l := &ledger{start: start, registers: map[string]*register{}}
	l.forget()
	return l
}

// breaks notes a broken rule.
func (l *ledger) breaks(rule Rule, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = append(l.broken, Violation{rule, time.Since(l.start), fmt.Sprintf(format, args...)})
}

func (l *ledger) sorted() []Violation {
	slices.SortStableFunc(l.broken, func(a, b Violation) int { return cmp.Compare(a.At, b.At) })
	return l.broken
}

// claim notes a write before the attempt.
func (l *ledger) claim(op Op) *claim {
	c := &claim{op: op, sent: time.Now(), based: map[int64]map[int64]string{}}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.claims = append(l.claims, c)
	return c
}

// base notes the read of a problem before its change.
func (c *claim) base(read read) {
	if c.based[read.id] == nil {
		c.based[read.id] = map[int64]string{}
	}
	c.based[read.id][read.revision] = read.title
}

// forget forgets all reads: a fail-over may have lost their content.
func (l *ledger) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.revisions, l.titles = map[int64]int64{}, map[int64]map[int64]string{}
}

// highest returns the highest revision of a problem in any read.
func (l *ledger) highest(id int64) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.revisions[id]
}

// read is a client's read of a problem.
type read struct {
	id, revision int64
	title        string
	tag          string // the entity tag
	losses       int    // how many fail-overs had lost something before
}

// saw notes a read, and checks it against all others. highest is the highest revision
// read before the request was sent.
func (l *ledger) saw(r read, highest int64) {
	if r.revision < highest {
		l.breaks(ReadBack, "problem %d is read at revision %d, and was read at %d before", r.id, r.revision, highest)
	}
	l.mu.Lock()
	l.revisions[r.id] = max(l.revisions[r.id], r.revision)
	if l.titles[r.id] == nil {
		l.titles[r.id] = map[int64]string{}
	}
	known, ok := l.titles[r.id][r.revision]
	l.titles[r.id][r.revision] = r.title
	l.mu.Unlock()
	if ok && known != r.title {
		l.breaks(ReadBack, "problem %d at revision %d is read as %q and as %q", r.id, r.revision, known, r.title)
	}
}

// register is a value with a single writer, one write after the other. It has one of the
// possible values; empty for none.
type register struct {
	possible []string
	// lingering are the values possible through a write of unknown outcome.
	lingering []lingering
	judged    bool
}

// lingering is a value still possible through a write.
type lingering struct {
	value string
	// abandoned, if not nil, is the request, still in progress on a server. A later write
	// does not outdate it.
	abandoned *abandoned
}

// abandoned is a request without its client.
type abandoned struct{ over atomic.Bool }

// register returns the register of a name to a client about to write it. Its first value
// is given.
func (l *ledger) register(name, first string) *register {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.registers[name]
	if r == nil {
		r = &register{possible: []string{first}}
		l.registers[name] = r
	}
	r.next()
	return r
}

// next notes the start of the next write.
func (r *register) next() {
	for i := range r.lingering {
		if a := r.lingering[i].abandoned; a != nil && a.over.Load() {
			r.lingering[i].abandoned = nil
		}
	}
}

// wrote notes an acknowledged write. It outdates all writes before it.
func (r *register) wrote(value string) {
	r.lingering = slices.DeleteFunc(r.lingering, func(l lingering) bool { return l.abandoned == nil })
	r.settle(value)
}

// may notes a write of unknown outcome.
func (r *register) may(value string, a *abandoned) {
	r.possible, r.lingering = append(r.possible, value), append(r.lingering, lingering{value, a})
}

// settle notes the value at this moment.
func (r *register) settle(value string) {
	r.possible = []string{value}
	for _, l := range r.lingering {
		r.possible = append(r.possible, l.value)
	}
}

// is notes a read of the register's value. It returns false when the value is impossible.
func (r *register) is(value string) bool {
	ok := slices.Contains(r.possible, value)
	r.settle(value)
	return ok
}

func (l *ledger) acknowledge() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acknowledged++
}
