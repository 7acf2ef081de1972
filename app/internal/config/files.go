package config

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	"github.com/problemtracking/problems/domain/webhook"
)

// readLine returns the only line of a file. A line end at the end of the file does not
// count. The error does not name the file, unless the system does.
func readLine(file string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	line := strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")
	switch {
	case line == "":
		return "", fmt.Errorf("%s is empty", file)
	case strings.ContainsAny(line, "\n\x00"):
		return "", fmt.Errorf("%s has more than one line", file)
	}
	return line, nil
}

// Certificate returns the certificate of the service from its file; nil without one that
// can be used.
func (s *Server) Certificate() *x509.Certificate {
	if s.TLSCert == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(s.TLSCert, s.TLSKey)
	if err != nil {
		return nil
	}
	return pair.Leaf
}

// Unusable returns a fault for each named file that the service could not use now, and for a place
// of attachments that does not fit the store.
func (s *Settings) Unusable() (faults []error) {
	if err := s.Attachments.Files.Check("--files", s.Storage.Store); err != nil {
		faults = append(faults, err)
	}
	add := func(flag string, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("%s names a file that cannot be used: %w", flag, err))
		}
	}
	if s.Server.TLSCert != "" && s.Server.TLSKey != "" {
		_, err := tls.LoadX509KeyPair(s.Server.TLSCert, s.Server.TLSKey)
		add("--tls-cert or --tls-key", err)
	}
	if s.Server.BootstrapTokenFile != "" {
		_, err := s.Server.Bootstrap()
		add("--bootstrap-token-file", err)
	}
	if s.Storage.Store.IsDatabase() && s.Storage.PasswordFile != "" {
		_, err := s.Storage.Password()
		add("--store-password-file", err)
	}
	if s.SignIn.OIDCClientSecretFile != "" {
		_, err := s.SignIn.ClientSecret()
		add("--oidc-client-secret-file", err)
	}
	if s.Mail.MailPasswordFile != "" {
		_, err := s.Mail.Password()
		add("--mail-password-file", err)
	}
	if s.Webhooks.WebhookKeyFile != "" {
		add("--webhook-key-file", checkKey(s.Webhooks.WebhookKeyFile))
	}
	return faults
}

// checkKey reads the key behind the secrets of webhooks. Its error has nothing of the key.
func checkKey(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	_, err = webhook.ParseKey(string(text))
	return err
}
