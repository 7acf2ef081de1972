package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	api "github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// stepped builds the program with a clock that goes wrong by the duration in the file CLOCK. All
// of its time is Now of the process, which one line of the program sets.
func stepped(t *testing.T) string {
	t.Helper()
	const file, clock = "../problems/main.go", "time.Now,"
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(source), clock) != 1 {
		t.Fatalf("%s does not set the clock by the one text %q", file, clock)
	}
	dir := t.TempDir()
	changed := strings.Replace(string(source), clock, "wrong,", 1) + `
func wrong() time.Time {
	text, _ := os.ReadFile(os.Getenv("CLOCK"))
	by, _ := time.ParseDuration(string(text))
	return time.Now().Add(by)
}
`
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	absolute, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{absolute: write("main.go", changed)}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "problems")
	build := exec.Command("go", "build", "-overlay", write("overlay.json", string(overlay)), "-o", path, "../cmd/problems")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	return path
}

// anyServer sends each attempt to one of the servers that run now, as a balancer does.
type anyServer struct {
	servers   []atomic.Pointer[server]
	transport http.Transport
}

func (a *anyServer) RoundTrip(r *http.Request) (*http.Response, error) {
	i := rand.IntN(len(a.servers))
	s := a.servers[i].Load()
	for ; s == nil; s = a.servers[i].Load() { // it was killed, and has not started yet
		i = (i + 1) % len(a.servers)
	}
	place, err := url.Parse(s.url)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.URL.Host, r.Host = place.Host, place.Host
	return a.transport.RoundTrip(r)
}

// fire is what the claimers of a test have in common.
type fire struct {
	*testing.T
	*api.Client
	fresh atomic.Bool // for each problem that is finished, a new one is filed

	mu       sync.Mutex
	attempts []claimAttempt
}

