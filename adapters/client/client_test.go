package client_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/client"
)

// A request is repeated only where the server tells a repeat from a second write.
func TestRepeats(t *testing.T) {
	t.Parallel()
	create := func(c *client.Client) error {
		_, err := c.Create(t.Context(), client.NewProblem{Fields: client.Fields{Title: "x"}})
		return err
	}
	update := func(c *client.Client, options ...client.Option) error {
		_, err := c.Update(t.Context(), 7, client.Patch{Fields: client.Fields{Title: "x"}, Clear: []string{"due"}}, options...)
		return err
	}
	blind := func(c *client.Client) error { return update(c) }
	conditional := func(c *client.Client) error { return update(c, client.IfRevision(3)) }
	keyword := func(c *client.Client) error { return c.SetKeyword(t.Context(), 7, client.Keyword{Name: "a/b"}) }
	load := func(c *client.Client) error { _, err := c.Problem(t.Context(), 7); return err }
	dry := func(c *client.Client) error { return update(c, client.DryRun()) }
	token := func(c *client.Client) error {
		_, err := c.Do(t.Context(), client.Request{Method: http.MethodPost, Path: []string{"tokens"}}, nil)
		return err
	}
	attach := func(c *client.Client) error {
		_, err := c.Attach(t.Context(), 7, client.File{Name: "dark – lamp.txt", Size: 5, Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("bytes")), nil
		}})
		return err
	}
	claim := func(c *client.Client) error { _, err := c.Claim(t.Context(), 7, time.Minute); return err }
	extend := func(c *client.Client) error {
		_, err := c.Claim(t.Context(), 7, time.Minute, client.UnderClaim("c"))
		return err
	}
	const (
		done    = "200 "
		cut     = "0 "
		half    = "200 {"
		unknown = "503 outcome-unknown"
		away    = "503 unavailable"
		proxy   = "502 "
		busy    = "429 rate-limited"
		stale   = "412 stale-revision"
		fault   = "500 internal"
		full    = "507 storage-full"
	)
	for _, c := range []struct {
		name    string
		call    func(*client.Client) error
		answers []string
		want    error
	}{
		{"creation, no answer", create, []string{cut, cut, done}, nil},
		{"creation, half an answer", create, []string{half, done}, nil},
		{"creation, unknown", create, []string{unknown, away, done}, nil},
		{"creation, behind a proxy", create, []string{proxy, done}, nil},
		{"creation, never an answer", create, []string{cut, unknown, away, unknown}, client.ErrUnknown},
		{"creation, away for long", create, []string{away, away, away, away}, client.Unavailable},
		{"creation, refused", create, []string{"422 required-field"}, client.RequiredField},
		{"creation, refused as a repeat", create, []string{cut, "401 unauthenticated"}, client.ErrUnknown},
		{"token without a key", token, []string{cut}, client.ErrUnknown},
		{"change, no answer", blind, []string{cut}, client.ErrUnknown},
		{"change, unknown", blind, []string{unknown}, client.ErrUnknown},
		{"change, not done", blind, []string{away, busy, done}, nil},
		{"change, stale at once", conditional, []string{stale}, client.StaleRevision},
		{"change, not done and stale", conditional, []string{away, stale}, client.StaleRevision},
		{"change with a revision, no answer", conditional, []string{cut, done}, nil},
		{"change with a revision, stale as a repeat", conditional, []string{unknown, stale}, client.ErrUnknown},
		{"change with a revision, half an answer", conditional, []string{half, stale}, client.ErrUnknown},
		{"keyword, no answer", keyword, []string{cut}, client.ErrUnknown},
		{"claim, no answer", claim, []string{cut, unknown, done}, nil},
		{"claim, held", claim, []string{"409 claimed"}, client.Claimed},
		{"extension, no answer", extend, []string{cut, done}, nil},
		{"extension, lost as a repeat", extend, []string{cut, "412 claim-lost"}, client.ClaimLost},
		{"dry run, no answer", dry, []string{cut, done}, nil},
		{"load, no answer", load, []string{cut, proxy, unknown, done}, nil},
		{"load, refused", load, []string{"404 problem-not-found"}, client.ProblemNotFound},
		{"load, a fault", load, []string{fault, done}, nil},
		{"file, half an answer", attach, []string{cut, half, done}, nil},
		{"file, no room", attach, []string{full}, client.StorageFull},
		{"change, a fault", blind, []string{fault}, client.ErrUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var asked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent, _ := io.ReadAll(r.Body)
				asked = append(asked, fmt.Sprint(r.Method, r.URL, r.Header["Idempotency-Key"], r.Header["If-Match"], string(sent)))
				if len(asked) > len(c.answers) {
					t.Errorf("there is no answer to %s", asked[len(asked)-1])
					return
				}
				var status int
				var kind string
				_, _ = fmt.Sscan(c.answers[len(asked)-1], &status, &kind)
				switch {
				case status == 0:
					panic(http.ErrAbortHandler)
				case kind == "{":
					w.Header().Set("Content-Length", "100")
					_, _ = io.WriteString(w, kind)
				case kind != "":
					w.WriteHeader(status)
					_, _ = fmt.Fprintf(w, `{"type":"/errors/%s","detail":"No."}`, kind)
				default:
					w.WriteHeader(status)
					_, _ = io.WriteString(w, `{}`)
				}
			}))
			err := c.call(dial(t, server.URL))
			server.Close()
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("the error is %v, want %v", err, c.want)
			}
			if len(asked) != len(c.answers) || len(slices.Compact(asked)) != 1 {
				t.Errorf("it asked %q, want %d times the same", asked, len(c.answers))
			}
		})
	}
}

