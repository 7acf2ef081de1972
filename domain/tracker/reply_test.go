package tracker

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// getsMail adds a user, and returns the token of the user's mail about a problem.
func (s service) getsMail(t *testing.T, name string, id problem.ID) (ident.ID, string) {
	t.Helper()
	a, err := s.Users().Create(t.Context(), s.admin, CreateObject[UserPatch]{Patch: UserPatch{Name: patch.Set(name), Email: patch.Set(name + "@example.org")}})
	noError(t, err)
	return a.Value.ID, mail.NewReplyToken(testKey, a.Value.ID, id)
}

func TestReplyBecomesAComment(t *testing.T) {
	t.Parallel()
	s := newHookService(t)
	id := s.create(t, "The lamp is broken")
	who, token := s.getsMail(t, "ann", id)
	noError(t, s.CheckReply(token))
	text := "It was the fuse. Mail me at reply+" + strings.ToUpper(token) + "@example.org.\r\n\r\nOn Saturday at 12:05, Problems wrote:\r\n> It is dark.\r\n"
	got, err := s.Reply(t.Context(), Reply{Token: token, Message: "<1@mail>", Text: text, Most: 1000})
	noError(t, err)
	equal(t, "reply", got, Replied{User: who, Problem: id})
	// The answer was lost on its way, so the mail comes again.
	got, err = s.Reply(t.Context(), Reply{Token: token, Message: "<1@mail>", Text: text, Most: 1000})
	noError(t, err)
	equal(t, "repeated reply", got, Replied{User: who, Problem: id, Repeated: true})
	of := s.load(t, id)
	if len(of.Comments) != 1 || of.Comments[0].Author != who || of.Comments[0].Text != "It was the fuse. Mail me at reply+…@example.org." || of.Comments[0].HTML != (problem.NullText{}) {
		t.Errorf("the comments are %+v", of.Comments)
	}
	_, err = s.Reply(t.Context(), Reply{Token: token, Message: "<2@mail>", Text: text})
	noError(t, err)
	other := s.create(t, "Another one")
	_, err = s.Reply(t.Context(), Reply{Token: mail.NewReplyToken(testKey, who, other), Message: "<1@mail>", Text: text})
	noError(t, err)
	if a, b := len(s.load(t, id).Comments), len(s.load(t, other).Comments); a != 2 || b != 1 {
		t.Errorf("there are %d and %d comments, want 2 and 1", a, b)
	}
}

func TestRefusedReplies(t *testing.T) {
	t.Parallel()
	s := newHookService(t)
	id := s.create(t, "The lamp is broken")
	who, token := s.getsMail(t, "ann", id)
	gone, inactive := s.getsMail(t, "gone", id)
	_, err := s.Users().Update(t.Context(), s.admin, gone, UpdateObject[UserPatch]{Patch: UserPatch{Inactive: patch.Set(true)}})
	noError(t, err)
	_, err = s.Reply(t.Context(), Reply{Token: token, Message: "<1@mail>", Text: "The first text."})
	noError(t, err)
	before := s.load(t, id)
	for name, c := range map[string]struct {
		reply  Reply
		kind   fault.Kind
		detail string
	}{
		"a forged token":      {Reply{Token: token[1:], Text: "a"}, fault.NotFound, "is not from a mail"},
		"no token":            {Reply{Text: "a"}, fault.NotFound, "is not from a mail"},
		"of nobody":           {Reply{Token: mail.NewReplyToken(testKey, ident.ID{9}, id), Text: "a"}, fault.Forbidden, "inactive"},
		"deactivated":         {Reply{Token: inactive, Text: "a"}, fault.Forbidden, "inactive"},
		"an unknown problem":  {Reply{Token: mail.NewReplyToken(testKey, who, 99), Text: "a"}, fault.ProblemNotFound, ""},
		"nothing but a quote": {Reply{Token: token, Text: "> It is dark."}, fault.RequiredField, "no text above"},
		"too long":            {Reply{Token: token, Text: "äöü", Most: 5}, fault.TooLarge, "has 6 bytes, and a comment can have 5"},
		"the Message-ID of another mail": {Reply{Token: token, Message: "<1@mail>", Text: "Another text."},
			fault.IdempotencyConflict, "same Message-ID"},
	} {
		_, err := s.Reply(t.Context(), c.reply)
		if !fault.Is(err, c.kind) || !strings.Contains(err.Error(), c.detail) {
			t.Errorf("%s: %v, want %s: …%s…", name, err, c.kind, c.detail)
		}
	}
	equal(t, "problem", s.load(t, id).Revision, before.Revision)
	if _, err := newServer(s.memory, s.clock).Reply(t.Context(), Reply{Token: token, Text: "a"}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a server without a key: %v", err)
	}
	behind := New(Options{
		Store: &hooked{Store: s.memory, commit: func(commitFunc, store.Change) error { return away() }},
		Now:   s.clock.now, Random: rand.Reader, Limits: DefaultLimits(), WebhookKey: s.hookKey,
	})
	if _, err := behind.Reply(t.Context(), Reply{Token: token, Text: "a"}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a store that is away: %v", err)
	}
}
