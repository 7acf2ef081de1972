package mcp

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/problemtracking/problems/adapters/client"
)

// Options describe a handler.
type Options struct {
	// API answers the requests of the tools. It has the path of the API below BasePath.
	API      http.Handler
	BasePath string // "" or such as "/tracker"
	Version  string
	// MostBody limits the body of a request, in bytes.
	MostBody int64
}

// Path is where a service has the handler, below its base path.
const Path = "/mcp"

// Handler returns a handler of the protocol over HTTP. It keeps no sessions, so any server
// answers any request. A request of a page elsewhere is refused.
func Handler(o Options) http.Handler {
	streams := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		c, err := client.New("http://localhost"+o.BasePath, client.Options{
			Token: r.Header.Get("Authorization"), Transport: inside{o.API, r}, Attempts: 1,
		})
		if err != nil {
			return nil // the base path is no path: the handler answers 400
		}
		return newServer(c, o.Version)
	}, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, DisableLocalhostProtection: true})
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			r.Body = http.MaxBytesReader(w, r.Body, o.MostBody)
			if a := o.ask(r); a.status != http.StatusOK {
				maps.Copy(w.Header(), a.header)
				w.WriteHeader(a.status)
				_, _ = w.Write(a.body.Bytes()) // nobody else takes it
				return
			}
		}
		streams.ServeHTTP(w, r)
	}))
}

// ask has the API check the token of a request: tools come after that.
func (o Options) ask(r *http.Request) *answer {
	me, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://"+r.Host+o.BasePath+"/api/"+client.Version+"/me", nil)
	if err != nil {
		return &answer{status: http.StatusBadRequest, header: http.Header{}}
	}
	if token := r.Header.Get("Authorization"); token != "" {
		me.Header.Set("Authorization", token)
	}
	return inside{o.API, r}.serve(me)
}

// inside sends requests to a handler in this process, as from the client of another request.
type inside struct {
	handler http.Handler
	outer   *http.Request
}

// RoundTrip implements http.RoundTripper.
func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	a := i.serve(r)
	return &http.Response{
		StatusCode: a.status, Status: http.StatusText(a.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: io.NopCloser(&a.body), ContentLength: int64(a.body.Len()), Request: r,
	}, nil
}

// serve lets the handler answer. The request keeps the address and the headers of proxies of
// the other one, by which the limits of requests count.
func (i inside) serve(r *http.Request) *answer {
	ctx, cancel := context.WithCancel(i.outer.Context()) // with what the server has put there
	defer cancel()
	defer context.AfterFunc(r.Context(), cancel)()
	inner := r.Clone(ctx)
	inner.RemoteAddr, inner.TLS, inner.Host = i.outer.RemoteAddr, i.outer.TLS, i.outer.Host
	inner.RequestURI = inner.URL.RequestURI()
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	for _, name := range []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip"} {
		if lines := i.outer.Header.Values(name); len(lines) > 0 {
			inner.Header[name] = lines
		}
	}
	a := &answer{status: http.StatusOK, header: http.Header{}}
	i.handler.ServeHTTP(a, inner)
	return a
}

// answer keeps what a handler writes.
type answer struct {
	status int
	header http.Header
	body   bytes.Buffer
	begun  bool
}

func (a *answer) Header() http.Header { return a.header }

// WriteHeader takes the first status that is no interim one.
func (a *answer) WriteHeader(status int) {
	if !a.begun && status >= http.StatusOK {
		a.status, a.begun = status, true
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.begun = true
	return a.body.Write(b)
}
