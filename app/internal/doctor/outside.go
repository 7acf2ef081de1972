package doctor

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/mail"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/tracing"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

// outside checks the connections to the other services in the settings. The service starts
// without them, so it adds warnings alone.
func (f *Findings) outside(ctx context.Context, s config.Settings) {
	f.webhookKey(s)
	f.mailServer(ctx, s.Mail)
	f.provider(ctx, s.SignIn)
	f.collector(ctx, s.Insight)
}

// webhookKey warns of settings without a key for webhooks.
func (f *Findings) webhookKey(s config.Settings) {
	if !s.LacksWebhookKey() {
		return
	}
	f.warn("make a key with: openssl rand -base64 32 > FILE; and name the file, the same key for all servers", "--webhook-key-file names no key, so that there can be no webhooks")
}

// webhooks warns of webhooks whose messages a server with this key cannot sign.
func (f *Findings) webhooks(ctx context.Context, service *webhooks.Service) {
	all, err := service.List(ctx)
	if err != nil {
		f.grave("the error says what would be right", "the webhooks cannot be read: %v", err)
		return
	}
	active, locked := 0, 0
	var reason string
	for _, w := range all.Value {
		if state, why := w.StateFor(true); state == webhook.Active {
			active++
			if w.Locked != nil {
				locked, reason = locked+1, why
			}
		}
	}
	if locked > 0 {
		f.warn("give all servers of the store the same key by --webhook-key-file", "the service cannot deliver to %d of %d active webhooks: %s", locked, active, reason)
	}
}

// mailServer waits for the greeting of the mail server.
func (f *Findings) mailServer(ctx context.Context, m config.Mail) {
	if !m.MailURL.Given() {
		return
	}
	server := m.Server()
	address := net.JoinHostPort(server.Host, strconv.Itoa(server.Port))
	var encryption *tls.Config
	if server.TLS == mail.Implicit {
		encryption = &tls.Config{ServerName: server.Host, MinVersion: tls.VersionTLS12}
	}
	line, err := greeting(ctx, "tcp", address, encryption)
	if err == nil && !strings.HasPrefix(line, "220") {
		err = errors.New("no mail server answers there")
	}
	if err != nil {
		f.warn(`start it, or correct the setting; "problems mail --test" tries the whole way`, "the mail server of --mail-url, %s, cannot be reached: %v", address, err)
	}
}

// greeting returns the first line that a server sends by itself, or "" when it sends none in
// time. encryption is nil for none.
func greeting(ctx context.Context, network, address string, encryption *tls.Config) (line string, err error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var conn net.Conn
	if encryption != nil {
		conn, err = (&tls.Dialer{Config: encryption}).DialContext(limited, network, address)
	} else {
		conn, err = new(net.Dialer).DialContext(limited, network, address)
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }() // nothing was written
	_ = conn.SetDeadline(time.Now().Add(patience))
	line, _ = bufio.NewReader(conn).ReadString('\n')
	return line, nil
}

// provider reads the description of the provider of OpenID Connect.
func (f *Findings) provider(ctx context.Context, s config.SignIn) {
	if s.OIDCIssuer == "" || s.CheckIssuer() != nil { // refused: it may have a password
		return
	}
	var described struct{ Issuer string }
	body, err := ask(ctx, http.MethodGet, strings.TrimSuffix(s.OIDCIssuer, "/")+"/.well-known/openid-configuration", "")
	if err == nil && json.Unmarshal(body, &described) != nil {
		err = errors.New("the answer is no description of a provider")
	}
	switch {
	case err != nil:
		f.warn("start it, or correct the setting: nobody can sign in there", "the provider of --oidc-issuer, %s, cannot be reached: %v", s.OIDCIssuer, err)
	case described.Issuer != s.OIDCIssuer:
		f.warn("write the setting exactly like the provider, or nobody can sign in there", "the provider of --oidc-issuer, %s, calls itself %q", s.OIDCIssuer, described.Issuer)
	}
}

// collector sends a request without spans to the collector of traces.
func (f *Findings) collector(ctx context.Context, i config.Insight) {
	if !i.TracesURL.Given() {
		return
	}
	to, err := tracing.Endpoint(i.TracesURL.Reveal())
	if err == nil {
		_, err = ask(ctx, http.MethodPost, to.String(), "application/x-protobuf")
	}
	if err != nil {
		f.warn("start it, or correct the setting: all traces are lost", "the collector of --traces-url, %s, cannot be reached: %v", i.TracesURL, err)
	}
}

// withoutQuery returns a URL without what may be a secret in it.
func withoutQuery(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// mostAnswer is the longest part of an answer that ask reads, in bytes.
const mostAnswer = 1 << 20

// ask sends a request without a body, and returns the body of an answer with the status 200. It
// fails at any other status. media is the header Content-Type; "" sends none.
func ask(ctx context.Context, method, address, media string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, err
	}
	if media != "" {
		request.Header.Set("Content-Type", media)
	}
	answer, err := (&http.Client{Timeout: patience}).Do(request)
	if failure, ok := errors.AsType[*url.Error](err); ok {
		err = failure.Err // the text before it repeats the address
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // nothing was written
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s of %s is answered with status %d", method, withoutQuery(request.URL), answer.StatusCode)
	}
	return io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
}
