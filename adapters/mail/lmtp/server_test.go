package lmtp

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker"
)

const reply = head + "\nIt was the fuse.\n"

func TestEachRecipientHasAnAnswer(t *testing.T) {
	t.Parallel()
	r := serve(t)
	r.answer = func(_ context.Context, of tracker.Reply) error {
		if of.Token == "b" {
			return fault.New(fault.ProblemNotFound, "there is no such problem")
		}
		return nil
	}
	answers := r.deliver(t, reply, "reply+b@example.org", to, "ann@example.org", "reply+c@example.org")
	if len(answers) != 3 || answers[to] != nil || answers["reply+b@example.org"].Code != 550 || answers["ann@example.org"].Code != 550 || answers["reply+c@example.org"].EnhancedCode != [3]int{5, 1, 1} {
		t.Errorf("the answers are %v", answers)
	}
	if got, _ := r.all(); len(got) != 1 || got[0].Token != "a" {
		t.Errorf("the replies are %+v", got)
	}
	if text := r.log.String(); strings.Contains(text, "fuse") || strings.Contains(text, "example.org") || !strings.Contains(text, "outcome=missing") || !strings.Contains(text, "outcome=comment problem=7") {
		t.Errorf("the log is\n%s", text)
	}
}

func TestFailuresOfTheService(t *testing.T) {
	t.Parallel()
	r := serve(t)
	for kind, c := range map[fault.Kind]struct {
		code    int
		outcome Outcome
	}{
		fault.NotFound: {550, Address}, fault.Forbidden: {550, Inactive}, fault.ProblemNotFound: {550, Missing}, fault.RequiredField: {554, Empty},
		fault.TooLarge: {552, TooLarge}, fault.InvalidValue: {554, Other}, fault.IdempotencyConflict: {554, Other}, fault.StorageFull: {552, Full},
		// The mail server keeps the mail.
		fault.Unavailable: {451, Deferred}, fault.UnknownOutcome: {451, Deferred}, fault.Internal: {451, Deferred}, fault.Closed: {451, Deferred},
	} {
		r.mu.Lock()
		r.answer = func(context.Context, tracker.Reply) error { return fault.New(kind, "the sentence, for “%s”", kind) }
		r.mu.Unlock()
		a := r.deliver(t, reply, to)[to]
		_, outcomes := r.all()
		if a == nil || a.Code != c.code || outcomes[0] != c.outcome || a.Code >= 500 && !strings.Contains(a.Message, "the sentence") || strings.ContainsFunc(a.Message, func(c rune) bool { return c > '~' }) {
			t.Errorf("%s is answered with %v, as %v, want %d", kind, a, outcomes, c.code)
		}
	}
}

// Nobody answers an automatic mail, not even with a bounce.
func TestAutomaticMailsAreDropped(t *testing.T) {
	t.Parallel()
	r := serve(t)
	for _, c := range [][2]string{{"ann@example.org", "Auto-Submitted: auto-replied\n" + reply}, {"ann@example.org", "Precedence: bulk\n" + reply}, {"", reply}} {
		if answers := r.deliverFrom(t, c[0], c[1], to); len(answers) != 0 {
			t.Errorf("the answers are %v", answers)
		}
		if got, outcomes := r.all(); len(got) != 0 || len(outcomes) != 1 || outcomes[0] != Automatic {
			t.Errorf("the replies are %+v, and the outcomes %v", got, outcomes)
		}
	}
}

