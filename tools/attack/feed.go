package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// asStream asks for server-sent events.
var asStream = [2]string{"Accept", "text/event-stream"}

// longEvents is the problem whose keyword is rewritten beside the readers, behind a feed
// of such events.
const longEvents = "a feed of events with 128 KiB each"

// rewritesOfProblem is how often the keyword of one problem can have another value of
// 64 KiB: its log keeps the value before and the value after.
const rewritesOfProblem = 200

func prepareFeed(s *stage) error {
	return s.once(longEvents, func() (id int64, err error) {
		for n := 0; n < s.sizes.rewrites && err == nil; n++ {
			if n%rewritesOfProblem == 0 {
				if id, err = s.create(fmt.Sprint("victim of the feed ", n)); err != nil {
					break
				}
			}
			err = s.make("rewriting a keyword", s.rewrite(id, n), nil)
		}
		if err == nil {
			id, err = s.create("victim of the feed")
		}
		return id, err
	})
}

// rewrite gives a keyword another long value.
func (s *stage) rewrite(id int64, n int) request {
	return sendJSON(http.MethodPut, fmt.Sprintf("/problems/%d/keywords/k", id), value(n))
}

var feedAttacks = []attack{
	{name: "feed-pages", short: true, title: "{many} readers of the feed by pages of 1,000, of which {rewrites} events have 128 KiB, beside more of them", prepare: prepareFeed, run: func(s *stage) {
		s.besideRewrites(s.sizes.many, s.readPages)
	}, right: []int{201, 422}},
	{name: "feed-streams", short: true, title: "{many} streams of the same feed, and 10 readers of one who take some bytes in a second", prepare: prepareFeed, run: func(s *stage) {
		s.besideRewrites(s.sizes.many+1, func(worker int) {
			if worker > 0 {
				s.readStream()
				return
			}
			s.connect(slowReaders, s.readSlowly("/events", asStream))
		})
	}, right: []int{201, 422}},
}

// besideRewrites runs readers of the feed until the attack ends, while a keyword gets one
// long value after the other.
func (s *stage) besideRewrites(readers int, read func(worker int)) {
	var group sync.WaitGroup
	for worker := range readers {
		group.Go(func() {
			for s.ctx.Err() == nil {
				read(worker)
			}
		})
	}
	s.storm(1, func(_, n int) request {
		return s.rewrite(s.id(longEvents), n)
	})
	group.Wait()
}

// nextPage matches the link to the next page of the feed.
var nextPage = regexp.MustCompile(`^<` + api + `(/events\?[^>]*)>; rel="next"$`)

// readPages reads the feed from its start to its end.
func (s *stage) readPages(int) {
	const begin = "/events?limit=1000"
	for path, last := begin, ""; path != last && s.ctx.Err() == nil; {
		answer, err := s.attacker.open(s.last, get("%s", path))
		if err != nil {
			s.count(s.last, "GET "+begin, 0, err)
			wait(s.ctx, afterRefusal)
			return
		}
		ends := new(ends)
		_, err = io.Copy(ends, answer.Body)
		_ = answer.Body.Close() // it was read
		if err == nil && answer.StatusCode == http.StatusOK && !ends.match() {
			err = errNotWhole
		}
		s.count(s.last, "GET "+begin, answer.StatusCode, err)
		if err != nil || answer.StatusCode != http.StatusOK {
			wait(s.ctx, afterRefusal) // and the same page again
			continue
		}
		link := nextPage.FindStringSubmatch(answer.Header.Get("Link"))
		if link == nil {
			s.tally.addWrong("a page of the feed has the link %q", answer.Header.Get("Link"))
			return
		}
		last, path = path, link[1]
	}
}

// readStream reads a stream from the start of the feed until it ends.
func (s *stage) readStream() {
	r := get("/events")
	r.header = asStream
	answer, err := s.attacker.open(s.ctx, r)
	if err != nil {
		s.count(s.ctx, "a stream", 0, err)
		wait(s.ctx, afterRefusal)
		return
	}
	defer func() { _ = answer.Body.Close() }() // it is of no use any more
	s.count(s.ctx, "a stream", answer.StatusCode, nil)
	if answer.StatusCode != http.StatusOK {
		wait(s.ctx, afterRefusal)
		return
	}
	var begin strings.Builder
	if _, err := io.CopyN(&begin, answer.Body, int64(len("retry:"))); err == nil && begin.String() != "retry:" {
		s.tally.addWrong("a stream begins with %q", begin.String())
	}
	_, _ = io.Copy(io.Discard, answer.Body) // a server may cut a stream
}
