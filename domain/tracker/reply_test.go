package tracker

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// getsMail adds a user, and returns the token of the user's mail about a problem.
func (s service) getsMail(t *testing.T, name string, id problem.ID) (ident.ID, string) {
	t.Helper()
	a, err := s.Users().Create(t.Context(), s.admin, admin.CreateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set(name), Email: patch.Set(name + "@example.org")}})
	kit.NoError(t, err)
	return a.Value.ID, mail.NewReplyToken(kit.Key, a.Value.ID, id)
}

func TestReplyBecomesAComment(t *testing.T) {
	t.Parallel()
	s := newHookService(t)
	id := s.create(t, "The lamp is broken")
	who, token := s.getsMail(t, "ann", id)
	kit.NoError(t, s.CheckReply(token))
	text := "It was the fuse. Mail me at reply+" + strings.ToUpper(token) + "@example.org.\r\n\r\nOn Saturday at 12:05, Problems wrote:\r\n> It is dark.\r\n"
	got, err := s.Reply(t.Context(), Reply{Token: token, Message: "<1@mail>", Text: text, Most: 1000})
	kit.NoError(t, err)
	kit.Equal(t, "reply", got, Replied{User: who, Problem: id})
	// The answer was lost on its way, so the mail comes again.
	got, err = s.Reply(t.Context(), Reply{Token: token, Message: "<1@mail>", Text: text, Most: 1000})
	kit.NoError(t, err)
	kit.Equal(t, "repeated reply", got, Replied{User: who, Problem: id, Repeated: true})
	of := s.load(t, id)
	if len(of.Comments) != 1 || of.Comments[0].Author != who || of.Comments[0].Text != "It was the fuse. Mail me at reply+…@example.org." || of.Comments[0].HTML != (problem.NullText{}) {
		t.Errorf("the comments are %+v", of.Comments)
	}
	_, err = s.Reply(t.Context(), Reply{Token: token, Message: "<2@mail>", Text: text})
	kit.NoError(t, err)
	other := s.create(t, "Another one")
	_, err = s.Reply(t.Context(), Reply{Token: mail.NewReplyToken(kit.Key, who, other), Message: "<1@mail>", Text: text})
	kit.NoError(t, err)
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
	_, err := s.Users().Update(t.Context(), s.admin, gone, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Inactive: patch.Set(true)}})
	kit.NoError(t, err)
	_, err = s.Reply(t.Context(), Reply{Token: token, Message: "<1@mail>", Text: "The first text."})
	kit.NoError(t, err)
	before := s.load(t, id)
	for name, c := range map[string]struct {
		reply  Reply
		kind   fault.Kind
		detail string
	}{
		"a forged token":      {Reply{Token: token[1:], Text: "a"}, fault.NotFound, "is not from a mail"},
		"no token":            {Reply{Text: "a"}, fault.NotFound, "is not from a mail"},
		"of nobody":           {Reply{Token: mail.NewReplyToken(kit.Key, ident.ID{9}, id), Text: "a"}, fault.Forbidden, "inactive"},
		"deactivated":         {Reply{Token: inactive, Text: "a"}, fault.Forbidden, "inactive"},
		"an unknown problem":  {Reply{Token: mail.NewReplyToken(kit.Key, who, 99), Text: "a"}, fault.ProblemNotFound, ""},
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
	kit.Equal(t, "problem", s.load(t, id).Revision, before.Revision)
	if _, err := newServer(s.memory, s.clock).Reply(t.Context(), Reply{Token: token, Text: "a"}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a server without a key: %v", err)
	}
	behind := New(Options{
		Store: &kit.Hooked{Store: s.memory, OnCommit: func(kit.CommitFunc, store.Change) error { return fault.New(fault.Unavailable, "away") }},
		Now:   s.clock.Now, Random: rand.Reader, Limits: DefaultLimits(), WebhookKey: s.core.Key,
	})
	if _, err := behind.Reply(t.Context(), Reply{Token: token, Text: "a"}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a store that is away: %v", err)
	}
}

