package webhookworker

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/problemtracking/problems/domain/webhook"
)

// KeyFile says where the key behind the secrets of webhooks is.
type KeyFile struct {
	// Path is the file. Empty: the server has no file for it.
	Path string
	// Create makes the file with a new key when it is missing.
	Create bool
	// Passing makes a key for the life of the process, in place of a file. It is for a
	// store in memory.
	Passing bool
}

// suffix is that of the file beside the file of a store.
const suffix = ".webhook-key"

// Beside returns the file for a store. given is the setting, path the file of the store
// or empty, and passing true for a store that ends with the process.
func Beside(given, path string, passing bool) KeyFile {
	switch {
	case given != "":
		return KeyFile{Path: given}
	case path != "":
		return KeyFile{Path: path + suffix, Create: true}
	}
	return KeyFile{Passing: passing}
}

var errNoFile = errors.New("no file is given: make one with openssl rand -base64 32 > FILE")

// Keys returns a function for the key. It reads the file when the key is needed for the
// first time, and may be called from many goroutines. Its errors name the file without the
// folder: the API shows them.
func (f KeyFile) Keys(random io.Reader) func() (webhook.Key, error) {
	var mu sync.Mutex
	var key webhook.Key
	known := false
	return func() (webhook.Key, error) {
		mu.Lock()
		defer mu.Unlock()
		if known {
			return key, nil
		}
		var err error
		if key, err = f.key(random); err != nil {
			return webhook.Key{}, err
		}
		known = true
		return key, nil
	}
}

func (f KeyFile) key(random io.Reader) (webhook.Key, error) {
	if f.Passing {
		return newKey(random)
	}
	if f.Path == "" {
		return webhook.Key{}, errNoFile
	}
	key, err := f.read()
	if !f.Create || !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if key, err = newKey(random); err != nil {
		return key, err
	}
	if err := f.write(key); err != nil && !errors.Is(err, fs.ErrExist) {
		return webhook.Key{}, fmt.Errorf("the file %s cannot be made: %w", filepath.Base(f.Path), withoutPath(err))
	}
	return f.read() // which may be that of another process
}

func newKey(random io.Reader) (webhook.Key, error) {
	var b [32]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return webhook.Key{}, err
	}
	return webhook.NewKey(b), nil
}

func (f KeyFile) read() (webhook.Key, error) {
	text, err := os.ReadFile(f.Path)
	if err != nil {
		return webhook.Key{}, fmt.Errorf("the file %s cannot be read: %w", filepath.Base(f.Path), withoutPath(err))
	}
	key, err := webhook.ParseKey(string(text))
	if err != nil {
		return key, fmt.Errorf("the file %s is %w", filepath.Base(f.Path), err)
	}
	return key, nil
}

// withoutPath returns the reason of an error about a file.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// write makes the file as a whole: nobody reads a part of it, and no power cut leaves one.
func (f KeyFile) write(key webhook.Key) (err error) {
	dir := filepath.Dir(f.Path)
	part, err := os.CreateTemp(dir, filepath.Base(f.Path)+".*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(part.Name())) }()
	_, err = part.WriteString(key.Reveal() + "\n") // with the mode 0600
	if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
		return err
	}
	if err := os.Link(part.Name(), f.Path); err != nil { // fails if it is there by now
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
