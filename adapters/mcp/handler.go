package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/ident"
)

// Options describe a handler.
type Options struct {
	// API answers the requests of the tools. It has the path of the API below BasePath.
	API      http.Handler
	BasePath string // "" or such as "/tracker"
	Version  string
	// MostBody limits the body of a request, in bytes.
	MostBody int64
	// Frame is about the requests of models. Those of their tools are the API's.
	Frame httpframe.Options
}

// Path is where a service has the handler, below its base path.
const Path = "/mcp"

// Handler returns a handler of the protocol over HTTP. It keeps no sessions, so any server
// answers any request. A request of a page elsewhere is refused, and one of several messages, of
// which only former versions of the protocol know.
func Handler(o Options) http.Handler {
	streams := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		c, err := client.New("http://localhost"+o.BasePath, client.Options{
			Token: r.Header.Get("Authorization"), Transport: r.Context().Value(insideKey{}).(inside), Attempts: 1,
		})
		if err != nil {
			return nil // the base path is no path: the handler answers 400
		}
		return newServer(c, o.Version, o.Frame.Now)
	}, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, DisableLocalhostProtection: true})
	o.Frame.Methods = []string{http.MethodPost}
	o.Frame.Fail = func(w http.ResponseWriter, r *http.Request, err error) {
		httpframe.Of(r).Report(r.Context(), err)
		http.Error(w, "the server failed", http.StatusInternalServerError)
	}
	return http.NewCrossOriginProtection().Handler(httpframe.Wrap(o.Frame, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(httpframe.Of(r).Connection(), cancel)() // nobody waits for the answer
		r = r.WithContext(ctx)
		in := inside{o: &o, outer: r}
		if r.Method == http.MethodPost {
			r.Body = http.MaxBytesReader(w, r.Body, o.MostBody)
			me, user := in.ask()
			if me.StatusCode != http.StatusOK {
				maps.Copy(w.Header(), me.Header)
				w.WriteHeader(me.StatusCode)
				_, _ = io.Copy(w, me.Body) // nobody else takes it
				_ = me.Body.Close()
				return
			}
			in.user = user
			size := o.MostBody
			if r.ContentLength >= 0 {
				size = min(size, r.ContentLength)
			}
			memory := budget.From(ctx)
			memory.For(user)
			if err := memory.Reserve(ctx, read*size); err != nil {
				http.Error(w, "there is no memory for the request: try again", http.StatusServiceUnavailable)
				return
			}
			body := bufio.NewReader(r.Body)
			if isBatch(body) {
				http.Error(w, "a request has one message, and no array of them", http.StatusBadRequest)
				return
			}
			r.Body = struct {
				io.Reader
				io.Closer
			}{body, r.Body}
		}
		streams.ServeHTTP(w, r.WithContext(context.WithValue(ctx, insideKey{}, in)))
	})))
}

// read is the memory for a byte of a body: the SDK reads it whole, and makes values of it. Of JSON,
// short members need most.
const read = 16

// isBatch reports whether a body begins an array, and reads nothing of it but space.
func isBatch(body *bufio.Reader) bool {
	for {
		switch c, err := body.ReadByte(); {
		case err != nil:
			return false // the SDK meets it, too
		case !strings.ContainsRune(" \t\r\n", rune(c)):
			return body.UnreadByte() == nil && c == '['
		}
	}
}

type insideKey struct{}

// inside sends requests to the API in this process, as from the client of another request.
type inside struct {
	o     *Options
	outer *http.Request
	user  ident.ID // of the token
}

