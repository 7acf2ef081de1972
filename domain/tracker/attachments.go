package tracker

import (
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// AddAttachment is the command of POST /problems/{n}/attachments (D48).
type AddAttachment struct {
	Write
	Name      string
	MediaType string // empty: unknown
	// Length is the announced length of the file; negative: unknown.
	Length int64
	// File has the bytes. Its faults are those of the command.
	File io.Reader
	// Idempotency has the fingerprint of the request without the file. The name, the media
	// type and the digest of the file are added to it.
	Idempotency *Idempotency[problem.Attachment]
}

// DeleteAttachment is the command of DELETE /problems/{n}/attachments/{attachment} (D48).
type DeleteAttachment struct {
	Write
	Attachment ident.ID
}

// attachFor limits the storing of an attachment after its file has arrived.
const attachFor = 30 * time.Second

// HasFiles reports whether there is a store for the files of attachments.
func (s *Service) HasFiles() bool { return s.files != nil }

// MaxFile returns the limit of a file, in bytes.
func (s *Service) MaxFile() int64 { return s.limits.File }

// AddAttachment adds a file to a problem (D48). It checks everything else before it reads the
// file. The file is stored first, then the record that names it. ctx is for the
// reading of the file; the rest takes half a minute at most.
func (s *Service) AddAttachment(ctx context.Context, caller Caller, id problem.ID, cmd AddAttachment) (a Answer[problem.Attachment], err error) {
	if s.files == nil {
		return a, noFiles()
	}
	m, err := s.core.Moment(ctx)
	if err != nil {
		return a, err
	}
	adding, err := s.beginAttachment(ctx, caller, id, &cmd, m)
	if err != nil {
		return a, err
	}
	key := blob.Key{Problem: id, Attachment: m.IDs.Next()}
	file := &incoming{r: cmd.File, most: s.limits.File, sum: sha256.New(), room: &s.filesRoom}
	stores := !cmd.DryRun && adding.reply == nil
	if stores {
		err = s.putFile(ctx, key, file)
	} else {
		_, err = io.Copy(io.Discard, file)
		s.filesRoom.held.Add(-file.taken)
	}
	if err != nil {
		return a, err
	}
	added := problem.Attachment{ID: key.Attachment, Bytes: file.bytes, Digest: file.digest()}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), attachFor)
	defer cancel()
	if err = s.recheck(ctx, caller); err == nil {
		a, err = s.attach(ctx, caller, id, cmd, added, stores)
	}
	if stores && (err != nil || a.Replay != nil) && !fault.Is(err, fault.UnknownOutcome) {
		s.dropFile(ctx, key, file.taken)
	}
	return a, err
}

// putFile stores a file. If that fails, its room is free again.
func (s *Service) putFile(ctx context.Context, key blob.Key, file *incoming) error {
	err := s.files.Put(ctx, key, file)
	if err == nil {
		err = s.usableFiles(ctx, true) // the disk may be gone since
	}
	if err != nil {
		s.filesRoom.held.Add(-file.taken)
	}
	return err
}

// dropFile removes a stored file that no record names.
func (s *Service) dropFile(ctx context.Context, key blob.Key, taken int64) {
	_ = s.files.Delete(ctx, key) // the sweep tries again
	s.filesRoom.held.Add(-taken)
}

func noFiles() error {
	return fault.New(fault.Unavailable, "this service has no storage for files: its operator sets PROBLEMS_FILES")
}

// beginAttachment runs the checks before the file is read.
func (s *Service) beginAttachment(ctx context.Context, caller Caller, id problem.ID, cmd *AddAttachment, m changes.Moment) (l repeatable, err error) {
	var history store.History
	load := loadRepeatable(s, caller, id, snapshot.Attachments, cmd.Idempotency)
	err = s.core.Views.Once(ctx, func(r store.Reader) (err error) {
		l, err = load(ctx, r)
		history = r.History()
		return err
	})
	if err == nil && l.reply == nil {
		var change store.Change
		change, _, err = decideAttachment(caller, *cmd, problem.Attachment{ID: m.IDs.Next(), Bytes: max(cmd.Length, 0)}, l, m, s.limits)
		if err == nil {
			err = changes.CheckSize(change, s.core.MaxSize)
		}
	}
	switch {
	case err != nil && l.ID != 0:
		err = core.AtRevision(err, l)
	case err == nil && cmd.Length > s.limits.File:
		err = fileTooLarge(s.limits.File)
	}
	if err != nil && !cmd.DryRun {
		err = s.core.Refuse(ctx, history, err)
	}
	if err == nil && l.reply == nil {
		err = s.checkRoom(ctx, max(cmd.Length, 0), cmd.DryRun)
	}
	return l, err
}

