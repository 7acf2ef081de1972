package conformance

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// journal is the plainest durable store: a model, and a file to which everything
// that changes it is appended and synced before it is acknowledged. Now and then
// the file is written anew, and takes the place of the old one.
type journal struct {
	*model.Model
	flaw    flaw
	path    string
	writing sync.Mutex
	file    *os.File
	buffer  bytes.Buffer // what a flaw has kept back
	all     bytes.Buffer // what the file has
	written int          // records since the file was begun
	commits int          // since it was opened
	behind  sync.WaitGroup
	closed  func() // called by Close
}

// flaw is what is wrong with a journal.
type flaw struct {
	buffers     bool // writes when it is closed, or has much to write
	neverSyncs  bool
	syncsLate   bool                                        // after it has acknowledged
	syncsFolder bool                                        // instead of the file
	forgetsName bool                                        // does not sync the directory after a rename
	halves      bool                                        // writes and syncs a Change in two halves
	halvesLarge bool                                        // does so with large Changes alone
	lazy        func(written int, change store.Change) bool // does not sync such a Change
	writesFirst bool                                        // before it looks whether a Change is to be refused
	noRulings   bool                                        // keeps no rulings
	lazyRulings bool                                        // does not sync rulings
	piecemeal   bool                                        // restores each problem by itself
	lazyRestore bool                                        // does not sync what it restored
	dawdles     bool                                        // takes its time between showing a Change and writing it
	confirms    bool                                        // what it may not have written or synced
	knows       bool                                        // the outcome of what it may not have written or synced
	feedsEarly  bool                                        // what it may not have written or synced
	replay      func(*record)
	afterReplay func(*model.Model)
}

// record is what the file has many of.
type record struct {
	Changes  []store.Change // one, but for a flaw
	Ruled    ident.ID       // or a ruling
	At       time.Time
	Restored *bench.Holdings // or an Archive
}

// openJournal opens the journal in a file, which is created if need be.
func openJournal(path string, f flaw) (*journal, error) {
	for _, effect := range []store.Effect{
		store.CreateProblem{}, store.UpdateProblem{}, store.PutSavepoint{}, store.AddComment{}, store.PutComment{}, store.PutAttachment{}, store.PutClaim{}, store.Rewrite{}, store.RewriteAudit{}, store.EmptyReplies{}, store.PutKeyword{}, store.DropKeyword{},
		store.PutRelationship{}, store.DropRelationship{}, store.Watch{}, store.Unwatch{}, store.MarkRead{},
		store.ForgetReads{}, store.PutState{}, store.PutPriority{}, store.PutClassification{}, store.PutComponent{},
		store.PutMilestone{}, store.PutUser{}, store.PutToken{}, store.MarkUsed{}, store.AppendAudit{}, store.PutQuery{}, store.DropQuery{}, store.PutSession{}, store.DropSession{},
		store.PutWebhook{}, store.DropWebhook{}, store.PutProgress{}, store.PutLease{},
		store.KeepReply{}, store.Expire{}, store.Publish{}, store.ForgetFeed{},
	} {
		gob.Register(effect)
	}
	j := &journal{Model: model.NewModel(), flaw: f, path: path}
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for {
		r, size, ok := next(content[j.all.Len():])
		if !ok {
			break // what follows was not written whole, and never acknowledged
		}
		j.all.Write(content[j.all.Len():][:size])
		j.play(r)
	}
	if f.afterReplay != nil {
		f.afterReplay(j.Model)
	}
	if j.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if err := j.file.Truncate(int64(j.all.Len())); err != nil {
		return nil, err
	}
	_, err = j.file.Seek(0, 2)
	return j, cmp.Or(err, j.file.Sync())
}

// play does once more what a record says.
func (j *journal) play(r record) {
	if j.flaw.replay != nil {
		j.flaw.replay(&r)
	}
	for _, change := range r.Changes {
		if j.flaw.writesFirst {
			next := j.Now.Clone()
			_ = next.Run(change) // as far as it goes
			next.Position++
			j.Now = next
			for id := range next.AllProblems {
				j.Reserved = max(j.Reserved, id)
			}
			j.Batches[change.Batch] = model.Settled{At: change.At, Receipt: store.Receipt{Batch: change.Batch, Position: next.Position}, Stored: true}
			continue
		}
		_, _ = j.Model.Commit(context.Background(), change)
	}
	switch {
	case r.Restored != nil && j.flaw.piecemeal:
		next := j.Now.Clone()
		for _, d := range r.Restored.Dossiers {
			next.Restore(d, r.Restored.Batch)
			j.Reserved = max(j.Reserved, d.ID)
		}
		next.Of, j.Now = j.Kept, next
	case r.Restored != nil:
		_ = j.Model.Restore(context.Background(), r.Restored.Archive())
	case !r.Ruled.IsNone():
		_, _, _ = j.Model.Outcome(context.Background(), r.Ruled, r.At)
	}
}

