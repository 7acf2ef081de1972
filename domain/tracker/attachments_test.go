package tracker

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// D48: a new attachment is significant, changes no field, and its file does not count.
func TestDecideAttachment(t *testing.T) {
	t.Parallel()
	old := newLoaded()
	file := problem.Attachment{ID: ident.ID{15: 9}, Bytes: 1 << 40, Digest: problem.Digest{1}}
	change, a, err := decideAttachment(by(kit.Bob), AddAttachment{Name: " e\u0301.png ", MediaType: "Image/PNG"}, file, repeatable{loaded: old}, kit.At(kit.Now), DefaultLimits())
	kit.NoError(t, err)
	want := problem.Attachment{ID: file.ID, Name: "é.png", MediaType: "image/png", Bytes: 1 << 40, Digest: file.Digest, Author: kit.Bob, Created: kit.Now}
	kit.Equal(t, "answer", a, Answer[problem.Attachment]{Value: want, Catalogue: old.catalogue, Revision: 4, New: true})
	p := old.Problem
	p.Modifier, p.Modified, p.Revision = kit.Bob, kit.Now, 4
	kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy})
	kit.Equal(t, "effects", change.Effects, []store.Effect{
		store.ForgetReads{Problem: 7, But: kit.Bob}, store.MarkRead{Problem: 7, User: kit.Bob, Read: true},
		store.PutAttachment{Problem: 7, Attachment: want}, store.UpdateProblem{Problem: p, Size: want.Size() + kit.LogSize(change, 7)},
	})
	kit.Logged(t, change, `7@4 AttachmentAdded attachments: null → `+want.Log().JSON())
}

// D48: names and media types, each with the reason of its refusal.
func TestCheckAttachment(t *testing.T) {
	t.Parallel()
	full := newLoaded()
	for range 1000 {
		full.Attachments = append(full.Attachments, problem.Attachment{Name: "a"})
	}
	deleted := newLoaded()
	deleted.Attachments = append(append(deleted.Attachments, full.Attachments[1:]...), problem.Attachment{Deleted: kit.Now}, problem.Attachment{Deleted: kit.Now})
	for _, c := range []struct {
		name, mediaType string
		loaded          loaded
		kind            fault.Kind // none: it is taken
		items           []string
	}{
		{name: "a"}, {name: "CON.txt"}, {name: "a:b*?.png", mediaType: `text/plain; charset="utf-8"; name="a:b"`}, {name: strings.Repeat("\U0001f600", 255)},
		{name: "a", loaded: deleted},
		{name: "", kind: fault.InvalidValue, items: []string{"invalid-value /name"}},
		{name: " ", kind: fault.InvalidValue, items: []string{"invalid-value /name"}},
		{name: "..", kind: fault.InvalidValue, items: []string{"invalid-value /name"}},
		{name: "../a", kind: fault.InvalidValue, items: []string{"invalid-value /name"}},
		{name: `..\a`, kind: fault.InvalidValue, items: []string{"invalid-value /name"}},
		{name: "a\x00", kind: fault.InvalidValue, items: []string{"invalid-value /name"}},
		{name: "a\nb", kind: fault.InvalidValue, items: []string{"invalid-value /name"}},
		{name: "gpj.\u202eexe", kind: fault.InvalidValue, items: []string{"invalid-value /name"}},
		{name: "a\u2028b", kind: fault.InvalidValue, items: []string{"invalid-value /name"}},
		{name: "\xff", kind: fault.InvalidValue, items: []string{"invalid-value /name"}},
		{name: strings.Repeat("\U0001f600", 256), kind: fault.InvalidValue, items: []string{"invalid-value /name"}},
		{name: "a", mediaType: "png", kind: fault.InvalidValue, items: []string{"invalid-value /mediaType"}},
		{name: "a", mediaType: "a/" + strings.Repeat("b", 255), kind: fault.InvalidValue, items: []string{"invalid-value /mediaType"}},
		{name: "a", loaded: full, kind: fault.InvalidValue, items: []string{"invalid-value "}},
	} {
		if c.loaded.ID == 0 {
			c.loaded = newLoaded()
		}
		checked, err := checkAttachment(AddAttachment{Name: c.name, MediaType: c.mediaType}, repeatable{loaded: c.loaded}, DefaultLimits())
		if c.kind == "" {
			kit.NoError(t, err)
			if c.mediaType != "" {
				kit.Equal(t, "media type", checked.MediaType, "text/plain; charset=utf-8")
			}
			continue
		}
		kit.WantFault(t, err, c.kind, c.items...)
	}
}

