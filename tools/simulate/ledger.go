package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Rule is what has to hold, whatever fails.
type Rule string

// The rules.
const (
	Lost         Rule = "LOST: an acknowledged write is there"
	Duplicate    Rule = "DUPLICATE: one write is stored once"
	Phantom      Rule = "PHANTOM: nothing is there that nobody has written"
	Resurrected  Rule = "RESURRECTED: what was deleted, refused or not done is not there"
	OneSided     Rule = "ONE-SIDED: a relationship has its mirror"
	Cycle        Rule = "CYCLE: a directed family has no cycle"
	Torn         Rule = "TORN: a change of many problems is all or nothing"
	Disorder     Rule = "DISORDER: revisions, logs and savepoints have no gap and agree"
	LostUpdate   Rule = "LOST UPDATE: a write with If-Match is made to what was read"
	NameTwice    Rule = "NAME TWICE: a name that has to be unique is"
	Dangling     Rule = "DANGLING: a reference leads to an object"
	TokenLives   Rule = "TOKEN LIVES: two seconds after it was revoked, no server takes a token"
	TokenRefused Rule = "TOKEN REFUSED: a valid token is taken as soon as it was issued"
	ReadBack     Rule = "READ BACK: reads do not go back"
	WrongRefusal Rule = "WRONG REFUSAL: a refusal rests on what is so"
	NumberBack   Rule = "NUMBER BACK: numbers of problems rise"
	Defect       Rule = "DEFECT: no answer is 500, and none is malformed"
)

// ledger is what clients know: what they have tried, and what they were told.
type ledger struct {
	start time.Time

	mu           sync.Mutex
	broken       []Violation
	acknowledged int
	claims       []*claim
	registers    map[string]*register
	revisions    map[int64]int64            // by problem, the highest that was read
	titles       map[int64]map[int64]string // by problem and revision
}

// claim is what became of a write that leaves something of its own.
type claim struct {
	op     Op
	result result
	// unknowns counts the requests of unknown outcome.
	unknowns int
	id       string // what the answer calls it
	sent     time.Time
	answered time.Time
	number   int64 // of the problem, if one was created
	// based is, by problem and revision, the title that was read before.
	based    map[int64]map[int64]string
	blind    bool    // whether a fail-over may have lost what was read
	left     []int   // by request that a server goes on with, how many fail-overs had lost something before
	problems []int64 // that the answer of a change of many names
	revoked  bool    // of a token, that this was acknowledged
	taken    bool    // of a name, that it was refused as taken
}

// result is what a client knows about its write in the end.
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

// breaks notes that a rule was broken.
func (l *ledger) breaks(rule Rule, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken = append(l.broken, Violation{rule, time.Since(l.start), fmt.Sprintf(format, args...)})
}

func (l *ledger) sorted() []Violation {
	slices.SortStableFunc(l.broken, func(a, b Violation) int { return cmp.Compare(a.At, b.At) })
	return l.broken
}

// claim notes a write that is about to be tried.
func (l *ledger) claim(op Op) *claim {
	c := &claim{op: op, sent: time.Now(), based: map[int64]map[int64]string{}}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.claims = append(l.claims, c)
	return c
}

// base notes what was read of a problem before it is changed.
func (c *claim) base(read read) {
	if c.based[read.id] == nil {
		c.based[read.id] = map[int64]string{}
	}
	c.based[read.id][read.revision] = read.title
}

// forget forgets what was read: a fail-over may have lost it.
func (l *ledger) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.revisions, l.titles = map[int64]int64{}, map[int64]map[int64]string{}
}

// highest returns the highest revision of a problem that somebody has seen.
func (l *ledger) highest(id int64) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.revisions[id]
}

// read is what a client has read of a problem.
type read struct {
	id, revision int64
	title        string
	tag          string // the entity tag
	losses       int    // how many fail-overs had lost something before
}

// saw notes what was read, of which nobody has read anything else. highest is what
// had been read when the request was sent.
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

// register is something that one client alone writes, one write after the other. It
// has one of the possible values; empty for none.
type register struct {
	possible []string
	// lingering are those that a write of unknown outcome may still bring.
	lingering []lingering
	judged    bool
}

// lingering is a value that a write may still bring.
type lingering struct {
	value string
	// abandoned, if not nil, is the request, which a server goes on with. It is not
	// outdated by a write that is sent meanwhile.
	abandoned *abandoned
}

// abandoned is a request whose client has left.
type abandoned struct{ over atomic.Bool }

// register returns the register of that name, which has the given value at first, to
// a client that is about to write it.
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

// next notes that the next write is about to be sent.
func (r *register) next() {
	for i := range r.lingering {
		if a := r.lingering[i].abandoned; a != nil && a.over.Load() {
			r.lingering[i].abandoned = nil
		}
	}
}

// wrote notes an acknowledged write, which outdates all before it.
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

// is notes that the register was found with a value. It returns false when that is
// not possible.
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
