package serve

import (
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/metrics"
)

// files are the changeable files of the settings: the certificate with its key, and the
// password of the database.
type files struct {
	settings    config.Settings
	certificate atomic.Pointer[tls.Certificate] // nil: none is set
	password    atomic.Pointer[string]          // nil: not read yet

	mu   sync.Mutex
	seen map[string][sha256.Size]byte // what was in the files when they were last read
}

func newFiles(o Options) *files {
	return &files{settings: o.Settings, seen: map[string][sha256.Size]byte{}}
}

// changeable is what the service can read again.
type changeable struct {
	name  string // in the log and in the metrics
	paths []string
	read  func() error
	// about has further figures for the log.
	about func() []any
}

// changeables returns those that the settings name.
func (f *files) changeables() (all []changeable) {
	if server := f.settings.Server; server.TLSCert != "" {
		all = append(all, changeable{metrics.FileCertificate, []string{server.TLSCert, server.TLSKey}, f.readCertificate,
			func() []any { return []any{"valid_until", f.certificateEnd()} }})
	}
	if storage := f.settings.Storage; storage.Store.IsDatabase() && storage.PasswordFile != "" {
		all = append(all, changeable{metrics.FilePassword, []string{storage.PasswordFile}, f.readPassword, func() []any { return nil }})
	}
	return all
}

// differs reports whether the files have other content than when it was called last. A
// file that cannot be read has the reason as its content. At the first call the content
// is the one in use.
func (f *files) differs(c changeable) bool {
	digest := sha256.New()
	for _, path := range c.paths {
		content, err := os.ReadFile(path)
		fmt.Fprintf(digest, "%d %v\n", len(content), err)
		_, _ = digest.Write(content)
	}
	now := [sha256.Size]byte(digest.Sum(nil))
	f.mu.Lock()
	defer f.mu.Unlock()
	before, known := f.seen[c.name]
	f.seen[c.name] = now
	return known && before != now
}

// note takes the content of all files for the one in use.
func (f *files) note() {
	for _, c := range f.changeables() {
		f.differs(c)
	}
}

// readCertificate reads the certificate and its key. If they are unusable, the former
// ones stay in use.
func (f *files) readCertificate() error {
	pair, err := tls.LoadX509KeyPair(f.settings.Server.TLSCert, f.settings.Server.TLSKey)
	if err != nil {
		return fmt.Errorf("the TLS certificate cannot be used: %w", err)
	}
	f.certificate.Store(&pair)
	return nil
}

// tls returns the settings of a server for TLS with the certificate read last. Open
// connections keep the former one.
func (f *files) tls() *tls.Config {
	return &tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.certificate.Load(), nil },
		MinVersion:     tls.VersionTLS12,
	}
}

// certificateEnd returns until when the certificate in use is valid; the zero Time
// without one.
func (f *files) certificateEnd() time.Time {
	if pair := f.certificate.Load(); pair != nil {
		return pair.Leaf.NotAfter
	}
	return time.Time{}
}

// readPassword reads the password of the database. If it fails, the former one stays in
// use.
func (f *files) readPassword() error {
	password, err := f.settings.Storage.Password()
	if err != nil {
		return err
	}
	f.password.Store(&password)
	return nil
}

// currentPassword returns the password read last; "" before the first time.
func (f *files) currentPassword() string {
	if password := f.password.Load(); password != nil {
		return *password
	}
	return ""
}

// reread reads all files of the settings again.
func (f *files) reread(m *metrics.Metrics, logger *slog.Logger) {
	all := f.changeables()
	for _, c := range all {
		f.differs(c)
		f.readAgain(c, m, logger)
	}
	if len(all) == 0 {
		logger.Info("told to read files again, but the settings name none that can change")
	}
}

// refresh reads the changed files again. A certificate and its key change one after the
// other: between the two, the former ones stay in use.
func (f *files) refresh(m *metrics.Metrics, logger *slog.Logger) {
	for _, c := range f.changeables() {
		if f.differs(c) {
			f.readAgain(c, m, logger)
		}
	}
}

func (f *files) readAgain(c changeable, m *metrics.Metrics, logger *slog.Logger) {
	err := c.read()
	m.Reread(c.name, err)
	if err != nil {
		logger.Error("a file could not be read again: its former content stays in use", "file", c.name, "error", err.Error())
		return
	}
	logger.Info("a file was read again", append([]any{"file", c.name}, c.about()...)...)
}