// A bounce of an automatic mail would be an answer, so a broken one is dropped too: as far as
// its sender, or the headers before the damage, show it.
func TestBrokenAutomaticMailsAreDropped(t *testing.T) {
	t.Parallel()
	r := serve(t, func(s *Server) { s.smtp.MaxMessageBytes = 2 << 20 })
	const person, holiday = "ann@example.org", "Auto-Submitted: auto-replied\n"
	large := "\n" + strings.Repeat(strings.Repeat("a", 999)+"\n", 2500)
	headers := strings.Repeat("X-A: "+strings.Repeat("a", 900)+"\n", 1500)
	for name, c := range map[string]struct {
		sender, mail string
		want         Outcome
		reason       string // in the log
	}{
		"large":                            {person, holiday + head + large, Automatic, "the mail has more than"},
		"large, a bounce":                  {"", head + large, Automatic, "the mail has more than"},
		"large, by a person":               {person, head + large, TooLarge, ""},
		"long headers":                     {person, head + "Precedence: bulk\n" + headers + "\na", Automatic, "the headers of the mail have more than"},
		"long headers, a bounce":           {"", head + headers + "\na", Automatic, "the headers of the mail have more than"},
		"long headers, by a person":        {person, head + headers + "\na", TooLarge, ""},
		"long headers, marked at the end":  {person, head + headers + holiday + "\na", TooLarge, ""},
		"damaged":                          {person, holiday + "What is this?\n" + head + "\na", Automatic, "the headers of the mail cannot be read"},
		"damaged, on two lines":            {person, "Auto-Submitted:\n auto-replied\nWhat is this?\n\na", Automatic, "the headers of the mail cannot be read"},
		"damaged, a bounce":                {"", "What is this?\n", Automatic, "the headers of the mail cannot be read"},
		"damaged, by a person":             {person, head + "What is this?\n\na", Unreadable, ""},
		"damaged, and quoted below":        {person, head + "What is this?\n" + holiday + "\na", Unreadable, ""},
		"damaged, marked as of a person":   {person, "Auto-Submitted: no\nWhat is this?\n\na", Unreadable, ""},
		"damaged, with the mark in a text": {person, "Subject: " + holiday + "What is this?\n\na", Unreadable, ""},
	} {
		before := len(r.log.String())
		answers := r.deliverFrom(t, c.sender, c.mail, to, "reply+b@example.org")
		if got, outcomes := r.all(); len(got) != 0 || len(outcomes) != 2 || outcomes[0] != c.want || outcomes[1] != c.want {
			t.Errorf("%s: the replies are %+v, and the outcomes %v, want %s", name, got, outcomes, c.want)
		}
		for _, a := range answers {
			if a.Code < 500 || c.want == Automatic {
				t.Errorf("%s: answered with %v", name, a)
			}
		}
		if line := r.log.String()[before:]; c.want == Automatic && (strings.Count(line, "outcome=automatic") != 2 || !strings.Contains(line, c.reason)) {
			t.Errorf("%s: the log is\n%s", name, line)
		}
	}
}

// A size in advance is no reason to refuse a mail: its headers are not known yet.
func TestSizeInAdvance(t *testing.T) {
	t.Parallel()
	r := serve(t)
	c := r.talk(t)
	if err := c.c.PrintfLine("LHLO mail.example.org"); err != nil {
		t.Fatal(err)
	}
	if _, offered, err := c.c.ReadResponse(250); err != nil || strings.Contains(offered, "SIZE") || !strings.Contains(offered, "PIPELINING") {
		t.Errorf("the service offers %q, %v", offered, err)
	}
}

// An automatic mail that was cut off comes again as a whole.
func TestAutomaticMailIsCutOff(t *testing.T) {
	t.Parallel()
	r := serve(t)
	c := r.talk(t)
	c.begin()
	if err := c.c.PrintfLine("Auto-Submitted: auto-replied\r\n%s\r\nIt was not", head); err != nil {
		t.Fatal(err)
	}
	c.c.Close()
	r.waitFor(t, Deferred)
}

// Programs that answer each other without a mark are slowed down.
func TestRepliesArePaced(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	var p paces
	for i := range 3 * mostReplies {
		token := []string{"a", "A"}[i%2]
		if got := p.take(token, now); got != (i < mostReplies) {
			t.Fatalf("reply %d: %t", i, got)
		}
		now = now.Add(time.Second)
	}
	if !p.take("b", now) || !p.take("a", now.Add(paceWindow)) {
		t.Error("another address, or a time later, is slowed down too")
	}
	r := serve(t)
	for range mostReplies {
		r.deliver(t, reply, to)
	}
	if a := r.deliver(t, reply, to)[to]; a == nil || a.Code != 450 {
		t.Errorf("one too many is answered with %v", a)
	}
}

// The library ends the connection, so the mail server may miss the answer.
func TestLongLine(t *testing.T) {
	t.Parallel()
	r := serve(t)
	c := r.talk(t)
	c.begin()
	_ = c.c.PrintfLine("%s", head+"\r\n"+strings.Repeat("a", 2*mostLine))
	r.waitFor(t, Unreadable)
	c = r.talk(t)
	c.begin()
	_ = c.c.PrintfLine("%s", "Auto-Submitted: auto-replied\r\n"+head+"\r\n"+strings.Repeat("a", 2*mostLine))
	r.waitFor(t, Automatic)
}

// A mail that was cut off does not become half a comment.
func TestConnectionBreaks(t *testing.T) {
	t.Parallel()
	r := serve(t)
	c := r.talk(t)
	c.begin()
	if err := c.c.PrintfLine("%s", head+"\r\nIt was not"); err != nil {
		t.Fatal(err)
	}
	c.c.Close()
	r.waitFor(t, Deferred)
}

