// Package remote calls the API of a running server.
package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi"
	"github.com/problemtracking/problems/domain/access"
)

// Server is a running server. Its methods may be called from many goroutines.
type Server struct {
	base   *url.URL
	token  access.Secret
	client *http.Client
}

// New returns the server at an address such as "http://127.0.0.1:8080", base path
// included. All requests have the token.
func New(address string, token access.Secret) (*Server, error) {
	base, err := url.Parse(address)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("the address of a server looks like http://127.0.0.1:8080")
	}
	return &Server{base: base, token: token, client: &http.Client{
		// The token is for this server alone, and a redirected write is
		// easily lost.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Close closes the idle connections to the server.
func (s *Server) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// callTime limits one Call.
const callTime = time.Minute

// Call sends a request with body, unless it is nil, as JSON. It decodes the answer into
// answer, unless that is nil. The path is below the version of the API. The error is an
// [*UnreachableError], a [*Refusal] or a [*ForeignError].
func (s *Server) Call(ctx context.Context, method string, body, answer any, path ...string) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	var content io.Reader
	header := http.Header{}
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(encoded)
		header.Set("Content-Type", "application/json")
	}
	response, err := s.send(ctx, method, content, header, nil, path)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if answer == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		return s.Foreign(err)
	}
	return nil
}

// Get sends a GET request and returns the answer, with a status of 2xx. The caller closes
// its body. Only ctx limits the time. The errors are those of Call.
func (s *Server) Get(ctx context.Context, header http.Header, query url.Values, path ...string) (*http.Response, error) {
	return s.send(ctx, http.MethodGet, nil, header, query, path)
}

func (s *Server) send(ctx context.Context, method string, body io.Reader, header http.Header, query url.Values, path []string) (*http.Response, error) {
	segments := make([]string, 0, 2+len(path))
	segments = append(segments, "api", httpapi.Version)
	for _, segment := range path {
		segments = append(segments, url.PathEscape(segment))
	}
	target := s.base.JoinPath(segments...)
	target.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, method, target.String(), body)
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, header)
	request.Header.Set("Authorization", s.token.Reveal())
	response, err := s.client.Do(request)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		return nil, &UnreachableError{s.base.String(), err}
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		defer response.Body.Close()
		return nil, refusal(response)
	}
	return response, nil
}

// Foreign returns the error of an answer in an unknown form.
func (s *Server) Foreign(err error) error { return &ForeignError{s.base.String(), err} }

// Lost returns the error of a broken answer.
func (s *Server) Lost(err error) error { return &LostError{s.base.String(), err} }

// LostError is a broken answer.
type LostError struct {
	Address string
	Err     error
}

func (e *LostError) Error() string {
	return fmt.Sprintf("the connection to the server at %s is lost: %v", e.Address, e.Err)
}

func (e *LostError) Unwrap() error { return e.Err }

// UnreachableError is the failure to get an answer from the server at an address.
type UnreachableError struct {
	Address string
	Err     error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("the server at %s does not answer: %v", e.Address, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// ForeignError is an answer unlike those of this service.
type ForeignError struct {
	Address string
	Err     error
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("the server at %s does not answer as this service does: %v", e.Address, e.Err)
}

func (e *ForeignError) Unwrap() error { return e.Err }
