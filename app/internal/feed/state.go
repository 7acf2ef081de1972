// Package feed keeps the position of a reader of the feed of events (D39) in a file.
package feed

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/gofrs/flock"

	"github.com/problemtracking/problems/app/internal/transfer"
	"github.com/problemtracking/problems/domain/event"
)

// State is a file with a position in the feed, for the next start of a reader. One reader at a
// time has it.
type State struct {
	path string
	lock *flock.Flock // on a file beside: each Save replaces the file itself
}

// OpenState returns the file and the position in it, which is "" without a file. It fails
// when another reader has the file, when it has anything else in it, or when it cannot be
// written. The caller has to Close the file.
func OpenState(path string) (*State, string, error) {
	if _, err := readPosition(path); err != nil {
		return nil, "", err // a wrong file gets no lock beside it
	}
	// Better fail now than after the first event.
	f, err := transfer.CreateFile(path, true)
	if err != nil {
		return nil, "", err
	}
	if err := f.Discard(); err != nil {
		return nil, "", err
	}
	s := &State{path, flock.New(transfer.Follow(path)+".lock", flock.SetPermissions(0o600))}
	switch ours, err := s.lock.TryLock(); {
	case err != nil:
		return nil, "", fmt.Errorf("%s cannot be locked: %w", path, err)
	case !ours:
		return nil, "", fmt.Errorf("%s is in use by another `problems events`: give each of them a file of its own", path)
	}
	position, err := readPosition(path) // the reader before may have moved it
	if err != nil {
		return nil, "", errors.Join(err, s.Close())
	}
	return s, position, nil
}

// Close lets another reader have the file.
func (s *State) Close() error { return s.lock.Close() }

// mostState is above the length of any position, in bytes.
const mostState = 1 << 10

func readPosition(path string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		// To open a pipe waits for its writer, and a device can have no end.
		return "", fmt.Errorf("%s is not a regular file: the position needs one", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", path, err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, mostState+1))
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", path, err)
	}
	position := strings.TrimSpace(string(text))
	if position == "" {
		return "", nil
	}
	if _, err := event.ParseCursor(position); err != nil || len(text) > mostState {
		return "", fmt.Errorf("%s is not a file of this command: it has to hold the identifier of an event, and nothing else", path)
	}
	return position, nil
}

// Save replaces the position. After a crash, the file has the old or the new one.
func (s *State) Save(position string) error {
	f, err := transfer.CreateFile(s.path, true)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(f, position+"\n"); err != nil {
		return errors.Join(fmt.Errorf("%s cannot be written: %w", s.path, err), f.Discard())
	}
	if err := f.Keep(); err != nil {
		return fmt.Errorf("%s cannot be written: %w", s.path, err)
	}
	return nil
}
