// Package flood limits the log lines of a kind that anybody can cause, and counts the
// others. So nobody can fill a disk by way of the log.
package flood

import (
	"net/netip"
	"time"

	"golang.org/x/time/rate"
)

const (
	// PerMinute is the number of lines of a kind in a minute, all of them at once or not.
	// With lines of 250 bytes, this is some 43 MB a day.
	PerMinute = 120
	// Pause is how long lines are counted before the log says how many there were.
	Pause = 10 * time.Second
	// MostAddresses is the largest number of addresses in Held. Further ones are left out.
	MostAddresses = 1000
	// MostLabels is the largest number of labels in Held, beside Other.
	MostLabels = 50
	// Other is the label of the lines with one label too many.
	Other = "other"
)

// Gate lets lines of a kind through, up to a limit. It is for one goroutine at a time.
type Gate struct {
	limiter *rate.Limiter
	held    Held
}

// Held are lines above the limit.
type Held struct {
	// Lines is how many there were, the first of them at Since.
	Lines int
	Since time.Time
	// Labels is how many there were with each label, such as a status. There are at most
	// MostLabels, and Other.
	Labels map[string]int
	// Addresses are the sources of the lines, MostAddresses at most.
	Addresses map[netip.Addr]struct{}
}

// New returns a Gate for PerMinute lines.
func New() *Gate {
	return &Gate{limiter: rate.NewLimiter(rate.Limit(PerMinute)/60, PerMinute)}
}

// Pass reports whether the log gets a line, at the given time. Otherwise it counts the
// line. From is the address of the line's cause; the zero Addr says nothing.
func (g *Gate) Pass(at time.Time, label string, from netip.Addr) bool {
	if g.limiter.AllowN(at, 1) {
		return true
	}
	if g.held.Lines == 0 {
		g.held = Held{Since: at, Labels: map[string]int{}, Addresses: map[netip.Addr]struct{}{}}
	}
	g.held.Lines++
	if _, known := g.held.Labels[label]; !known && len(g.held.Labels) >= MostLabels {
		label = Other
	}
	g.held.Labels[label]++
	if from.IsValid() && len(g.held.Addresses) < MostAddresses {
		g.held.Addresses[from] = struct{}{}
	}
	return false
}

// Take returns the lines above the limit since its last call.
func (g *Gate) Take() Held {
	held := g.held
	g.held = Held{}
	return held
}
