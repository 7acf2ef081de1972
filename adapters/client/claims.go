package client

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Claim says who works on a problem now (D49).
type Claim struct {
	Identifier string     `json:"identifier"`
	Holder     Reference  `json:"holder"`
	Via        *Reference `json:"via"` // the token that took it; nil for a session
	Expires    time.Time  `json:"expires"`
}

// grace is the time after the end of a lease during which nobody else can take the claim (D49).
const grace = 5 * time.Second

// Held reports whether there is a claim that nobody else can take at a time.
func (c Claim) Held(now time.Time) bool { return now.Before(c.Expires.Add(grace)) }

// ClaimedProblem is a problem with its claim.
type ClaimedProblem struct {
	Problem
	Claim Claim `json:"claim"`
}

// UnderClaim lets a write of a problem succeed only while it has this claim.
func UnderClaim(identifier string) Option { return header("Claim", identifier) }

type leased struct {
	Lease int64 `json:"lease"`
}

// Claim takes the claim of a problem. It fails with Claimed while somebody has it, also the same
// user. With [UnderClaim], it gives this claim a new lease instead.
func (c *Client) Claim(ctx context.Context, number int64, lease time.Duration, options ...Option) (taken Claim, err error) {
	r := create(at(http.MethodPut, number, "claim"), leased{int64(lease / time.Second)})
	_, err = c.Do(ctx, r, &taken, options...)
	return taken, err
}

// ClaimOf returns the claim of a problem, or nil.
func (c *Client) ClaimOf(ctx context.Context, number int64) (now *Claim, err error) {
	_, err = c.Do(ctx, at(http.MethodGet, number, "claim"), &now)
	return now, err
}

// EndClaim ends the claim of a problem: any one, or with [UnderClaim] this one alone.
func (c *Client) EndClaim(ctx context.Context, number int64, options ...Option) error {
	_, err := c.Do(ctx, at(http.MethodDelete, number, "claim"), nil, options...)
	return err
}

// Next asks for a problem to work on.
type Next struct {
	Predicate string // "": unresolved, not blocked, not claimed
	Sort      string // "": by identifier
	Lease     time.Duration
	// Wait is the longest wait for a problem.
	Wait time.Duration
}

// longestClaimWait limits one request that waits, within the time of an attempt.
const longestClaimWait = 30 * time.Second

// ClaimNext claims one problem that satisfies the predicate, and has no claim. found is false when
// there was none.
func (c *Client) ClaimNext(ctx context.Context, n Next, options ...Option) (p ClaimedProblem, found bool, err error) {
	type body struct {
		Predicate string `json:"predicate,omitempty"`
		Sort      string `json:"sort,omitempty"`
		Lease     int64  `json:"lease"`
		Wait      int64  `json:"wait,omitempty"`
	}
	parts := max(1, (n.Wait+longestClaimWait-1)/longestClaimWait)
	for range parts { // they are equal, for the sake of a Key
		_, err = c.Do(ctx, create(Request{Method: http.MethodPost, Path: []string{"problems", "claim"}},
			body{n.Predicate, n.Sort, int64(n.Lease / time.Second), int64(n.Wait / parts / time.Second)}), &p, options...)
		if found = p.Claim.Identifier != ""; err != nil || found {
			break
		}
	}
	return p, found, err
}

// Hold extends a claim three times in each lease until end is called. The context ends with the
// error ClaimLost when somebody else has the claim, or it was ended, as by a move into a resolved
// state.
func (c *Client) Hold(ctx context.Context, number int64, claim Claim, lease time.Duration) (held context.Context, end func()) {
	held, cancel := context.WithCancelCause(ctx)
	go func() {
		ticker := time.NewTicker(lease / 3)
		defer ticker.Stop()
		for {
			select {
			case <-held.Done():
				return
			case <-ticker.C:
			}
			// A server that never answers must not use up the lease: the next one may answer.
			limited, done := context.WithTimeout(held, lease/3)
			_, err := c.Claim(limited, number, lease, UnderClaim(claim.Identifier))
			done()
			if errors.Is(err, ClaimLost) { // another failure says nothing about the claim
				cancel(err)
			}
		}
	}()
	return held, func() { cancel(context.Canceled) }
}
