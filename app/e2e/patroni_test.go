//go:build failover

package e2e

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestPatroni runs the configuration of the page on failing over: three hosts with
// PostgreSQL, Patroni and etcd, HAProxy, and two servers. One server reaches the database
// by HAProxy, and the other one by the list of the hosts. Hosts are killed and frozen, and
// the primary is moved, while clients write and readers follow. The ledger then has nothing
// that is lost, doubled, one-sided or refused wrongly.
func TestPatroni(t *testing.T) {
	c := startCluster(t)
	balanced, listed := c.proxyURL(), c.hostsURL()
	r := startFeedRunThrough(t, balanced, listed, "PROBLEMS_STORE_TIMEOUT=10s") // the default
	r.write(8)
	r.goesOn(50)
	for _, d := range []disturbance{
		{"the server of the primary is killed, and its host goes on", func(primary *clusterHost) { primary.killPostgres() }},
		{"the host of the primary is killed", func(primary *clusterHost) {
			primary.kill()
			c.replaced(primary)
			primary.start()
		}},
		{"the host of the primary is frozen, and goes on later", func(primary *clusterHost) {
			primary.freeze()
			c.replaced(primary)
			r.goesOn(50)
			primary.thaw()
			r.t.Log(primary.name, "goes on")
		}},
		{"the primary is moved by an operator", func(primary *clusterHost) { c.switchOver(primary) }},
	} {
		r.disturb(c, d)
	}
	r.settle()
	r.refusesRightly()
	if t.Failed() {
		for _, h := range c.hosts {
			t.Logf("%s: %s", h.name, h.output.end())
		}
	}
}

// disturbance is what happens to the primary.
type disturbance struct {
	name   string
	happen func(primary *clusterHost)
}

// disturb lets something happen to the primary, waits until the cluster is whole again and
// the clients go on, and logs what they noticed.
func (r *feedRun) disturb(c *cluster, d disturbance) {
	r.t.Helper()
	var read [2]int
	for i := range r.servers {
		read[i] = len(r.servers[i].Load().stderr.String())
	}
	g := r.startGauges()
	began := time.Now()
	d.happen(c.primary())
	r.goesOn(50)
	whole := c.whole().Sub(began)
	r.goesOn(50)
	r.t.Logf("%s; the cluster is whole again after %.1f s", d.name, whole.Seconds())
	for i, gauge := range g.end() {
		r.t.Logf("  %s: %.1f s without a confirmed write, %.1f s without a read, %.1f s not ready",
			[]string{"by HAProxy", "by the list of hosts"}[i], r.gap(i, began).Seconds(), gauge.reads.Seconds(), gauge.ready.Seconds())
		for line := range strings.Lines(r.servers[i].Load().stderr.String()[read[i]:]) {
			if strings.Contains(line, `"msg":"the store`) || strings.Contains(line, `"msg":"another server`) {
				r.t.Logf("    %.200s", strings.TrimSpace(line))
			}
		}
	}
}

// gap returns the longest time from a moment on in which no write by a server was
// confirmed.
func (r *feedRun) gap(by int, from time.Time) (longest time.Duration) {
	r.ledger.mu.Lock()
	defer r.ledger.mu.Unlock()
	var ends []time.Time
	for _, w := range r.ledger.writes {
		if w.by == by && w.outcome == acknowledged && w.ended.After(from) {
			ends = append(ends, w.ended)
		}
	}
	slices.SortFunc(ends, time.Time.Compare)
	for _, end := range append(ends, time.Now()) {
		longest, from = max(longest, end.Sub(from)), end
	}
	return longest
}

// refusesRightly demands that no write was refused without a reason: only a write with an
// old revision, and a relationship that may not be, can be.
func (r *feedRun) refusesRightly() {
	r.t.Helper()
	r.ledger.mu.Lock()
	defer r.ledger.mu.Unlock()
	wrong := 0
	for _, w := range r.ledger.writes {
		if w.code/100 == 4 && w.kind != "stale" && w.kind != "relate" || w.kind == "stale" && w.code/100 == 2 {
			wrong++
			r.t.Errorf("%s was answered with %d", w.mark, w.code)
		}
	}
	r.t.Logf("%d writes, %d of them refused wrongly", len(r.ledger.writes), wrong)
}

// gauges ask two servers again and again how they are.
type gauges struct {
	over    chan struct{}
	asking  sync.WaitGroup
	longest [2]gauge
}

// gauge is for how long a server did not do something, at the most.
type gauge struct{ reads, ready time.Duration }

func (r *feedRun) startGauges() *gauges {
	g := &gauges{over: make(chan struct{})}
	for i := range r.servers {
		c := r.servers[i].Load().as(r.token)
		for path, longest := range map[string]*time.Duration{
			c.url + "/problems/1": &g.longest[i].reads,
			strings.TrimSuffix(c.url, "/api/20151105") + "/readyz": &g.longest[i].ready,
		} {
			g.asking.Go(func() { *longest = g.ask(path, r.token) })
		}
	}
	return g
}

// ask asks every 100 ms, and returns the longest time without the status 200.
func (g *gauges) ask(url, token string) (longest time.Duration) {
	client := &http.Client{Timeout: 2 * time.Second}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for last := time.Now(); ; {
		request, err := http.NewRequest(http.MethodGet, url, http.NoBody)
		if err != nil {
			return 0
		}
		request.Header.Set("Authorization", token)
		if response, err := client.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				longest, last = max(longest, time.Since(last)), time.Now()
			}
		}
		select {
		case <-tick.C:
		case <-g.over:
			return max(longest, time.Since(last))
		}
	}
}

func (g *gauges) end() [2]gauge {
	close(g.over)
	g.asking.Wait()
	return g.longest
}