// D48: the author deletes an attachment, or an administrator; the record stays.
func TestDecideDeleteAttachment(t *testing.T) {
	t.Parallel()
	there := problem.Attachment{ID: ident.ID{15: 9}, Name: "a.png", MediaType: "image/png", Author: kit.Bob, Created: kit.Noon}
	gone := problem.Attachment{ID: ident.ID{15: 8}, Author: kit.Bob, Created: kit.Noon, Deleted: kit.Noon}
	old := newLoaded()
	old.Attachments = []problem.Attachment{there, gone}
	writer := func(who ident.ID) Caller { return Caller{User: who, Scope: access.Write} }
	for _, who := range []Caller{writer(kit.Bob), by(kit.Ann)} {
		change, _, err := decideDeleteAttachment(who, DeleteAttachment{Attachment: there.ID}, old, kit.At(kit.Now))
		kit.NoError(t, err)
		want := there
		want.Deleted = kit.Now
		kit.Equal(t, "effect", change.Effects[2], store.Effect(store.PutAttachment{Problem: 7, Attachment: want}))
		kit.Logged(t, change, `7@4 AttachmentDeleted attachments: `+there.Log().JSON()+` → null`)
	}
	for _, c := range []struct {
		who  Caller
		id   ident.ID
		kind fault.Kind
	}{{writer(kit.Ann), there.ID, fault.Forbidden}, {by(kit.Bob), gone.ID, fault.AttachmentNotFound}, {by(kit.Bob), ident.ID{1}, fault.AttachmentNotFound}} {
		_, _, err := decideDeleteAttachment(c.who, DeleteAttachment{Attachment: c.id}, old, kit.At(kit.Now))
		kit.WantFault(t, err, c.kind)
	}
}

// heap is the plainest blob.Store.
type heap map[blob.Key][]byte

func (h heap) Put(_ context.Context, key blob.Key, r io.Reader) error {
	data, err := io.ReadAll(r)
	if err == nil {
		h[key] = data
	}
	return err
}

func (h heap) Open(_ context.Context, key blob.Key, from, _ int64) (io.ReadCloser, error) {
	data, ok := h[key]
	if !ok {
		return nil, fault.New(fault.AttachmentNotFound, "gone")
	}
	return io.NopCloser(bytes.NewReader(data[from:])), nil
}

func (h heap) Delete(_ context.Context, key blob.Key) error { delete(h, key); return nil }

func (h heap) List(context.Context, blob.Key) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		for _, key := range slices.SortedFunc(maps.Keys(h), blob.Key.Compare) {
			if key != (blob.Key{}) && !yield(blob.Info{Key: key, Size: int64(len(h[key])), Stored: kit.Now}, nil) {
				return
			}
		}
	}
}

// The owner is the file of the zero key.

func (h heap) Owner(context.Context) (ident.ID, error) {
	owner, _ := ident.Parse(string(h[blob.Key{}])) // None before
	return owner, nil
}

func (h heap) Own(_ context.Context, owner ident.ID) error {
	h[blob.Key{}] = []byte(owner.String())
	return nil
}

func (h heap) Close() error { return nil }