// checkRoom looks whether the storage for files takes some more bytes.
func (s *Service) checkRoom(ctx context.Context, bytes int64, dryRun bool) error {
	err := s.usableFiles(ctx, dryRun)
	if err == nil {
		err = s.filesRoom.measure(ctx, s.files)
	}
	if err == nil {
		err = s.filesRoom.leaves(bytes)
	}
	return err
}

// attach stores the record of a file that has arrived.
func (s *Service) attach(ctx context.Context, caller Caller, id problem.ID, cmd AddAttachment, added problem.Attachment, stored bool) (Answer[problem.Attachment], error) {
	if cmd.Idempotency != nil {
		of := *cmd.Idempotency
		of.Fingerprint = fingerprintOf(of.Fingerprint, cmd, added.Digest)
		cmd.Idempotency = &of
	}
	return core.Run(ctx, s.core, core.Command[repeatable, Answer[problem.Attachment]]{
		Locks:  append(cmd.Idempotency.LockKeys(caller), writerlocks.Problem(id)),
		DryRun: cmd.DryRun,
		Once:   true,
		Load:   loadRepeatable(s, caller, id, snapshot.Attachments, cmd.Idempotency),
		Decide: func(l repeatable, m changes.Moment) (store.Change, Answer[problem.Attachment], error) {
			if l.reply == nil && !stored && !cmd.DryRun {
				return store.Change{}, Answer[problem.Attachment]{}, fault.New(fault.Unavailable, "the first answer to this Idempotency-Key has just expired: repeat the request")
			}
			return decideAttachment(caller, cmd, added, l, m, s.limits)
		},
	})
}

// fingerprintOf returns the fingerprint of a request with its file.
func fingerprintOf(request [32]byte, cmd AddAttachment, file problem.Digest) [32]byte {
	h := sha256.New()
	h.Write(request[:])
	h.Write(file[:])
	_, _ = io.WriteString(h, cmd.Name+"\x00"+cmd.MediaType)
	return [32]byte(h.Sum(nil))
}

func decideAttachment(caller Caller, cmd AddAttachment, added problem.Attachment, l repeatable, m changes.Moment, limits Limits) (store.Change, Answer[problem.Attachment], error) {
	if a, ok := cmd.Idempotency.Replay(l.reply); ok {
		return store.Change{}, a, nil
	}
	checked, err := checkAttachment(cmd, l, limits)
	if err == nil {
		err = cmd.Idempotency.Check(l.reply)
	}
	if err != nil {
		return store.Change{}, Answer[problem.Attachment]{}, err
	}
	cb := changes.NewBuilder(m, caller.Author(), l.Problem)
	added.Name, added.MediaType = checked.Name, checked.MediaType
	cb.Significant(&l.Snapshot)
	added = cb.AddAttachment(&l.Snapshot, added)
	cb.StoreProblem(&l.Snapshot)

	a := answer(added, l.loaded)
	a.New = true
	cmd.Idempotency.Keep(&cb.Change, m.At, store.About{Problem: l.ID}, a)
	return cb.Change, a, nil
}

// checkAttachment returns the name and the media type in their stored forms.
func checkAttachment(cmd AddAttachment, l repeatable, limits Limits) (checked problem.Attachment, err error) {
	if err := checkMatch(cmd.Write, l.Snapshot); err != nil {
		return checked, err
	}
	faults := cmd.Faults
	if checked.Name, err = problem.CheckAttachmentName(cmd.Name); err != nil {
		faults.Add(fault.InvalidValue, fault.At("name"), "%v", err)
	}
	var ok bool
	if checked.MediaType, ok = problem.MediaType(cmd.MediaType); !ok {
		faults.Add(fault.InvalidValue, fault.At("mediaType"), "must be a media type such as image/png, with at most 255 characters")
	}
	if present(l.Attachments) >= limits.Attachments {
		faults.Add(fault.InvalidValue, fault.Location{}, "a problem has at most %d attachments, and this one has them: delete one first", limits.Attachments)
	}
	if err := faults.Err(); err != nil {
		return checked, err
	}
	return checked, nil
}

// present returns the number of attachments that are not deleted.
func present(attachments []problem.Attachment) (n int) {
	for _, a := range attachments {
		if a.Deleted.IsZero() {
			n++
		}
	}
	return n
}

func fileTooLarge(most int64) error {
	return fault.New(fault.TooLarge, "the file is longer than %d bytes", most)
}

// incoming measures a file on its way.
type incoming struct {
	r     io.Reader
	most  int64
	bytes int64
	sum   hash.Hash
	room  *filesRoom
	taken int64 // of the room
}

