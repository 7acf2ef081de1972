package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Plan has all independent causes of a run: the operations of clients, and the failures.
type Plan struct {
	Seed    uint64
	Servers int
	Clients int
	Hidden  bool    // the store shows only safe entries, and those with an abandoned wait
	Ops     []Op    // by ID
	Events  []Event // by ID
}

// Op is an operation of a client, with as many requests as it takes.
type Op struct {
	ID     int // unique in the plan; part of all texts written by the op
	Client int
	Kind   Kind
	At     time.Duration // since the start; later when the client is still busy
	Server int           // the first one asked; repeated requests go to others
	// Problem and Other choose among the first problems; Name chooses among a few names
	// wanted by several clients.
	Problem, Other, Name int
	Mishap               Mishap // of the first request's Commit
	// Unsettled makes the store's Outcome fail as well.
	Unsettled bool
	// Leaves, if not 0, is the time until the client gives up its first request. The
	// server goes on with it.
	Leaves time.Duration
}

// Kind is the kind of an Op.
type Kind int

// The kinds of operations.
const (
	Load           Kind = iota // a problem
	ListPriorities             // with the entity tag of the last time
	Create                     // a problem, with a key
	CreatePlain                // a problem, without a key: it is not repeated after an unknown outcome
	Retitle                    // with If-Match
	RetitleTwo                 // two problems at once, as a preview has shown
	Comment                    // with a key
	SetKeyword                 // the client's own
	DropKeyword                // the client's own
	Relate                     // two problems, linked by the client's own relationship
	Unrelate                   // the same
	Watch                      // by the client's own user
	MakePriority               // with a name wanted by others, too
	MakeComponent              // likewise
	Reorder                    // the client's own priority
	TokenLife                  // issue a token, use it, revoke it, and see it refused
	kinds
)

var kindNames = [kinds]string{
	"load", "list priorities", "create", "create without key", "retitle", "retitle two", "comment", "set keyword",
	"drop keyword", "relate", "unrelate", "watch", "make priority", "make component", "reorder", "token",
}

// String returns the kind in words.
func (k Kind) String() string { return kindNames[k] }

// linksTwo reports whether the operation changes two problems in one request.
func (k Kind) linksTwo() bool { return k == Relate || k == Unrelate || k == RetitleTwo }

// Mishap is a failure of a Commit.
type Mishap int

// The mishaps.
const (
	NoMishap  Mishap = iota
	NotSent          // the connection breaks before the Change is sent
	Late             // the connection breaks, and the Change arrives later
	Exposed          // nobody waits for the standby any more: the Change shows, unconfirmed
	ReplyLost        // the Change is stored and safe, and the answer is lost
)

var mishapNames = [...]string{"", "not sent", "late", "exposed", "reply lost"}

// String returns the mishap in words.
func (m Mishap) String() string { return mishapNames[m] }

// Event is a failure of a part.
type Event struct {
	ID   int // unique in the plan
	Kind EventKind
	At   time.Duration
	For  time.Duration // how long the part fails, or the store is away
	// Server is the affected server; Step is the step of a clock; Part is the fraction of
	// the unconfirmed log received by the standby before it takes over.
	Server int
	Step   time.Duration
	Part   float64
}

// EventKind is the kind of a failure.
type EventKind int

// The kinds of events.
const (
	Freeze    EventKind = iota // the standby confirms nothing
	FailOver                   // the standby takes over
	Kill                       // a server; it is started anew
	ClockStep                  // of a server
	DiskFull                   // commits are refused
	Away                       // the store cannot be reached
	Cuts                       // connections of a server to the store break
	Stop                       // a server does nothing for a while, and goes on
)

var eventNames = [...]string{"the standby freezes", "the standby takes over", "a server is killed", "a clock steps", "the disk is full", "the store is away", "connections break", "a server stands still"}

// String returns the kind in words.
func (k EventKind) String() string { return eventNames[k] }

// problems is how many there are at first.
const problems = 4