// waitFor waits for an outcome without a reply.
func (r *running) waitFor(t *testing.T, want Outcome) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		got, outcomes := r.all()
		if len(got) != 0 {
			t.Fatalf("the replies are %+v", got)
		}
		if len(outcomes) == 1 && outcomes[0] == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the outcomes are %v, want %s", outcomes, want)
		}
	}
}

// A mail in chunks is refused, and not offered: one that is cut off would become half a
// comment, and answers could belong to other mails.
func TestChunks(t *testing.T) {
	t.Parallel()
	r := serve(t)
	c := r.talk(t)
	if err := c.c.PrintfLine("LHLO mail.example.org"); err != nil {
		t.Fatal(err)
	}
	if _, offered, err := c.c.ReadResponse(250); err != nil || strings.Contains(offered, "CHUNKING") || !strings.Contains(offered, "PIPELINING") {
		t.Errorf("the service offers %q, %v", offered, err)
	}
	for _, chunk := range []string{"BDAT 12\r\nSubject: a", "BDAT 12 LAST\r\nSubject: a", "BDAT 0 LAST"} {
		c.says("MAIL FROM:<ann@example.org>", "250")
		c.says("RCPT TO:<"+to+">", "250")
		c.says(chunk, "502") // says adds the end of the line
		c.says("RSET", "250")
	}

	c.says("MAIL FROM:<ann@example.org>", "250")
	c.says("RCPT TO:<"+to+">", "250")
	if err := c.c.PrintfLine("BDAT 1000 LAST\r\n%s\r\nDo", head); err != nil {
		t.Fatal(err)
	}
	c.c.Close()
	again := r.talk(t)
	again.begin()
	again.says(head+"\r\nDo not.\r\n.", "250")
	if got, _ := r.all(); len(got) != 1 || got[0].Text != "Do not.\r\n" {
		t.Errorf("the replies are %+v", got)
	}
}

func TestSilentClient(t *testing.T) {
	t.Parallel()
	r := serve(t, func(s *Server) { s.smtp.ReadTimeout = time.Second })
	r.talk(t).answers("421")
	c := r.talk(t)
	c.begin()
	c.answers("451")
}

func TestMostConnections(t *testing.T) {
	t.Parallel()
	r := serve(t, func(s *Server) { s.connections.most = 2 })
	first := r.talk(t)
	r.talk(t)
	c := r.dial(t)
	b := make([]byte, 100)
	if n, err := c.Read(b); err != nil || !strings.HasPrefix(string(b[:n]), "421 4.3.2 ") {
		t.Errorf("the third connection is answered with %q, %v", b[:n], err)
	}
	first.says("QUIT", "221")
	first.ended()
	for deadline := time.Now().Add(time.Minute); len(r.deliverIfLetIn(t)) != 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("there is no room for another connection")
		}
	}
}

// deliverIfLetIn returns the answer to a connection that is not let in.
func (r *running) deliverIfLetIn(t *testing.T) string {
	t.Helper()
	c := r.dial(t)
	defer c.Close()
	b := make([]byte, 100)
	n, err := c.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(string(b[:n]), "220 tracker.example.org LMTP Service Ready\r\n")
}

// At the end of the server, a mail under way is answered, and nobody waits for idle mail
// servers.
func TestDrain(t *testing.T) {
	t.Parallel()
	r := serve(t)
	begun, end := make(chan struct{}), make(chan struct{})
	r.answer = func(context.Context, tracker.Reply) error {
		close(begun)
		<-end
		return nil
	}
	idle, busy := r.talk(t), r.talk(t)
	idle.says("LHLO mail.example.org", "250")
	busy.begin()
	if err := busy.c.PrintfLine("%s", reply+"\r\n."); err != nil {
		t.Fatal(err)
	}
	<-begun
	drained := make(chan error, 1)
	go func() { drained <- r.Drain(t.Context()) }()
	idle.answers("421")
	idle.ended()
	if c, err := net.Dial("tcp", r.address); err == nil {
		c.Close()
		t.Error("the server takes further connections")
	}
	close(end)
	busy.answers("250")
	busy.answers("421")
	busy.ended()
	if err := <-drained; err != nil {
		t.Errorf("the end: %v", err)
	}
}

func TestDrainHasAnEnd(t *testing.T) {
	t.Parallel()
	r := serve(t)
	begun := make(chan struct{})
	r.answer = func(ctx context.Context, _ tracker.Reply) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	}
	c := r.talk(t)
	c.begin()
	if err := c.c.PrintfLine("%s", reply+"\r\n."); err != nil {
		t.Fatal(err)
	}
	<-begun
	limited, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := r.Drain(limited); err == nil {
		t.Error("the server says that nothing was cut off")
	}
}
