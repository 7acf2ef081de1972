package load

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/problemtracking/problems/tools/launch"
)

// CaughtUp is the result of reading the whole feed.
type CaughtUp struct {
	Events  int            `json:"events"`
	Seconds float64        `json:"seconds"`
	CPU     *float64       `json:"serverCPU,omitempty"` // seconds; nil: not known
	Memory  *launch.Memory `json:"memory,omitempty"`    // of the server
}

// catchUpLimit limits the time of reading a feed.
const catchUpLimit = 10 * time.Minute

// CatchUp reads the feed from its oldest event to its end, in pages of 1,000 or as a
// stream. It fails unless the feed has this number of events.
func CatchUp(ctx context.Context, c Contender, events int, streamed bool) (result CaughtUp, err error) {
	deadline := time.Now().Add(catchUpLimit)
	read := readPages
	if streamed {
		read = readStream
	}
	launch.ResetPeak(c.PIDs)
	before, known := cpuOf(c.PIDs)
	began := time.Now()
	if result.Events, err = read(ctx, c, events, deadline); err != nil {
		return result, err
	}
	result.Seconds = time.Since(began).Seconds()
	if result.Events != events {
		return result, fmt.Errorf("%s: the feed has %d events, not %d", c.Name, result.Events, events)
	}
	if after, ok := cpuOf(c.PIDs); ok && known {
		seconds := (after - before).Seconds()
		result.CPU = &seconds
	}
	if m, err := launch.MemoryOf(c.PIDs); err == nil {
		result.Memory = &m
	}
	return result, nil
}

// eventMark is in each event of the history once.
const eventMark = `"type":"problem.changed"`

// readPages follows the header Link up to an empty page.
func readPages(ctx context.Context, c Contender, _ int, deadline time.Time) (events int, err error) {
	conn, err := dial(c.URL, deadline)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	path := []byte(API + "/events?limit=1000")
	for ctx.Err() == nil {
		status, err := conn.send("GET", path, c.Token, "", nil)
		if err != nil {
			return events, fmt.Errorf("GET %s: %w", path, err)
		}
		if status != 200 {
			return events, fmt.Errorf("GET %s: %d %.300s", path, status, conn.body)
		}
		found := bytes.Count(conn.body, []byte(eventMark))
		if found == 0 {
			return events, nil
		}
		events += found
		next, _, ok := bytes.Cut(bytes.TrimPrefix(conn.link, []byte("<")), []byte(`>; rel="next"`))
		if !ok {
			return events, fmt.Errorf("GET %s has no link to the next page: %q", path, conn.link)
		}
		path = append(path[:0], next...)
	}
	return events, ctx.Err()
}

// readStream reads a stream until it has had all events.
func readStream(ctx context.Context, c Contender, events int, deadline time.Time) (int, error) {
	s, err := openStream(c, c.Token, "", deadline)
	if err != nil {
		return 0, err
	}
	streams := Streams{all: []*stream{s}}
	defer streams.Close()
	streams.read()
	err = streams.await(ctx, events, deadline)
	return int(s.count.Load()), err
}
