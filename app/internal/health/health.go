// Package health asks a service on this machine whether it is well.
package health

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// The paths of the questions (D34).
const (
	Live  = "/healthz" // whether the process answers
	Ready = "/readyz"  // whether it would take a write
)

// Check is a question to a service.
type Check struct {
	// Address is the address of its listener, such as "0.0.0.0:8080".
	Address string
	// TLS says that the listener speaks TLS.
	TLS bool
	// Path is Live or Ready.
	Path string
	// Timeout is for the answer.
	Timeout time.Duration
}

// most is how much of an answer is read.
const most = 64 << 10

// Ask fails with a sentence unless the answer is 200.
func (c Check) Ask(ctx context.Context) error {
	address, err := reachable(c.Address)
	if err != nil {
		return err
	}
	scheme := "http"
	transport := &http.Transport{DisableKeepAlives: true}
	if c.TLS {
		scheme = "https"
		// The certificate has the names for clients elsewhere. Nothing secret is sent,
		// and whoever has the port of this machine could answer anyway.
		transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+address+c.Path, nil)
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("no answer within %s", c.Timeout)
		} else if op, ok := errors.AsType[*net.OpError](err); ok {
			err = op.Err
		}
		return fmt.Errorf("the service at %s does not answer: %w", address, err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	var problem struct{ Title, Detail string }
	_ = json.NewDecoder(io.LimitReader(response.Body, most)).Decode(&problem)
	return fmt.Errorf("the service at %s is not well: status %d: %s", address, response.StatusCode,
		cmp.Or(problem.Detail, problem.Title, http.StatusText(response.StatusCode)))
}

// reachable returns an address of this machine with a listener at another one: a listener
// for all addresses is reached by the loopback interface.
func reachable(listener string) (string, error) {
	host, port, err := net.SplitHostPort(listener)
	switch {
	case err != nil:
		return "", fmt.Errorf("--listen has to be a host and a port such as 127.0.0.1:8080: %w", err)
	case port == "0":
		return "", errors.New("--listen has the port 0: give the port of the running service")
	case host == "":
		host = "localhost"
	}
	if a, err := netip.ParseAddr(host); err == nil && a.IsUnspecified() {
		host = "127.0.0.1"
		if a.Is6() {
			host = "::1"
		}
	}
	return net.JoinHostPort(host, port), nil
}
