package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// bodyBytes is the limit of a body.
const bodyBytes = 1 << 20

var bodyAttacks = []attack{
	{name: "replies", short: true, title: "repeat {replies} comments of 1 MB with their Idempotency-Keys, {many} at once", prepare: prepareReplies, run: func(s *stage) {
		made := int(s.id(replies))
		s.storm(s.sizes.many, func(worker, n int) request { return s.replied((worker + n) % max(1, made)) })
	}, right: []int{201, 422}},
	{name: "bodies-fast", short: true, title: "bodies of 1 MiB as fast as can be, {uploads/10} at once", run: func(s *stage) {
		r := largeProblem("a victim that is not kept")
		r.path += "?dryRun=true"
		s.storm(s.sizes.uploads/10, same(r))
	}, right: []int{201}},
	{name: "bodies-faults", title: "bodies of 1 MiB with 90,000 faults, {many} at once", run: func(s *stage) {
		var body bytes.Buffer
		body.WriteString(`{"title":"a victim"`)
		for n := 0; body.Len() < bodyBytes-100; n++ {
			fmt.Fprintf(&body, `,"x%x":0`, n)
		}
		body.WriteByte('}')
		s.storm(s.sizes.many, same(send(http.MethodPost, "/problems?dryRun=true", asJSON, body.Bytes())))
	}, right: []int{422}},
	{name: "bodies-arrays", short: true, title: "bodies of 1 MiB of nothing but empty arrays, {many} at once", run: func(s *stage) {
		body := `{"title":"a victim","keywords":[` + strings.Repeat("[],", (bodyBytes-100)/3) + `[]]}`
		s.storm(s.sizes.many, same(send(http.MethodPost, "/problems?dryRun=true", asJSON, []byte(body))))
	}, right: []int{201, 422}}, // a server may ignore the keywords of a new problem
	{name: "bodies-held", short: true, title: "{uploads} bodies of 1 MiB whose last bytes come slowly", run: func(s *stage) {
		s.connect(s.sizes.uploads, s.upload(1<<10))
	}, right: []int{201, 408}},
	{name: "bodies-slow", title: "{uploads} bodies of 1 MiB of which 1 KiB comes in a tenth of a second", run: func(s *stage) {
		s.connect(s.sizes.uploads, s.upload(bodyBytes))
	}, right: []int{201, 408}},
}

// replies are comments with kept replies, and replied begins the names of their problems.
const (
	replies         = "kept replies"
	replied         = "a problem with replies, number "
	repliedProblems = 10
)

func prepareReplies(s *stage) error {
	for n := range repliedProblems {
		if err := s.once(fmt.Sprint(replied, n), func() (int64, error) { return s.create("victim with replies") }); err != nil {
			return err
		}
	}
	return s.once(replies, func() (int64, error) {
		n, err := s.repeat(s.sizes.replies, func(n int) error { return s.make("commenting with a key", s.replied(n), nil) })
		return int64(n), err
	})
}

// replied returns the n-th comment with a key. Each problem has few of them, so its size
// is no limit.
func (s *stage) replied(n int) request {
	id := s.id(fmt.Sprint(replied, n%repliedProblems))
	r := send(http.MethodPost, fmt.Sprintf("/problems/%d/comments", id), asText, bytes.Repeat([]byte("a"), commentBytes))
	r.header = [2]string{"Idempotency-Key", fmt.Sprint("attack-", n)}
	return r
}

// upload returns a sender of a body with the given number of slow bytes at the end.
func (s *stage) upload(slow int) func(net.Conn) error {
	body := bytes.Repeat([]byte("x"), bodyBytes)
	head := fmt.Appendf(nil, "POST %s/problems?dryRun=true HTTP/1.1\r\nHost: attacked\r\nAuthorization: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", api, s.attacker.token, len(body))
	return func(conn net.Conn) error {
		if _, err := conn.Write(append(head, body[:len(body)-slow]...)); err != nil {
			return err
		}
		answered := make(chan error, 1)
		go func() { answered <- s.readStatus(conn) }()
		for sent := len(body) - slow; sent < len(body); sent += slow / 1024 {
			select {
			case err := <-answered:
				return err
			case <-s.ctx.Done():
				return s.ctx.Err()
			case <-time.After(100 * time.Millisecond):
			}
			if _, err := conn.Write(body[:max(1, slow/1024)]); err != nil {
				return err
			}
		}
		return <-answered
	}
}