// names is how many names several clients want.
const names = 3

// Draw makes the plan of a seed.
func Draw(seed uint64) Plan {
	r := rand.New(rand.NewPCG(seed, 0))
	p := Plan{Seed: seed, Servers: 2, Clients: 2 + r.IntN(3)}
	// Few kinds at few moments, so requests meet.
	favourites := make([]Kind, 2+r.IntN(3))
	for i := range favourites {
		favourites[i] = Kind(r.IntN(int(kinds)))
	}
	p.Hidden = r.IntN(3) == 0
	ring := r.IntN(8) == 0
	if ring {
		p.Clients = clientsMost
	}
	contested := !ring && r.IntN(6) == 0
	if contested {
		// One problem, and a fail-over meanwhile.
		p.Clients, favourites = clientsMost, []Kind{Retitle, Retitle, SetKeyword, Comment, Watch}
	}
	d := drawing{Rand: r, servers: p.Servers, favourites: favourites, ring: ring, contested: contested, trouble: r.Float64() * 0.6}
	moments := make([]time.Duration, 4+r.IntN(3))
	for i := range moments {
		moments[i] = time.Duration(r.IntN(4000)) * time.Millisecond
	}
	slices.Sort(moments)
	d.place = r.IntN(problems)
	for client := range p.Clients {
		for _, at := range moments[:min(len(moments), 4+r.IntN(3))] {
			op := d.op(client, at)
			op.ID = len(p.Ops)
			p.Ops = append(p.Ops, op)
		}
	}
	if contested {
		p.drawEvent(r, moments, FailOver)
	}
	for range r.IntN(4) {
		p.drawEvent(r, moments, often[r.IntN(len(often))])
	}
	return p
}

// drawing is what the requests of a plan have in common.
type drawing struct {
	*rand.Rand
	servers         int
	favourites      []Kind
	ring, contested bool
	trouble         float64 // how often something happens to a request
	place           int     // the favourite problem
}

// op draws a request of a client at a moment.
func (d drawing) op(client int, at time.Duration) Op {
	op := Op{Client: client, Kind: Kind(d.IntN(int(kinds))), At: at, Server: d.IntN(d.servers), Problem: d.IntN(problems), Name: d.IntN(names)}
	if d.Float64() < 0.7 {
		op.Kind = d.favourites[d.IntN(len(d.favourites))]
	}
	if d.contested || d.Float64() < 0.4 {
		op.Problem = d.place
	}
	op.Other = (op.Problem + 1 + d.IntN(problems-1)) % problems
	if d.Float64() < 0.3 {
		op.At += time.Duration(d.IntN(300)) * time.Millisecond
	}
	if d.ring {
		// It takes all relationships of the ring to close it: two are put first,
		// and then two without a common problem, at two servers.
		op.At, op.Kind, op.Server = at+time.Duration(1-client%2)*100*time.Millisecond, Relate, client/2%d.servers
		if d.IntN(6) == 0 {
			op.Kind = Unrelate
		}
	} else if d.Float64() < d.trouble {
		op.Mishap = []Mishap{NoMishap, NotSent, Late, Exposed, Exposed, ReplyLost}[d.IntN(6)]
		op.Unsettled = d.IntN(3) > 0
		if d.IntN(3) == 0 {
			op.Leaves = time.Duration(1+d.IntN(400)) * time.Millisecond / 4
		}
	}
	return op
}

// often has each kind of event as often as it is to be drawn.
var often = []EventKind{Freeze, FailOver, FailOver, FailOver, Kill, Kill, ClockStep, DiskFull, Away, Cuts, Stop}