func (f *incoming) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	f.bytes += int64(n)
	f.sum.Write(p[:n]) // never fails
	if f.bytes > f.most {
		return n, fileTooLarge(f.most)
	}
	if fault := f.takeRoom(int64(n)); fault != nil {
		return n, fault
	}
	return n, err
}

// takeRoom takes room for the next bytes of the file.
func (f *incoming) takeRoom(n int64) error {
	if err := f.room.take(n); err != nil {
		return err
	}
	before := f.taken / checkedEach
	if f.taken += n; f.taken/checkedEach == before {
		return nil
	}
	return f.room.leaves(0)
}

func (f *incoming) digest() problem.Digest { return problem.Digest(f.sum.Sum(nil)) }

// DeleteAttachment deletes an attachment (D48). Its record stays, and its file for some time.
// It fails with fault.AttachmentNotFound, and with fault.Forbidden for an attachment of
// somebody else.
func (s *Service) DeleteAttachment(ctx context.Context, caller Caller, id problem.ID, cmd DeleteAttachment) (Answer[struct{}], error) {
	return onProblem(ctx, s, caller, id, snapshot.Attachments, cmd.DryRun, func(l loaded, m changes.Moment) (store.Change, Answer[struct{}], error) {
		return decideDeleteAttachment(caller, cmd, l, m)
	})
}

func decideDeleteAttachment(caller Caller, cmd DeleteAttachment, l loaded, m changes.Moment) (store.Change, Answer[struct{}], error) {
	var none Answer[struct{}]
	if err := checkMatch(cmd.Write, l.Snapshot); err != nil {
		return store.Change{}, none, err
	}
	old, err := attachmentOf(l.Snapshot, cmd.Attachment)
	if err == nil && !old.Deleted.IsZero() {
		err = attachmentNotFound()
	}
	if err == nil {
		err = checkAuthor(caller, old.Author, "attachment", "delete")
	}
	if err != nil {
		return store.Change{}, none, err
	}
	cb := changes.NewBuilder(m, caller.Author(), l.Problem)
	cb.Significant(&l.Snapshot)
	deleted := old
	deleted.Deleted = cb.At
	cb.AddEffect(store.PutAttachment{Problem: l.ID, Attachment: deleted})
	cb.AddLog(&l.Snapshot, problem.AttachmentDeleted, "attachments", old.Log(), "")
	cb.StoreProblem(&l.Snapshot)
	return cb.Change, answer(struct{}{}, l), nil
}

// Attachment returns the record of an attachment, also of a deleted one. It fails with
// fault.AttachmentNotFound.
func (as Reader) Attachment(ctx context.Context, id problem.ID, attachment ident.ID) (Answer[problem.Attachment], error) {
	a, err := as.Problem(ctx, id, snapshot.Attachments)
	if err != nil {
		return Answer[problem.Attachment]{}, err
	}
	found, err := attachmentOf(a.Value, attachment)
	err = core.AtRevision(err, loaded{Snapshot: a.Value})
	return Answer[problem.Attachment]{Value: found, Catalogue: a.Catalogue, Revision: a.Revision}, err
}

// OpenFile returns bytes of the file of an attachment, as blob.Store.Open does. It fails with
// fault.AttachmentNotFound for a deleted attachment, and with fault.Unavailable while the
// storage for files is away.
func (as Reader) OpenFile(ctx context.Context, id problem.ID, a problem.Attachment, from, n int64) (io.ReadCloser, error) {
	switch {
	case !a.Deleted.IsZero():
		return nil, attachmentNotFound()
	case as.s.files == nil:
		return nil, noFiles()
	}
	r, err := as.s.files.Open(ctx, blob.Key{Problem: id, Attachment: a.ID}, from, n)
	if fault.Is(err, fault.AttachmentNotFound) {
		state, stateErr := as.s.FilesState(ctx)
		if stateErr == nil {
			stateErr = state.Err()
		}
		if stateErr != nil {
			return nil, stateErr
		}
		err = fault.Wrap(fault.AttachmentNotFound, err, "the file of this attachment is not in the storage for files: an older backup may have been restored")
	}
	return r, err
}

func attachmentOf(s snapshot.Snapshot, id ident.ID) (problem.Attachment, error) {
	i := slices.IndexFunc(s.Attachments, func(a problem.Attachment) bool { return a.ID == id })
	if i < 0 {
		return problem.Attachment{}, attachmentNotFound()
	}
	return s.Attachments[i], nil
}

func attachmentNotFound() error {
	return fault.New(fault.AttachmentNotFound, "the problem has no such attachment: it may have been deleted")
}
