package serve

import (
	"crypto/tls"
	"fmt"
	"log/slog"
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
}

func newFiles(o Options) *files { return &files{settings: o.Settings} }

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
	report := func(file string, err error, args ...any) {
		m.Reread(file, err)
		if err != nil {
			logger.Error("a file could not be read again: its former content stays in use", "file", file, "error", err.Error())
			return
		}
		logger.Info("a file was read again", append([]any{"file", file}, args...)...)
	}
	none := true
	if f.settings.Server.TLSCert != "" {
		none = false
		err := f.readCertificate()
		report("certificate", err, "valid_until", f.certificateEnd())
	}
	if f.settings.Storage.Store.IsDatabase() && f.settings.Storage.PasswordFile != "" {
		none = false
		report("password", f.readPassword())
	}
	if none {
		logger.Info("told to read files again, but the settings name none that can change")
	}
}