// next decodes a record, which is preceded by its size and checksum.
func next(content []byte) (r record, size int, ok bool) {
	const head = 8
	if len(content) < head {
		return r, 0, false
	}
	size = head + int(binary.BigEndian.Uint32(content))
	if len(content) < size || crc32.ChecksumIEEE(content[head:size]) != binary.BigEndian.Uint32(content[4:]) {
		return r, 0, false
	}
	body := string(content[head:size])
	if known, ok := decoded.Load(body); ok {
		return known.(record).clone(), size, true
	}
	if err := gob.NewDecoder(strings.NewReader(body)).Decode(&r); err != nil {
		return r, size, false
	}
	decoded.Store(body, r.clone())
	return r, size, true
}

// decoded has the records by their content. A case reads the same ones after each crash,
// and a decoder of its own for each takes most of the time.
var decoded sync.Map

// clone returns a copy with a list of Changes of its own. A flaw alters the list, and appends
// to the effects.
func (r record) clone() record {
	r.Changes = slices.Clone(r.Changes)
	for i := range r.Changes {
		r.Changes[i].Effects = slices.Clip(r.Changes[i].Effects)
	}
	return r
}

// Append writes a record, and syncs it unless it may be lazy.
func (j *journal) Append(r record, lazy bool) error {
	var body bytes.Buffer
	body.Write(make([]byte, 8))
	if err := gob.NewEncoder(&body).Encode(r); err != nil {
		return err
	}
	content := body.Bytes()
	binary.BigEndian.PutUint32(content, uint32(len(content)-8))
	binary.BigEndian.PutUint32(content[4:], crc32.ChecksumIEEE(content[8:]))
	j.all.Write(content)
	j.buffer.Write(content)
	const much = 1 << 17
	if j.flaw.buffers && j.buffer.Len() < much {
		return nil
	}
	if err := j.flush(); err != nil || lazy {
		return err
	}
	if err := j.sync(); err != nil {
		return err
	}
	const many = 12
	if j.written++; j.written%many == 0 && !j.flaw.buffers {
		return j.renew()
	}
	return nil
}

func (j *journal) flush() error {
	_, err := j.file.Write(j.buffer.Bytes())
	j.buffer.Reset()
	return err
}

func (j *journal) sync() error {
	switch {
	case j.flaw.neverSyncs:
		return nil
	case j.flaw.syncsFolder:
		return j.syncFolder()
	case j.flaw.syncsLate:
		file := j.file
		j.behind.Go(func() { _ = file.Sync() })
		return nil
	}
	return j.file.Sync()
}