// D42: the text and the files of a mail are one Change, and stored once, also by two servers at
// once.
func TestReplyWithFiles(t *testing.T) {
	t.Parallel()
	s := newHookService(t)
	files := heap{}
	s.files = files
	id := s.create(t, "The lamp is broken")
	who, token := s.getsMail(t, "ann", id)
	large := bytes.Repeat([]byte{1}, 5000)
	reply := Reply{Token: token, Message: "<1@mail>", Text: "See the picture.", Layout: "[cid:a] [cid:b] [cid:d]\n-=-=- Answer above -=-=-\n[cid:c]", Files: []ReplyFile{
		{Name: "a.png", MediaType: "image/png", Content: large, Place: "[cid:a]"},
		{Name: "again.png", MediaType: "image/png", Content: large, Place: "[cid:b]"},
		{Name: "quoted.png", MediaType: "image/png", Content: append(large, 2), Place: "[cid:c]"},
		{Name: "icon.png", MediaType: "image/png", Content: []byte{3}, Place: "[cid:d]"},
		{Name: "b.txt", MediaType: "what is this", Content: []byte("b")},
	}}
	before := s.load(t, id)
	for _, repeated := range []bool{false, true} {
		got, err := s.Reply(t.Context(), reply)
		kit.NoError(t, err)
		want := Replied{User: who, Problem: id, Files: 2, LeftOut: 3}
		if repeated {
			want = Replied{User: who, Problem: id, Repeated: true}
		}
		kit.Equal(t, "reply", got, want)
	}
	after := s.load(t, id)
	if after.Revision != before.Revision+1 || len(after.Comments) != 1 || len(after.Attachments) != 2 || filesIn(files) != 2 {
		t.Fatalf("revision %d after %d, the comments %+v, the attachments %+v", after.Revision, before.Revision, after.Comments, after.Attachments)
	}
	a, b := after.Attachments[0], after.Attachments[1]
	if a.Name != "a.png" || a.MediaType != "image/png" || a.Author != who || string(files[blob.Key{Problem: id, Attachment: a.ID}]) != string(large) ||
		b.Name != "b.txt" || b.MediaType != problem.UnknownMediaType || b.Bytes != 1 || b.Digest != sha256.Sum256([]byte("b")) {
		t.Errorf("the attachments are %+v", after.Attachments)
	}
	// The picture of a signature comes with each mail.
	reply.Message, reply.Text, reply.Files = "<2@mail>", "Once more.", reply.Files[:1]
	got, err := s.Reply(t.Context(), reply)
	kit.NoError(t, err)
	kit.Equal(t, "a known picture", got, Replied{User: who, Problem: id, LeftOut: 1})
	reply.Message, reply.Text, reply.Files[0].Place = "<3@mail>", "", ""
	got, err = s.Reply(t.Context(), reply)
	kit.NoError(t, err)
	kit.Equal(t, "a file alone", got, Replied{User: who, Problem: id, Files: 1})
	if after := s.load(t, id); len(after.Comments) != 2 || len(after.Attachments) != 3 {
		t.Errorf("%d comments and %d attachments, want 2 and 3", len(after.Comments), len(after.Attachments))
	}

	reply.Message = "<4@mail>"
	arrived := make(chan struct{}, 2)
	other := newHookServer(s)
	other.files = meeting{files, arrived}
	s.files = other.files
	var both sync.WaitGroup
	var replied [2]Replied
	for i, server := range []*Service{s.Service, other} {
		both.Go(func() {
			var err error
			if replied[i], err = server.Reply(context.Background(), reply); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if replied[0].Repeated == replied[1].Repeated || len(s.load(t, id).Attachments) != 4 || filesIn(files) != 4 {
		t.Errorf("a mail that comes twice at once: %+v, with %d files", replied, filesIn(files))
	}
}

// filesIn counts the files in a heap, without its owner.
func filesIn(h heap) (n int) {
	for range h.List(context.Background(), blob.Key{}) {
		n++
	}
	return n
}

// meeting is a store whose Puts wait for each other.
type meeting struct {
	heap
	arrived chan struct{}
}

var meetings sync.Mutex // a heap is a map

func (m meeting) Put(ctx context.Context, key blob.Key, r io.Reader) error {
	m.arrived <- struct{}{}
	for len(m.arrived) < cap(m.arrived) {
		runtime.Gosched()
	}
	meetings.Lock()
	defer meetings.Unlock()
	return m.heap.Put(ctx, key, r)
}

func (m meeting) Delete(ctx context.Context, key blob.Key) error {
	meetings.Lock()
	defer meetings.Unlock()
	return m.heap.Delete(ctx, key)
}

func (m meeting) Owner(ctx context.Context) (ident.ID, error) {
	meetings.Lock()
	defer meetings.Unlock()
	return m.heap.Owner(ctx)
}

// A mail with a file that is refused is refused as a whole, and leaves no file.
func TestReplyWithRefusedFiles(t *testing.T) {
	t.Parallel()
	s := newHookService(t)
	files := heap{}
	s.limits.File, s.limits.Attachments, s.filesRoom.FilesRoom = 100, 2, FilesRoom{Most: 150}
	id := s.create(t, "The lamp is broken")
	who, token := s.getsMail(t, "ann", id)
	file := func(content string) ReplyFile { return ReplyFile{Name: "a.txt", Content: []byte(content)} }
	gone := heapWith{files, func() {
		_, err := s.Users().Update(t.Context(), s.admin, who, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Inactive: patch.Set(true)}})
		kit.NoError(t, err)
	}}
	for _, c := range []struct {
		name   string
		files  []ReplyFile
		store  blob.Store
		kind   fault.Kind
		detail string
	}{
		{"too large", []ReplyFile{file("a"), file(strings.Repeat("a", 101))}, files, fault.TooLarge, `the file "a.txt" has 101 bytes, and a file can have 100`},
		{"too many", []ReplyFile{file("a"), file("b"), file("c")}, files, fault.InvalidValue, "at most 2 attachments: this one has 0, and the mail brings 3 more"},
		{"no room for all", []ReplyFile{file(strings.Repeat("a", 90)), file(strings.Repeat("b", 90))}, files, fault.StorageFull, "all files together"},
		{"with the address for replies", []ReplyFile{file("<reply+" + token + "@example.org>")}, files, fault.InvalidValue, "has the address for your replies in it"},
		{"with it in capitals", []ReplyFile{file("REPLY+" + strings.ToUpper(token))}, files, fault.InvalidValue, "has the address"},
		{"with it in UTF-16", []ReplyFile{file(strings.Join(strings.Split(token, ""), "\x00"))}, files, fault.InvalidValue, "has the address"},
		{"with it in a name", []ReplyFile{{Name: token + ".txt", Content: []byte("a")}}, files, fault.InvalidValue, "or in its name"},
		{"with it in a media type", []ReplyFile{{Name: "a", MediaType: "text/plain; charset=" + token}}, files, fault.InvalidValue, "has the address"},
		{"nothing", nil, files, fault.RequiredField, "no text above"},
		{"without a storage", []ReplyFile{file("a")}, nil, fault.InvalidValue, "takes no files"},
		{"deactivated meanwhile", []ReplyFile{file("a"), file("b")}, gone, fault.Forbidden, "inactive"},
	} {
		s.files = c.store
		text := "Look."
		if c.files == nil {
			text = ""
		}
		_, err := s.Reply(t.Context(), Reply{Token: token, Message: c.name, Text: text, Files: c.files})
		if !fault.Is(err, c.kind) || !strings.Contains(err.Error(), c.detail) {
			t.Errorf("%s: %v, want %s: …%s…", c.name, err, c.kind, c.detail)
		}
		if of := s.load(t, id); len(of.Comments)+len(of.Attachments)+filesIn(files) != 0 || s.filesRoom.held.Load() != 0 {
			t.Errorf("%s: there are %d comments, %d attachments, and %d files", c.name, len(of.Comments), len(of.Attachments), filesIn(files))
		}
	}
}

// heapWith does something after each Put.
type heapWith struct {
	heap
	then func()
}

func (h heapWith) Put(ctx context.Context, key blob.Key, r io.Reader) error {
	err := h.heap.Put(ctx, key, r)
	h.then()
	return err
}