// D48: the file comes first, and goes again when nothing names it.
func TestFilesOfAttachments(t *testing.T) {
	t.Parallel()
	s := newService(t)
	files := heap{}
	s.files, s.limits.File = files, 5
	id := s.create(t, "Lamp")
	add := func(cmd AddAttachment, file string) (Answer[problem.Attachment], error) {
		cmd.Name, cmd.Length, cmd.File = "a.txt", -1, iotest.OneByteReader(strings.NewReader(file))
		return s.AddAttachment(t.Context(), s.admin, id, cmd)
	}
	a, err := add(AddAttachment{}, "hello")
	kit.NoError(t, err)
	if a.Value.Bytes != 5 || a.Value.Digest != sha256.Sum256([]byte("hello")) || a.Value.MediaType != problem.UnknownMediaType {
		t.Errorf("the attachment is %+v", a.Value)
	}
	r, err := s.As(s.admin).OpenFile(t.Context(), id, a.Value, 1, -1)
	kit.NoError(t, err)
	if got, _ := io.ReadAll(r); string(got) != "ello" {
		t.Errorf("the file has %q", got)
	}

	once := &Idempotency[problem.Attachment]{Key: "k", Render: func(Answer[problem.Attachment]) []byte { return []byte("first") }}
	_, err = add(AddAttachment{Idempotency: once}, "again")
	kit.NoError(t, err)
	again, err := add(AddAttachment{Idempotency: once}, "again")
	kit.NoError(t, err)
	const two = 3 // with the owner
	if string(again.Replay) != "first" || len(files) != two {
		t.Errorf("a repeated request gets %q, and there are %d files", again.Replay, len(files))
	}
	_, err = add(AddAttachment{Idempotency: once}, "other")
	kit.WantFault(t, err, fault.IdempotencyConflict)
	_, err = add(AddAttachment{}, "hello!")
	kit.WantFault(t, err, fault.TooLarge)
	_, err = add(AddAttachment{Write: Write{DryRun: true}}, "dry")
	kit.NoError(t, err)
	_, err = s.AddAttachment(t.Context(), s.admin, id, AddAttachment{Name: "a", Length: 6, File: iotest.ErrReader(errors.New("read before the checks"))})
	kit.WantFault(t, err, fault.TooLarge)
	most := s.core.MaxSize
	s.core.MaxSize = 1 // D38: the problem is full
	_, err = s.AddAttachment(t.Context(), s.admin, id, AddAttachment{Name: "a", Length: 5, File: iotest.ErrReader(errors.New("read before the checks"))})
	kit.WantFault(t, err, fault.InvalidValue)
	s.core.MaxSize = most
	if len(files) != two {
		t.Errorf("there are %d files after refusals and a dry run", len(files))
	}
	// Another Change while the file arrives: If-Match counts at the Commit, too.
	now, err := s.As(s.admin).Problem(t.Context(), id, 0)
	kit.NoError(t, err)
	cmd := AddAttachment{Write: Write{IfMatch: &Match{Revisions: []int64{now.Revision}}}, Name: "a", Length: -1}
	cmd.File = readerFunc(func([]byte) (int, error) {
		if _, err := s.SetKeyword(t.Context(), s.admin, id, SetKeyword{Name: "meanwhile"}); err != nil {
			return 0, err
		}
		return 0, io.EOF
	})
	_, err = s.AddAttachment(t.Context(), s.admin, id, cmd)
	kit.WantFault(t, err, fault.StaleRevision)
	if len(files) != two {
		t.Errorf("a refused file stays")
	}
	_, err = s.DeleteAttachment(t.Context(), s.admin, id, DeleteAttachment{Attachment: a.Value.ID})
	kit.NoError(t, err)
	gone, err := s.As(s.admin).Attachment(t.Context(), id, a.Value.ID)
	kit.NoError(t, err)
	if _, err := s.As(s.admin).OpenFile(t.Context(), id, gone.Value, 0, -1); !fault.Is(err, fault.AttachmentNotFound) {
		t.Errorf("the file of a deleted attachment: %v", err)
	}
	past, err := s.As(s.admin).ProblemAsOf(t.Context(), id, snapshot.Attachments, AsOf{Revision: 2})
	kit.NoError(t, err)
	kit.Equal(t, "attachments of revision 2", past.Value.Attachments, []problem.Attachment{a.Value})

	// D45: a redaction takes the name and the file at once, also of a deleted attachment. A repeat does nothing more.
	second, err := add(AddAttachment{}, "more")
	kit.NoError(t, err)
	for i, redacted := range []ident.ID{a.Value.ID, second.Value.ID} {
		for _, c := range []struct {
			dryRun bool
			places Places
			files  int
		}{{true, Places{Attachments: 1, Log: 2 - i, Events: 2 - i}, two + 1 - i}, {false, Places{Attachments: 1, Log: 2 - i, Events: 2 - i}, two - i}, {false, Places{}, two - i}} {
			got, err := s.Redact(t.Context(), s.admin, id, Redact{Write: Write{DryRun: c.dryRun}, Attachment: patch.Set(redacted.String())})
			kit.NoError(t, err)
			kit.Equal(t, "places", got.Value, c.places)
			kit.Equal(t, "files", len(files), c.files)
		}
		gone, err := s.As(s.admin).Attachment(t.Context(), id, redacted)
		kit.NoError(t, err)
		if gone.Value.Name != problem.DefaultReplacement || gone.Value.Deleted.IsZero() {
			t.Errorf("the redacted attachment is %+v", gone.Value)
		}
	}
	s.files = nil
	_, err = s.Redact(t.Context(), s.admin, id, Redact{Attachment: patch.Set(second.Value.ID.String())})
	kit.WantFault(t, err, fault.UnknownOutcome)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// D48: a file stays while something names it, a day without a name, and for some time after its
// deletion.
func TestNeeded(t *testing.T) {
	t.Parallel()
	const keep = 7 * 24 * time.Hour
	for _, c := range []struct {
		rule   string
		stored time.Duration // before now
		named  bool
		gone   time.Duration // of the deletion, before now; 0: not deleted
		want   bool
	}{
		{"a new file without a record", time.Hour, false, 0, true},
		{"at the limit", unnamedFor, false, 0, true},
		{"an old one", unnamedFor + 1, false, 0, false},
		{"with a record", 1000 * keep, true, 0, true},
		{"deleted lately", 1000 * keep, true, keep, true},
		{"deleted long ago", 1000 * keep, true, keep + 1, false},
	} {
		a := problem.Attachment{}
		if c.gone > 0 {
			a.Deleted = kit.Now.Add(-c.gone)
		}
		if got := needed(blob.Info{Stored: kit.Now.Add(-c.stored)}, a, c.named, kit.Now, keep); got != c.want {
			t.Errorf("%s: %v", c.rule, got)
		}
	}
}

// D48: the sweep removes what nothing names, and nothing of another store.
func TestSweepFiles(t *testing.T) {
	t.Parallel()
	s := newService(t)
	files := heap{}
	s.files, s.keepFiles = files, time.Hour
	add := func(of problem.ID) problem.Attachment {
		a, err := s.AddAttachment(t.Context(), s.admin, of, AddAttachment{Name: "a", File: strings.NewReader("abc")})
		kit.NoError(t, err)
		return a.Value
	}
	var kept []problem.ID
	for range sweepPage + 2 {
		kept = append(kept, s.create(t, "Lamp"))
		add(kept[len(kept)-1])
	}
	gone := add(kept[0])
	_, err := s.DeleteAttachment(t.Context(), s.admin, kept[0], DeleteAttachment{Attachment: gone.ID})
	kit.NoError(t, err)
	files[blob.Key{Problem: kept[1], Attachment: ident.ID{1}}] = []byte("orphan")
	files[blob.Key{Problem: 1 << 40, Attachment: ident.ID{1}}] = []byte("orphan")
	s.clock.Forward(48 * time.Hour)

	other := newServer(newService(t).memory, s.clock) // a copy of the store, with the same files
	other.files = files
	swept, err := s.SweepFiles(t.Context())
	kit.NoError(t, err)
	n := int64(len(kept))
	kit.Equal(t, "swept", swept, Swept{Files: n, Bytes: 3 * n, Removed: 3})
	swept, err = other.SweepFiles(t.Context())
	kit.NoError(t, err)
	kit.Equal(t, "swept by another store", swept, Swept{Files: n, Bytes: 3 * n, State: FilesForeign})
	if int64(len(files)) != n+1 { // with the owner
		t.Errorf("there are %d files", len(files))
	}
}

// D48: whose the files are, by their owner and the names that the store has given them.
func TestFilesState(t *testing.T) {
	t.Parallel()
	a, b := ident.ID{1}, ident.ID{2}
	for _, c := range []struct {
		owner    ident.ID
		given    []ident.ID
		claiming bool
		want     FilesState
		refused  bool
	}{
		{want: FilesNew},
		{given: []ident.ID{a}, claiming: true, want: FilesNew},
		{owner: a, given: []ident.ID{a}, claiming: true, want: FilesOwn},
		{owner: a, given: []ident.ID{a, b}, want: FilesOwn},
		{given: []ident.ID{a}, want: FilesMissing, refused: true},
		{owner: b, want: FilesForeign, refused: true},
		{owner: b, given: []ident.ID{a}, want: FilesForeign, refused: true},
		{owner: nobody, given: []ident.ID{a}, want: FilesDisputed},
	} {
		names := fileNames{claiming: c.claiming}
		for _, id := range c.given {
			names.given = append(names.given, id.String())
		}
		if got := filesState(c.owner, names); got != c.want || (got.Err() != nil) != c.refused {
			t.Errorf("owner %v of the names %v: %v, %v", c.owner, c.given, got, got.Err())
		}
	}
}

// D48: files that are away, or another store's, take no upload until the operator accepts them.
func TestFilesAway(t *testing.T) {
	t.Parallel()
	s := newService(t)
	files := heap{}
	s.files = files
	id := s.create(t, "Lamp")
	add := func() (Answer[problem.Attachment], error) {
		return s.AddAttachment(t.Context(), s.admin, id, AddAttachment{Name: "a", File: strings.NewReader("abc")})
	}
	// A crash after the first name was stored, and before the files had it.
	kit.NoError(t, s.putFileNames(t.Context(), lease.Lease{}, ident.ID{1}, kit.Now, []string{claiming, ident.ID{7}.String()}))
	first, err := add()
	kit.NoError(t, err)
	kit.Equal(t, "owner", string(files[blob.Key{}]), ident.ID{7}.String())
	for _, owner := range []ident.ID{ident.None, {9}} {
		clear(files)
		if !owner.IsNone() {
			kit.NoError(t, files.Own(t.Context(), owner))
		}
		_, err = add()
		kit.WantFault(t, err, fault.Unavailable)
		_, err = s.As(s.admin).OpenFile(t.Context(), id, first.Value, 0, -1)
		kit.WantFault(t, err, fault.Unavailable)
		_, err = s.SweepFiles(t.Context())
		kit.NoError(t, err)
		delete(files, blob.Key{})
		if len(files) > 0 {
			t.Errorf("a refused upload leaves %d files", len(files))
		}
		kit.NoError(t, s.AcceptFiles(t.Context()))
		_, err = add()
		kit.NoError(t, err)
	}
	// Another request gives the first name between the two looks at it.
	racing := newServer(newService(t).memory, s.clock)
	racing.files = lateOwner{files, func() {
		clear(files)
		_, err := racing.nameFiles(t.Context(), true)
		kit.NoError(t, err)
	}, new(bool)}
	clear(files)
	state, err := racing.FilesState(t.Context())
	kit.NoError(t, err)
	kit.Equal(t, "state", state, FilesOwn)
	kit.NoError(t, s.AcceptFiles(t.Context()))
	// The folder goes while a file arrives.
	_, err = s.AddAttachment(t.Context(), s.admin, id, AddAttachment{Name: "a", Length: -1, File: readerFunc(func([]byte) (int, error) {
		clear(files)
		return 0, io.EOF
	})})
	kit.WantFault(t, err, fault.Unavailable)
	s.files = nil
	_, err = s.As(s.admin).OpenFile(t.Context(), id, first.Value, 0, -1)
	kit.WantFault(t, err, fault.Unavailable)
}

// lateOwner does something after the first look at the owner.
type lateOwner struct {
	heap
	then func()
	done *bool
}

func (l lateOwner) Owner(ctx context.Context) (ident.ID, error) {
	owner, err := l.heap.Owner(ctx)
	if !*l.done {
		*l.done = true
		l.then()
	}
	return owner, err
}

// D48: uploads leave room for the store on its disk, and for each other; deletions give it back.
func TestFilesRoom(t *testing.T) {
	t.Parallel()
	s := newService(t)
	free := int64(100 << 20)
	s.files, s.filesRoom.FilesRoom = heap{}, FilesRoom{Most: 8 << 20, Reserve: 60 << 20, Free: func() (int64, error) { return free, nil }}
	id := s.create(t, "Lamp")
	add := func(size, announced int64) (Answer[problem.Attachment], error) {
		return s.AddAttachment(t.Context(), s.admin, id, AddAttachment{Name: "a", Length: announced, File: io.LimitReader(zeros, size)})
	}
	first, err := add(6<<20, -1)
	kit.NoError(t, err)
	_, err = add(3<<20, -1)
	kit.WantFault(t, err, fault.StorageFull)
	_, err = add(2<<20, -1) // the refused one holds no room
	kit.NoError(t, err)
	_, err = s.DeleteAttachment(t.Context(), s.admin, id, DeleteAttachment{Attachment: first.Value.ID})
	kit.NoError(t, err)
	s.clock.Forward(48 * time.Hour)
	_, err = s.SweepFiles(t.Context())
	kit.NoError(t, err)
	_, err = add(0, 41<<20) // by its announcement
	kit.WantFault(t, err, fault.StorageFull)
	_, err = s.AddAttachment(t.Context(), s.admin, id, AddAttachment{Name: "a", Length: -1, File: readerFunc(func(p []byte) (int, error) {
		free -= int64(len(p)) * 100
		return len(p), nil
	})})
	kit.WantFault(t, err, fault.StorageFull)
}

var zeros = readerFunc(func(p []byte) (int, error) { clear(p); return len(p), nil })

// D48: who may no longer do anything when the file has arrived adds none.
func TestRevokedWhileAFileArrives(t *testing.T) {
	t.Parallel()
	s := newService(t)
	files := heap{}
	s.files = files
	id := s.create(t, "Lamp")
	for name, callerAndEnd := range map[string]func() (Caller, func() error){
		"token": func() (Caller, func() error) {
			token, err := s.CreateToken(t.Context(), s.admin, admin.CreateToken{User: patch.Set[metadata.Partial](metadata.Members{"identifier": metadata.Text(s.admin.User.String())}), Scope: patch.Set("write")})
			kit.NoError(t, err)
			caller, err := s.Authenticate(t.Context(), token.Value.Secret)
			kit.NoError(t, err)
			return caller, func() error {
				_, err := s.RevokeToken(t.Context(), s.admin, caller.Token, Write{})
				return err
			}
		},
		"session": func() (Caller, func() error) {
			m, err := s.core.Moment(t.Context())
			kit.NoError(t, err)
			session := access.Session{ID: m.IDs.Next(), User: s.admin.User, Scope: access.Write, Created: m.At, Expires: m.At.Add(time.Hour)}
			put := func(e store.Effect) error {
				m, err := s.core.Moment(t.Context())
				kit.NoError(t, err)
				_, err = s.memory.Commit(t.Context(), store.Change{Batch: m.IDs.Next(), At: m.At, Effects: []store.Effect{e}})
				return err
			}
			kit.NoError(t, put(store.PutSession{Session: session}))
			return Caller{User: session.User, Scope: session.Scope, Session: session.ID}, func() error { return put(store.DropSession{ID: session.ID}) }
		},
	} {
		caller, end := callerAndEnd()
		upload := func(meanwhile func() error) error {
			_, err := s.AddAttachment(t.Context(), caller, id, AddAttachment{Name: name, Length: -1, File: readerFunc(func([]byte) (int, error) {
				return 0, cmp.Or(meanwhile(), io.EOF)
			})})
			return err
		}
		kit.NoError(t, upload(func() error { return nil }))
		there := len(files)
		kit.WantFault(t, upload(end), fault.Unauthenticated)
		kit.Equal(t, "files", len(files), there)
	}
}

// D48: a copy of a store, beside it and with the same files, removes none that only the store
// names, whoever of them comes first.
func TestCopySweepsNothing(t *testing.T) {
	t.Parallel()
	for first, copyIsFirst := range map[string]bool{"store": false, "copy": true} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			files := heap{}
			s.files = files
			sweep := func(of *Service, foreign bool) {
				t.Helper()
				swept, err := of.SweepFiles(t.Context())
				kit.NoError(t, err)
				kit.Equal(t, "foreign", swept.State != FilesOwn, foreign)
			}
			_, err := s.ClaimFiles(t.Context())
			kit.NoError(t, err)
			l, err := s.fileNames(t.Context())
			kit.NoError(t, err)
			other := newServer(newService(t).memory, s.clock)
			other.files = files
			kit.NoError(t, other.core.Commit(t.Context(), store.Change{
				Batch: ident.ID{1}, At: kit.Now, Effects: []store.Effect{store.PutLease{Lease: l.Lease}},
			}))
			if copyIsFirst {
				sweep(other, false)
				sweep(s.Service, true)
			} else {
				sweep(s.Service, false)
			}
			_, err = s.AddAttachment(t.Context(), s.admin, s.create(t, "Lamp"), AddAttachment{Name: "a", File: strings.NewReader("abc")})
			kit.NoError(t, err)
			s.clock.Forward(48 * time.Hour)
			sweep(other, true)
			kit.Equal(t, "files", len(files), 2) // with the owner
			if !copyIsFirst {
				sweep(s.Service, false)
			}
		})
	}
}