func (j *journal) syncFolder() error {
	dir, err := os.Open(filepath.Dir(j.path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// renew writes the file anew.
func (j *journal) renew() error {
	fresh, err := os.Create(j.path + ".new")
	if err != nil {
		return err
	}
	_, err = fresh.Write(j.all.Bytes())
	old := j.file
	j.file = fresh
	if err := cmp.Or(err, j.sync(), os.Rename(j.path+".new", j.path)); err != nil {
		return err
	}
	if j.flaw.syncsLate {
		j.behind.Go(func() { _ = old.Close() })
	} else if err := old.Close(); err != nil {
		return err
	}
	if j.flaw.forgetsName {
		return nil
	}
	return j.syncFolder()
}

func (j *journal) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	j.writing.Lock()
	defer j.writing.Unlock()
	j.Mu.Lock()
	_, known := j.Batches[change.Batch]
	j.Mu.Unlock()
	change.Effects = append([]store.Effect(nil), change.Effects...)
	if j.flaw.writesFirst && !known && model.Over(ctx) == nil {
		if err := j.Append(record{Changes: []store.Change{change}}, false); err != nil {
			return store.Receipt{}, fault.Wrap(fault.Internal, err, "the journal cannot be written")
		}
	}
	receipt, err := j.Model.Commit(ctx, change)
	if err != nil || known || j.flaw.writesFirst {
		return receipt, err
	}
	if j.flaw.dawdles {
		time.Sleep(20 * time.Millisecond) // a slow disk
	}
	change.Expect = nil // they held
	records := []record{{Changes: []store.Change{change}}}
	if j.flaw.halves || j.flaw.halvesLarge && len(change.Effects) > 1000 {
		first, second := change, change
		first.Batch[0] ^= 0xff
		first.Effects, first.Log = change.Effects[:len(change.Effects)/2], nil
		second.Effects = change.Effects[len(change.Effects)/2:]
		records = []record{{Changes: []store.Change{first}}, {Changes: []store.Change{second}}}
	}
	for _, r := range records {
		j.commits++
		lazy := j.flaw.lazy != nil && j.flaw.lazy(j.commits, change)
		if err := j.Append(r, lazy); err != nil {
			return store.Receipt{}, fault.Wrap(fault.Internal, err, "the journal cannot be written")
		}
	}
	return receipt, nil
}

// Confirm waits for the Change that is being written: the model shows it already.
func (j *journal) Confirm(ctx context.Context, shown store.History) error {
	if err := j.Model.Confirm(ctx, shown); err != nil || j.flaw.confirms {
		return err
	}
	j.writing.Lock()
	defer j.writing.Unlock()
	if j.file == nil {
		return fault.New(fault.Closed, "the journal is closed")
	}
	if err := j.sync(); err != nil {
		return fault.Wrap(fault.Unavailable, err, "the journal cannot be synced")
	}
	return nil
}

// Feed waits for the Changes of its entries, as Confirm does.
func (j *journal) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	entries, err := j.Model.Feed(ctx, from, limit, budget)
	if err == nil && len(entries) > 0 && !j.flaw.feedsEarly {
		err = j.Confirm(ctx, 0)
	}
	return entries, err
}

func (j *journal) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	oldest, newest, err = j.Model.FeedEnds(ctx)
	if err == nil && newest.Number > 0 {
		err = j.Confirm(ctx, 0)
	}
	return oldest, newest, err
}

func (j *journal) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	if j.flaw.knows {
		j.Mu.Lock()
		known := j.Batches[batch]
		j.Mu.Unlock()
		if known.Stored {
			return known.Receipt, true, nil
		}
	}
	j.writing.Lock()
	defer j.writing.Unlock()
	j.Mu.Lock()
	_, known := j.Batches[batch]
	j.Mu.Unlock()
	receipt, stored, err := j.Model.Outcome(ctx, batch, at)
	if err == nil && !known && !j.flaw.noRulings {
		if err := j.Append(record{Ruled: batch, At: at}, j.flaw.lazyRulings); err != nil {
			return receipt, stored, fault.Wrap(fault.Internal, err, "the journal cannot be written")
		}
	}
	return receipt, stored, err
}

func (j *journal) Restore(ctx context.Context, archive store.Archive) error {
	j.writing.Lock()
	defer j.writing.Unlock()
	all := bench.Holdings{Batch: archive.Batch, Metadata: archive.Metadata, Tokens: archive.Tokens, Queries: archive.Queries, Webhooks: archive.Webhooks, Audit: archive.Audit, Versions: bench.Counting(archive.Catalogue, 0)}
	taken := archive
	if archive.Feed != nil {
		taken.Feed = func(yield func(event.Entry, error) bool) {
			for e, err := range archive.Feed {
				if err == nil {
					all.Feed = append(all.Feed, e)
				}
				if !yield(e, err) {
					return
				}
			}
		}
	}
	taken.Problems = func(yield func(store.Dossier, error) bool) {
		for d, err := range archive.Problems {
			if err == nil {
				all.Dossiers = append(all.Dossiers, d)
			}
			if j.flaw.piecemeal && err == nil {
				err = j.Append(record{Restored: &bench.Holdings{Batch: archive.Batch, Dossiers: []store.Dossier{d}}}, false)
			}
			if !yield(d, err) {
				return
			}
		}
	}
	if err := j.Model.Restore(ctx, taken); err != nil || j.flaw.piecemeal {
		return err
	}
	if err := j.Append(record{Restored: &all}, j.flaw.lazyRestore); err != nil {
		return fault.Wrap(fault.Internal, err, "the journal cannot be written")
	}
	return nil
}

func (j *journal) Close() error {
	if err := j.Model.Close(); err != nil {
		return err
	}
	j.writing.Lock()
	defer j.writing.Unlock()
	j.behind.Wait()
	if j.file == nil {
		return nil
	}
	err := errors.Join(j.flush(), j.file.Close())
	j.file = nil
	j.closed()
	return err
}