// try makes a request and notes what the claimer knows of it.
func (f *fire) try(a claimAttempt, request func(*claimAttempt) error) error {
	a.began = time.Now()
	err := request(&a)
	a.ended = time.Now()
	a.lost = errors.Is(err, api.ClaimLost)
	switch {
	case err == nil:
		a.outcome = acknowledged
	case !errors.Is(err, api.ErrUnknown):
		a.outcome = rejected
	}
	if refused, ok := errors.AsType[*api.Error](err); ok && refused.Status < 500 && !a.lost && refused.Code != api.Claimed {
		f.Errorf("%v: %v", a, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.attempts = append(f.attempts, a)
	return err
}

// file files a problem, and returns its number.
func (f *fire) file() int64 {
	made, err := f.Create(f.Context(), api.NewProblem{Fields: api.Fields{Title: "To do"}})
	if err != nil && !errors.Is(err, api.ErrUnknown) && !errors.Is(err, api.Unavailable) {
		f.Errorf("a problem was not filed: %v", err)
	}
	return made.Identifier
}

var errNone = errors.New("there is no problem to claim")

const fireLease = 30 * time.Second // the shortest

// next claims a problem: the one with the number, unless that is 0.
func (f *fire) next(ctx context.Context, number int64, sort string) (claimAttempt, bool) {
	work := claimAttempt{kind: "take"}
	err := f.try(work, func(a *claimAttempt) (err error) {
		var taken api.Claim
		if number != 0 {
			a.problem = number
			taken, err = f.Claim(ctx, number, fireLease)
		} else {
			var p api.ClaimedProblem
			var found bool
			p, found, err = f.ClaimNext(ctx, api.Next{Lease: fireLease, Sort: sort}, api.Only("identifier", "claim"))
			if a.problem, taken = p.Identifier, p.Claim; err == nil && !found {
				err = errNone
			}
		}
		a.claim = taken.Identifier
		work = *a
		return err
	})
	return work, err == nil
}

// write is one write under the claim of the work.
func (f *fire) write(ctx context.Context, work claimAttempt, kind, mark string) error {
	work.kind, work.mark = kind, mark
	return f.try(work, func(a *claimAttempt) (err error) {
		under := api.UnderClaim(a.claim)
		switch kind {
		case "comment":
			_, err = f.Comment(ctx, a.problem, api.NewComment{Text: mark}, under)
		case "title":
			_, err = f.Update(ctx, a.problem, api.Patch{Fields: api.Fields{Title: mark}}, under)
		case "extend":
			_, err = f.Claim(ctx, a.problem, fireLease, under)
		case "finish":
			_, err = f.Update(ctx, a.problem, api.Patch{Fields: api.Fields{Title: mark, State: &api.Partial{Name: "Closed"}}}, under)
		}
		return err
	})
}

// claimer works on problems until none is left. While new ones are filed, it dies now and then,
// and goes on much later as if nothing had happened.
func (f *fire) claimer(ctx context.Context, name int, random *rand.Rand) {
	var dead claimAttempt
	sorts := []string{"", "-identifier", "title"}
	number := int64(0)
	for n := 0; ctx.Err() == nil; n++ {
		mark := func(step string) string { return fmt.Sprintf("c%d-%d-%s", name, n, step) }
		work, found := f.next(ctx, number, sorts[random.IntN(len(sorts))])
		if number = 0; !found {
			if !f.fresh.Load() && f.left(ctx) == 0 {
				return
			}
			continue
		}
		lost := false
		for i, kind := range []string{"comment", "extend", "title", "finish"} {
			if f.fresh.Load() && random.IntN(20) == 0 {
				work, dead = dead, work // dies without a word, and the one that died before comes back
			}
			if work.claim == "" {
				break
			}
			if lost = errors.Is(f.write(ctx, work, kind, mark(fmt.Sprint(i, kind))), api.ClaimLost); lost && random.IntN(2) == 0 {
				break // the others do not listen
			}
		}
		if f.fresh.Load() && !lost {
			if filed := f.file(); random.IntN(4) == 0 {
				number = filed
			}
		}
	}
}

// left returns how many problems have to be finished.
func (f *fire) left(ctx context.Context) (n int) {
	for _, err := range f.Search(ctx, api.Search{Predicate: "state.resolved = NO", Fields: []string{"identifier"}}) {
		if n++; err != nil {
			break
		}
	}
	return n
}

// logs returns the logs of all problems.
func (f *fire) logs() map[int64][]claimLine {
	all := map[int64][]claimLine{}
	for found, err := range f.Search(f.Context(), api.Search{Fields: []string{"identifier"}}) {
		if err != nil {
			f.Fatal(err)
		}
		texts := map[string]string{}
		for c, err := range f.Comments(f.Context(), found.Identifier) {
			if err != nil {
				f.Fatal(err)
			}
			texts[c.Identifier] = c.Text
		}
		p, err := f.Problem(f.Context(), found.Identifier)
		if err != nil {
			f.Fatal(err)
		}
		lines := []claimLine{}
		for _, e := range p.Logs {
			var from, to struct{ Identifier, Name string }
			var text string
			_, _ = json.Unmarshal(e.From, &from), json.Unmarshal(e.To, &to) // the others are texts
			_ = json.Unmarshal(e.To, &text)
			switch {
			case e.Type == "ClaimTaken":
				lines = append(lines, claimLine{taken: to.Identifier, from: from.Identifier})
			case e.Type == "ClaimEnded":
				lines = append(lines, claimLine{ended: from.Identifier})
			case e.Type == "CommentAdded":
				lines = append(lines, claimLine{mark: texts[text]})
			case e.Type == "FieldChanged" && *e.Field == "title":
				lines = append(lines, claimLine{mark: text})
			case e.Type == "FieldChanged" && *e.Field == "state":
				lines = append(lines, claimLine{resolved: to.Name == "Closed"})
			}
		}
		all[p.Identifier] = lines
	}
	return all
}

// TestClaimsUnderFire lets 50 claimers work through two servers on one database. Servers are
// killed, and the clock of one of them goes minutes forth and back, so claims are taken from
// claimers that live. No write with an old claim is accepted, none is lost, and each problem is
// finished once (D49).
func TestClaimsUnderFire(t *testing.T) {
	t.Parallel()
	const claimers, kills, problems = 50, 10, 40
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	store, token := postgrestest.Schema(t), newToken(t)
	clock := filepath.Join(t.TempDir(), "clock")
	set := func(by time.Duration) {
		t.Helper()
		if err := errors.Join(os.WriteFile(clock+".new", []byte(by.String()), 0o600), os.Rename(clock+".new", clock)); err != nil {
			t.Fatal(err)
		}
	}
	programs := [2]string{program(t), stepped(t)}
	both := &anyServer{servers: make([]atomic.Pointer[server], len(programs)), transport: http.Transport{MaxIdleConnsPerHost: claimers}}
	defer both.transport.CloseIdleConnections()
	start := func(i int) {
		s := serveProgram(t, programs[i], nil, nil, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token, "CLOCK="+clock)
		until(t, s.url+"/readyz", http.StatusOK)
		both.servers[i].Store(s)
	}
	set(0)
	start(0)
	start(1)
	client, err := api.New("http://balancer", api.Options{Token: token, Transport: both, Attempts: 8, Pause: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	f := &fire{T: t, Client: client}
	f.fresh.Store(true)
	for range problems {
		f.file()
	}
	var group sync.WaitGroup
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	for i := range claimers {
		group.Go(func() { f.claimer(ctx, i, rand.New(rand.NewPCG(seed, uint64(i+1)))) })
	}
	for i := range kills {
		time.Sleep(time.Duration(random.IntN(500)) * time.Millisecond) // a moment that nobody knows
		set(time.Duration(random.IntN(360)-180) * time.Second)
		both.servers[i%2].Swap(nil).kill()
		start(i % 2)
	}
	// The server that is left finds that all leases ended long ago, and those from now on last.
	both.servers[0].Swap(nil).kill()
	set(10 * time.Minute)
	f.fresh.Store(false)
	group.Wait()
	if ctx.Err() != nil {
		t.Fatalf("%d problems were not finished: nobody else got the work of claimers that died", f.left(t.Context()))
	}
	logs := f.logs()
	for _, fault := range judgeClaims(f.attempts, logs) {
		t.Error(fault)
	}
	counts := map[string]int{}
	for _, a := range f.attempts {
		counts[a.kind+[]string{" unknown", "", " refused"}[a.outcome]]++
		if a.lost {
			counts["claim lost"]++
		}
	}
	for _, lines := range logs {
		for _, line := range lines {
			if line.from != "" {
				counts["taken over"]++
			}
		}
	}
	t.Log(len(logs), "problems:", counts)
	for _, kind := range []string{"taken over", "claim lost", "extend", "finish"} {
		if counts[kind] == 0 {
			t.Errorf("of all attempts, none was: %s", kind)
		}
	}
}
