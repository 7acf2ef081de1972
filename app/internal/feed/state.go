package feed

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/problemtracking/problems/app/internal/transfer"
	"github.com/problemtracking/problems/domain/event"
)

// State is a file with a position in the feed, for the next start of a reader.
type State struct{ path string }

// OpenState returns the file and the position in it, which is "" without a file. It fails
// when the file has anything else in it, or cannot be written.
func OpenState(path string) (*State, string, error) {
	position, err := readPosition(path)
	if err != nil {
		return nil, "", err
	}
	// Better fail now than after the first event.
	f, err := transfer.CreateFile(path, true)
	if err != nil {
		return nil, "", err
	}
	return &State{path}, position, f.Discard()
}

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
