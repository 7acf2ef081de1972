package load

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/problemtracking/problems/tools/launch"
)

// Begin measures the start of a server on an existing store.
type Begin struct {
	FirstAnswer float64 `json:"firstAnswer"` // seconds from its start to the first answer
	Idle        int64   `json:"idle"`        // bytes of resident memory after that; 0: not known
}

// BeginOn starts a server, asks it for a path as soon as it listens, and ends it.
func BeginOn(ctx context.Context, p launch.Program, store, path, token string, variables ...string) (b Begin, err error) {
	s, err := p.Serve(ctx, store, variables...)
	if err != nil {
		return Begin{}, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	c, err := dial(s.URL, time.Now().Add(launch.Patience))
	if err != nil {
		return Begin{}, err
	}
	defer func() { _ = c.Close() }()
	status, err := c.send("GET", []byte(API+path), token, "", nil)
	b.FirstAnswer = time.Since(s.Began).Seconds()
	if err != nil {
		return Begin{}, err
	}
	if status != 200 {
		return Begin{}, fmt.Errorf("GET %s: %d %s", path, status, c.body)
	}
	m, err := launch.MemoryOf([]int{s.PID()})
	if err != nil && !errors.Is(err, launch.ErrNoProc) {
		return Begin{}, err
	}
	b.Idle = m.Now
	return b, nil
}