func (p *Plan) drawEvent(r *rand.Rand, moments []time.Duration, kind EventKind) {
	e := Event{
		Kind: kind, At: time.Duration(r.IntN(4500)) * time.Millisecond, For: time.Duration(50+r.IntN(1500)) * time.Millisecond,
		Server: r.IntN(p.Servers), Part: r.Float64(),
	}
	switch e.Kind {
	case FailOver:
		// A standby takes over from a primary it has lost touch with, while clients
		// write.
		frozen := time.Duration(200+r.IntN(2300)) * time.Millisecond
		begin := max(0, moments[r.IntN(len(moments))]-time.Duration(r.IntN(100))*time.Millisecond)
		p.Events = append(p.Events, Event{ID: len(p.Events), Kind: Freeze, At: begin, For: frozen + e.For})
		e.At = begin + frozen
		if r.IntN(2) == 0 {
			// A server sleeps through it.
			before := time.Duration(r.IntN(40)) * time.Millisecond
			p.Events = append(p.Events, Event{ID: len(p.Events), Kind: Stop, At: max(0, e.At-before), For: before + e.For + time.Duration(r.IntN(2000))*time.Millisecond, Server: e.Server})
		}
		if r.IntN(2) == 0 {
			e.Part = 0
		}
	case ClockStep:
		// D17 allows for one step back of less than a second.
		steps := []time.Duration{-time.Hour, -900 * time.Millisecond, -300 * time.Millisecond, 500 * time.Millisecond, time.Hour}
		e.Step = steps[r.IntN(len(steps))]
	case Freeze:
		if r.IntN(10) == 0 {
			e.For += 35 * time.Second // longer than a request may take
		}
	}
	e.ID = len(p.Events)
	p.Events = append(p.Events, e)
}

// String returns the plan as lines, in the order of time.
func (p Plan) String() string {
	type line struct {
		at   time.Duration
		text string
	}
	var lines []line
	for _, op := range p.Ops {
		lines = append(lines, line{op.At, op.String()})
	}
	for _, e := range p.Events {
		lines = append(lines, line{e.At, e.String()})
	}
	slices.SortStableFunc(lines, func(a, b line) int { return int(a.at - b.at) })
	var b strings.Builder
	if p.Hidden {
		b.WriteString("The store shows only what is safe, or what nobody waits for any more.\n")
	}
	for _, l := range lines {
		fmt.Fprintf(&b, "%8v  %s\n", l.at, l.text)
	}
	return b.String()
}

// String returns the operation in words.
func (o Op) String() string {
	text := fmt.Sprintf("client %d, operation %d: %v", o.Client, o.ID, o.Kind)
	switch o.Kind {
	case MakePriority, MakeComponent:
		text += fmt.Sprintf(" %s", o.shared())
	case Load, Retitle, Comment, SetKeyword, DropKeyword, Watch:
		text += fmt.Sprintf(" of problem %d", o.Problem+1)
	case RetitleTwo:
		text += fmt.Sprintf(", problems %d and %d", o.Problem+1, o.Other+1)
	}
	text += fmt.Sprintf(", first at server %d", o.Server)
	if o.Mishap != NoMishap {
		text += fmt.Sprintf("; its commit: %v", o.Mishap)
	}
	if o.Unsettled {
		text += "; no outcome to be had"
	}
	if o.Leaves > 0 {
		text += fmt.Sprintf("; the client leaves after %v", o.Leaves)
	}
	return text
}

// String returns the event in words.
func (e Event) String() string {
	switch e.Kind {
	case FailOver:
		return fmt.Sprintf("%v, with %.0f %% of what it had not confirmed; back after %v", e.Kind, 100*e.Part, e.For)
	case ClockStep:
		return fmt.Sprintf("%v, of server %d, by %v", e.Kind, e.Server, e.Step)
	case Kill, Cuts, Stop:
		return fmt.Sprintf("%v: server %d, for %v", e.Kind, e.Server, e.For)
	}
	return fmt.Sprintf("%v, for %v", e.Kind, e.For)
}

// text is the text written by the operation, unique to it.
func (o Op) text() string { return fmt.Sprintf("text-%d.", o.ID) }

// shared is the name wanted by the operation, and by others.
func (o Op) shared() string { return fmt.Sprintf("shared-%d.", o.Name) }
