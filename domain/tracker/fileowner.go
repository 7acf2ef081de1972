package tracker

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/store"
)

const (
	// filesLease is the name of the lease with the last names of the owner of files. An
	// Archive has no leases: so a store that is filled by one knows none of them.
	filesLease = "files"
	// namesKept is how many of these names a store remembers: other servers of the store may
	// have given some since this one has looked.
	namesKept = 16
	// claiming is the first word of the lease until the files have their first name.
	claiming = "claiming"
)

// nobody is the owner of files that a store and its copy have both used: nobody removes any.
var nobody = ident.ID{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// FilesState says whose the files of attachments are (D48).
type FilesState int

const (
	FilesOwn      FilesState = iota // of this store, which alone removes them
	FilesNew                        // of nobody: the first upload makes them the store's own
	FilesDisputed                   // of this store and a copy of it: nobody removes any
	FilesMissing                    // the store has had files, and they are not there
	FilesForeign                    // of another store, which would remove what this one adds
)

// Err returns a fault of the kind fault.Unavailable, if no file can be added in this state.
func (s FilesState) Err() error {
	switch s {
	case FilesMissing:
		return fault.New(fault.Unavailable, "the storage for files is not the one that this service has used: its operator runs \"problems doctor\"")
	case FilesForeign:
		return fault.New(fault.Unavailable, "the storage for files belongs to another service: its operator runs \"problems doctor\"")
	}
	return nil
}

// filesState returns the state of files whose owner is known, and of a store that has given
// them names.
func filesState(owner ident.ID, names fileNames) FilesState {
	switch {
	case owner == nobody:
		return FilesDisputed
	case slices.Contains(names.given, owner.String()):
		return FilesOwn
	case !owner.IsNone():
		return FilesForeign
	case len(names.given) == 0 || names.claiming:
		return FilesNew
	}
	return FilesMissing
}

// fileNames are the names that a store has given its files, the latest last.
type fileNames struct {
	lease.Lease
	given    []string
	claiming bool
}

func (s *Service) fileNames(ctx context.Context) (names fileNames, err error) {
	err = s.core.Store.View(ctx, func(r store.Reader) (err error) {
		names.Lease, _, err = r.Lease(ctx, filesLease)
		return err
	})
	names.given = strings.Fields(names.State)
	if names.claiming = len(names.given) > 0 && names.given[0] == claiming; names.claiming {
		names.given = names.given[1:]
	}
	return names, err
}

// FilesState returns the state of the files. It changes nothing.
func (s *Service) FilesState(ctx context.Context) (FilesState, error) {
	state, _, err := s.lookAtFiles(ctx)
	return state, err
}

func (s *Service) lookAtFiles(ctx context.Context) (state FilesState, names fileNames, err error) {
	for range 2 { // another request may have given the first name between owner and names
		owner, err := s.files.Owner(ctx) // before the names: a store remembers each before the files have it
		if err == nil {
			names, err = s.fileNames(ctx)
		}
		if state = filesState(owner, names); state != FilesMissing || err != nil {
			return state, names, err
		}
	}
	return state, names, nil
}

// usableFiles makes new files the store's own. It fails with fault.Unavailable where no file
// can be added.
func (s *Service) usableFiles(ctx context.Context, dryRun bool) error {
	state, err := s.FilesState(ctx)
	if err == nil && state == FilesNew && !dryRun {
		state, err = s.ClaimFiles(ctx)
	}
	if err == nil {
		err = state.Err()
	}
	return err
}

// AcceptFiles makes the files the store's own, whatever their state. Nobody else may use them.
func (s *Service) AcceptFiles(ctx context.Context) error {
	_, err := s.nameFiles(ctx, true)
	return err
}

// ClaimFiles gives the files a new name, if they are new or the store's own. It returns their
// state.
func (s *Service) ClaimFiles(ctx context.Context) (FilesState, error) { return s.nameFiles(ctx, false) }

// nameFiles gives the files a new name, which the store remembers. So a copy of the store does
// not know the names that the files have had since, and neither does an older backup.
func (s *Service) nameFiles(ctx context.Context, accept bool) (FilesState, error) {
	for {
		state, names, err := s.lookAtFiles(ctx)
		if err != nil || !accept && state != FilesOwn && state != FilesNew {
			return state, err
		}
		m, err := s.core.Moment(ctx)
		if err != nil {
			return state, err
		}
		batch, name := m.IDs.Next(), m.IDs.Next().String()
		first := state == FilesNew
		if names.claiming { // by another server, or before a crash
			name = names.given[0]
		}
		given := append(names.given[max(0, len(names.given)-namesKept+1):], name)
		if first {
			given = []string{claiming, name}
		}
		err = s.putFileNames(ctx, names.Lease, batch, m.At, given)
		if err == nil {
			err = s.own(ctx, name)
		}
		if err == nil && first {
			names.Version = batch
			err = s.putFileNames(ctx, names.Lease, m.IDs.Next(), m.At, []string{name})
		}
		switch {
		case err == nil:
			s.ownsFiles.Store(true)
			return FilesOwn, nil
		case !fault.Is(err, fault.Conflict):
			return state, err
		}
	}
}

// putFileNames stores the names, unless another server was faster.
func (s *Service) putFileNames(ctx context.Context, old lease.Lease, batch ident.ID, at time.Time, names []string) error {
	return s.core.Commit(ctx, store.Change{
		Batch: batch, At: at,
		Expect:  []store.Expectation{store.LeaseAt{Name: filesLease, Version: old.Version}},
		Effects: []store.Effect{store.PutLease{Lease: lease.Lease{Name: filesLease, Version: batch, State: strings.Join(names, " ")}}},
	})
}

func (s *Service) own(ctx context.Context, name string) error {
	id, err := ident.Parse(name)
	if err != nil {
		return fault.Wrap(fault.Internal, err, "the lease of the files has a name that is none")
	}
	return s.files.Own(ctx, id)
}

// disputeFiles gives the files to nobody, when a copy of this store has just taken them: with
// nobody's name, it removes none that only this store names.
func (s *Service) disputeFiles(ctx context.Context, state FilesState) (FilesState, error) {
	if state != FilesForeign || !s.ownsFiles.Swap(false) {
		return state, nil
	}
	return FilesDisputed, s.files.Own(ctx, nobody)
}