// A download goes on behind the bytes that it has.
func TestDownload(t *testing.T) {
	t.Parallel()
	const file = "a file of some bytes"
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path+r.Header.Get("Range"))
		if len(asked) < 3 {
			w = &short{w, 6}
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(file))
	}))
	defer server.Close()
	var got strings.Builder
	if err := dial(t, server.URL).Download(t.Context(), 7, "8", &got); err != nil || got.String() != file {
		t.Errorf("the file is %q, with the error %v", got.String(), err)
	}
	const path = "/api/20151105/problems/7/attachments/8/bytes"
	if want := []string{path, path + "bytes=6-", path + "bytes=12-"}; !slices.Equal(asked, want) {
		t.Errorf("it asked %q, want %q", asked, want)
	}
	full := errors.New("the disk is full")
	if err := dial(t, server.URL).Download(t.Context(), 7, "8", failing{full}); !errors.Is(err, full) || len(asked) != 4 {
		t.Errorf("after %d requests the error is %v", len(asked), err)
	}
}

// short breaks a connection off after some bytes.
type short struct {
	http.ResponseWriter
	left int
}

func (s *short) Write(b []byte) (int, error) {
	n, err := s.ResponseWriter.Write(b[:min(s.left, len(b))])
	if s.left -= n; err == nil && s.left == 0 {
		_ = http.NewResponseController(s.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// A request that nobody got is sent again, also a write.
func TestUnsent(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := dial(t, server.URL).Update(t.Context(), 7, client.Patch{})
	lost, ok := errors.AsType[*client.ConnectionError](err)
	if !ok || !lost.Unsent || errors.Is(err, client.ErrUnknown) || !strings.Contains(err.Error(), server.URL+" does not answer") {
		t.Errorf("the error is %v", err)
	}
}

// A request that would arrive as another one is not sent.
func TestInvalidRequest(t *testing.T) {
	t.Parallel()
	c := dial(t, "http://127.0.0.1:1")
	for _, r := range []client.Request{
		{Path: []string{"problems", ""}}, {Path: []string{"problems", ".", "keywords"}}, {Path: []string{"problems", "1", "keywords", ".."}},
		{Path: []string{"me"}, Key: "a\nb"}, {Path: []string{"me"}, Header: http.Header{"If-Match": {"\x01"}}},
	} {
		r.Method = http.MethodPost
		if _, err := c.Do(t.Context(), r, nil); !errors.Is(err, client.ErrInvalidRequest) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := map[string]string{"": `[{"identifier":1},{"identifier":2}]`, "c": `[{"identifier":3}]`}[r.FormValue("cursor")]
		if r.FormValue("cursor") == "" {
			w.Header().Add("Link", `</docs/predicates>; rel="help"`)
			w.Header().Add("Link", `</elsewhere?cursor=c>; rel="next"`)
		}
		if page == "" || r.URL.Path != "/api/20151105/problems/search" {
			t.Errorf("it asked %s", r.URL)
		}
		_, _ = io.WriteString(w, page)
	}))
	defer server.Close()
	for limit, want := range map[int]int64{0: 6, 2: 3, 1: 1} {
		var sum int64
		for p, err := range dial(t, server.URL).Search(t.Context(), client.Search{Limit: limit}) {
			if err != nil {
				t.Fatal(err)
			}
			sum += p.Identifier
		}
		if sum != want {
			t.Errorf("with the limit %d the sum of the identifiers is %d, want %d", limit, sum, want)
		}
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"type":"/errors/validation-failed","detail":"All.","errors":[
			{"type":"/errors/required-field","detail":"a","pointer":""},{"type":"/errors/invalid-value","detail":"b","pointer":"/keywords/2/name"},
			{"type":"/errors/invalid-type","detail":"c","pointer":"/user/identifier"},{"type":"/errors/invalid-type","detail":"d","pointer":"/a~1b~0c"}]}`)
	}))
	defer server.Close()
	_, err := dial(t, server.URL).Me(t.Context())
	const want = "a; keywords[2].name: b; user.identifier: c; a/b~c: d"
	if err == nil || err.Error() != want || !errors.Is(err, client.ValidationFailed) || !errors.Is(err, client.InvalidValue) || errors.Is(err, client.NotFound) {
		t.Errorf("the error is %v, want %s", err, want)
	}
}