// ask has the API check the token of the request: tools come after that.
func (i inside) ask() (*http.Response, ident.ID) {
	broken := &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody}
	me, err := http.NewRequest(http.MethodGet, "http://"+i.outer.Host+i.o.BasePath+"/api/"+client.Version+"/me", nil)
	if err != nil {
		return &http.Response{StatusCode: http.StatusBadRequest, Body: http.NoBody}, ident.ID{}
	}
	if token := i.outer.Header.Get("Authorization"); token != "" {
		me.Header.Set("Authorization", token)
	}
	answered, err := i.RoundTrip(me)
	if err != nil || answered.StatusCode != http.StatusOK {
		return cmp.Or(answered, broken), ident.ID{}
	}
	defer answered.Body.Close()
	var of struct {
		User struct {
			Identifier string `json:"identifier"`
		} `json:"user"`
	}
	if err := json.NewDecoder(answered.Body).Decode(&of); err != nil {
		return broken, ident.ID{}
	}
	user, err := ident.Parse(of.User.Identifier)
	if err != nil {
		return broken, ident.ID{}
	}
	return answered, user
}

// RoundTrip implements http.RoundTripper. The request keeps the address and the headers of proxies
// of the other one, by which the limits of requests count. The memory of the answer is the user's
// until its body is closed.
func (i inside) RoundTrip(r *http.Request) (_ *http.Response, err error) {
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
	a := &answer{ctx: ctx, status: http.StatusOK, header: http.Header{}, most: mostAnswer}
	if i.o.Frame.Memory != nil {
		a.most = min(a.most, int(i.o.Frame.Memory.Total()/(4*copies)))
		a.memory = i.o.Frame.Memory.Open(ctx.Done())
		a.memory.For(i.user)
	}
	// The API ends an answer that it cannot go on with by this panic. Outside of net/http, nobody
	// recovers it.
	defer func() {
		if v := recover(); v == http.ErrAbortHandler {
			a.memory.Close()
			err = cmp.Or(a.failed, errors.New("the answer was broken off"))
		} else if v != nil {
			panic(v)
		}
	}()
	i.o.API.ServeHTTP(a, inner)
	if a.failed != nil {
		a.memory.Close()
		return nil, a.failed
	}
	a.memory.Trim()
	return &http.Response{
		StatusCode: a.status, Status: http.StatusText(a.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: a, ContentLength: int64(a.body.Len()), Request: r,
	}, nil
}

// answer keeps what a handler writes, and is the body of it afterwards.
type answer struct {
	ctx    context.Context
	status int
	header http.Header
	body   bytes.Buffer
	memory *budget.Account
	most   int // bytes of the body
	begun  bool
	failed error
}

func (a *answer) Header() http.Header { return a.header }

// WriteHeader takes the first status that is no interim one.
func (a *answer) WriteHeader(status int) {
	if !a.begun && status >= http.StatusOK {
		a.status, a.begun = status, true
	}
}

const (
	// copies is how often the bytes of an answer are in memory: as they came, with room to grow,
	// and in the values of a tool.
	copies = 3
	// smallAnswer is the size of an answer that waits for no memory, in bytes.
	smallAnswer = 64 << 10
	// mostAnswer is the size of the largest answer of the API to a tool, in bytes: some comments of
	// a megabyte, with their HTML. With less memory, it is the twelfth part of the budget.
	mostAnswer = 16 << 20
)

var errTooLong = errors.New("the answer has more")

// Write fails when the memory for the answer cannot be had. A large answer waits for all of it at
// once: two that each have a part would wait for each other.
func (a *answer) Write(b []byte) (int, error) {
	a.begun = true
	size := a.body.Len() + len(b)
	if size > a.most {
		a.failed = fmt.Errorf("%w than %d bytes: ask the API for it", errTooLong, a.most)
		return 0, a.failed
	}
	if size > smallAnswer {
		if err := a.memory.Reserve(a.ctx, int64(copies*(a.most-a.body.Len()))); err != nil {
			a.failed = fmt.Errorf("there is no memory for the answer: %w", err)
			return 0, a.failed
		}
		a.memory.Use(int64(copies * len(b)))
	}
	return a.body.Write(b)
}

// Read reads from what was written.
func (a *answer) Read(b []byte) (int, error) { return a.body.Read(b) }

// Close returns the memory of the answer.
func (a *answer) Close() error {
	a.memory.Close()
	return nil
}
