package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/problemtracking/problems/app/internal/config"
)

// replies looks whether the address for replies by e-mail can be taken, or a service has it
// already.
func (f *Findings) replies(ctx context.Context, m config.Mail) {
	kind, address := m.Replies()
	const flag = "--mail-replies-listen"
	switch kind {
	case "":
		return
	case "unix":
		if _, err := os.Stat(filepath.Dir(address)); errors.Is(err, fs.ErrNotExist) {
			f.grave("make the directory, or choose another one", "the directory of %s, %s, is not there", flag, filepath.Dir(address))
			return
		}
	case "tcp":
		listener, err := new(net.ListenConfig).Listen(ctx, network(address), address)
		if err == nil {
			_ = listener.Close()
			return
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			f.grave("choose another address", "the address of %s, %s, cannot be taken: %v", flag, address, err)
			return
		}
	}
	answered, err := greets(ctx, kind, address)
	switch {
	case answered:
		f.note("a service takes replies at %s", address)
	case err == nil || kind == "tcp":
		f.grave("choose another address, or end the program at this one", "the address of %s, %s, has another program", flag, address)
	}
	// Nobody is at a socket that refuses: the service replaces it.
}

// greets reports whether a service takes replies at an address. err says that nobody can
// connect.
func greets(ctx context.Context, kind, address string) (bool, error) {
	line, err := greeting(ctx, kind, address, nil)
	return strings.HasPrefix(line, "220 ") && strings.Contains(line, "LMTP"), err
}
