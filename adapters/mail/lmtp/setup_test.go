package lmtp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"log/slog"
	"maps"
	"net"
	"net/textproto"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker"
)

// fake takes the replies to the tokens "a" and "b".
type fake struct {
	mu       sync.Mutex
	replies  []tracker.Reply
	outcomes []Outcome
	answer   func(ctx context.Context, r tracker.Reply) error // nil: takes everything
}

func (*fake) CheckReply(token string) error {
	if token != "a" && token != "b" {
		return fault.New(fault.NotFound, "this address is not from a mail")
	}
	return nil
}

func (f *fake) Reply(ctx context.Context, r tracker.Reply) (tracker.Replied, error) {
	f.mu.Lock()
	answer := f.answer
	repeated := slices.ContainsFunc(f.replies, func(old tracker.Reply) bool { return reflect.DeepEqual(old, r) })
	f.mu.Unlock()
	if answer != nil {
		if err := answer(ctx, r); err != nil {
			return tracker.Replied{}, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replies = append(f.replies, r)
	return tracker.Replied{User: ident.ID{1}, Problem: 7, Repeated: repeated}, nil
}

// all returns the replies and the outcomes since the last call.
func (f *fake) all() ([]tracker.Reply, []Outcome) {
	f.mu.Lock()
	defer f.mu.Unlock()
	replies, outcomes := f.replies, f.outcomes
	f.replies, f.outcomes = nil, nil
	return replies, outcomes
}

// running is a server with its address.
type running struct {
	*Server
	*fake
	address string
	log     *buffer
}

// buffer is a log that goroutines write and the test reads.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

const commentBytes = 1000

// serve starts a server.
func serve(t *testing.T, change ...func(*Server)) *running {
	t.Helper()
	r := &running{fake: &fake{}, log: &buffer{}}
	r.Server = New(Options{
		Service: r.fake, Host: "tracker.example.org", CommentBytes: commentBytes, Memory: budget.New(1 << 30), Now: time.Now,
		Logger: slog.New(slog.NewTextHandler(r.log, nil)), ErrorLog: log.New(r.log, "", 0),
		Observe: func(o Outcome) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.outcomes = append(r.outcomes, o)
		},
	})
	for _, c := range change {
		c(r.Server)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.address = l.Addr().String()
	ended := make(chan error, 1)
	go func() { ended <- r.Serve(l) }()
	t.Cleanup(func() {
		limited, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := r.Drain(limited); err != nil {
			t.Errorf("the server does not end: %v", err)
		}
		if err := <-ended; err != nil {
			t.Errorf("the server has ended with %v", err)
		}
	})
	return r
}

func (r *running) dial(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return c
}

// deliver delivers a mail like a mail server, and returns the answer for each recipient:
// nil for one that was taken.
func (r *running) deliver(t *testing.T, text string, recipients ...string) map[string]*smtp.SMTPError {
	t.Helper()
	return r.deliverFrom(t, "ann@example.org", text, recipients...)
}

func (r *running) deliverFrom(t *testing.T, sender, text string, recipients ...string) map[string]*smtp.SMTPError {
	t.Helper()
	answers := make(map[string]*smtp.SMTPError)
	note := func(to string, err error) {
		if e, ok := errors.AsType[*smtp.SMTPError](err); ok {
			answers[to] = e
		} else if err != nil {
			t.Fatalf("the mail to %s: %v", to, err)
		}
	}
	c := smtp.NewClientLMTP(r.dial(t))
	if err := c.Hello("mail.example.org"); err != nil {
		t.Fatal(err)
	}
	if err := c.Mail(sender, nil); err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, to := range recipients {
		err := c.Rcpt(to, nil)
		if note(to, err); err == nil {
			taken++
		}
	}
	if taken > 0 {
		w, err := c.Data()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, strings.ReplaceAll(text, "\n", "\r\n")); err != nil {
			t.Fatal(err)
		}
		_, err = w.CloseWithLMTPResponse()
		if refused, ok := errors.AsType[smtp.LMTPDataError](err); ok {
			maps.Copy(answers, refused)
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Quit(); err != nil {
		t.Errorf("the end of the conversation: %v", err)
	}
	return answers
}

const to = "reply+a@example.org"

// conversation sends lines, and returns the answers.
type conversation struct {
	t *testing.T
	c *textproto.Conn
}

func (r *running) talk(t *testing.T) *conversation {
	t.Helper()
	c := &conversation{t, textproto.NewConn(r.dial(t))}
	c.answers("220")
	return c
}

// says sends a line, and expects an answer with the given code.
func (c *conversation) says(line, code string) {
	c.t.Helper()
	if err := c.c.PrintfLine("%s", line); err != nil {
		c.t.Fatal(err)
	}
	c.answers(code)
}

func (c *conversation) answers(code string) {
	c.t.Helper()
	for {
		line, err := c.c.ReadLine()
		if err != nil || !strings.HasPrefix(line, code) {
			c.t.Fatalf("the answer is %q, %v, want %s", line, err, code)
		}
		if len(line) < 4 || line[3] != '-' {
			return
		}
	}
}

// ended expects the end of the connection.
func (c *conversation) ended() {
	c.t.Helper()
	if line, err := c.c.ReadLine(); !errors.Is(err, io.EOF) {
		c.t.Errorf("the connection goes on: %q, %v", line, err)
	}
}

// begin brings a conversation to the text of a mail.
func (c *conversation) begin() {
	c.t.Helper()
	c.says("LHLO mail.example.org", "250")
	c.says("MAIL FROM:<ann@example.org>", "250")
	c.says("RCPT TO:<"+to+">", "250")
	c.says("DATA", "354")
}
