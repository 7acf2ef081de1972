package limits

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// limitCommand is the argument for the role of a bare handler. The handler reads its
// limit from standard input, and ends with it.
const limitCommand = "serve-limit"

// limit is the answer of a bare handler.
type limit struct {
	Kind   limitKind   `json:"kind"`
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
	// For one with a database:
	Database string   `json:"database"`
	Load     captured `json:"load"`
}

type limitKind string

const (
	limitBytes    limitKind = "bytes"
	limitStruct   limitKind = "struct"
	limitPostgres limitKind = "postgres"
)

// BareBytes starts a process with a net/http handler. It answers every request with the
// bytes and headers of an answer.
func BareBytes(ctx context.Context, answer load.Recorded) (load.Contender, func(), error) {
	return startBare(ctx, "bare handler, same bytes", limitOf(answer, limitBytes))
}

// BareStruct starts a handler that encodes, for each request, a struct with the members
// of the answer, by encoding/json.
func BareStruct(ctx context.Context, answer load.Recorded) (load.Contender, func(), error) {
	return startBare(ctx, "bare handler, same struct", limitOf(answer, limitStruct))
}

// BarePostgres starts a handler that runs, for each request, the statements of a load,
// fills a struct from their rows, and encodes it: see loadedRow. The database may be
// busy.
func BarePostgres(ctx context.Context, databaseURL string, load captured, answer load.Recorded) (load.Contender, func(), error) {
	l := limitOf(answer, limitPostgres)
	l.Database, l.Load = databaseURL, load
	return startBare(ctx, "bare handler, same SELECT", l)
}

// limitOf returns a limit of the given kind with the recorded answer.
func limitOf(r load.Recorded, kind limitKind) limit {
	header := r.Header.Clone()
	header.Del("Date") // every server sets its own
	return limit{Kind: kind, Status: r.Status, Header: header, Body: r.Body}
}

// startBare starts this program as a bare handler. It ends with the returned function, or
// with this process.
func startBare(ctx context.Context, name string, l limit) (load.Contender, func(), error) {
	program, err := os.Executable()
	if err != nil {
		return load.Contender{}, nil, err
	}
	cmd := exec.CommandContext(ctx, program, limitCommand)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return load.Contender{}, nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return load.Contender{}, nil, err
	}
	if err := cmd.Start(); err != nil {
		return load.Contender{}, nil, err
	}
	stop := func() {
		_ = stdin.Close()
		_ = cmd.Wait() // it has nothing to save
	}
	sent := json.NewEncoder(stdin).Encode(l)
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err := errors.Join(sent, err); err != nil {
		stop()
		return load.Contender{}, nil, fmt.Errorf("%s: it did not start: %w", name, err)
	}
	return load.Contender{Name: name, URL: "http://" + strings.TrimSpace(address), PIDs: []int{cmd.Process.Pid}}, stop, nil
}

// ServeLimit is the main function of a bare handler. It returns false when the program
// was not started as one.
func ServeLimit(args []string, stdin io.Reader, stdout io.Writer) bool {
	if len(args) != 2 || args[1] != limitCommand {
		return false
	}
	in := bufio.NewReader(stdin)
	var l limit
	text, err := in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil {
		log.Fatalf("%s: standard input has to say what to serve: %v", limitCommand, err)
	}
	handler, err := l.handler(context.Background())
	if err != nil {
		log.Fatalf("%s: %v", limitCommand, err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatalf("%s: %v", limitCommand, err)
	}
	server := http.Server{Handler: handler}
	go func() {
		_, _ = io.Copy(io.Discard, in) // until it ends
		_ = server.Close()
	}()
	fmt.Fprintln(stdout, listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		log.Fatalf("%s: %v", limitCommand, err)
	}
	return true
}

// handler returns the handler, after a check of its answer.
func (l limit) handler(ctx context.Context) (http.Handler, error) {
	switch l.Kind {
	case limitBytes:
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { l.write(w, l.Body) }), nil
	case limitStruct:
		raw, err := readAnswer(l.Body)
		if err != nil {
			return nil, err
		}
		answer, err := typed(raw)
		if err != nil {
			return nil, err
		}
		body, err := marshal(&answer)
		if err != nil {
			return nil, err
		}
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			body, err := marshal(&answer)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			l.write(w, body)
		}), checkSame(body, l.Body)
	case limitPostgres:
		return newLoader(ctx, l)
	}
	return nil, fmt.Errorf("nothing of the kind %q can be served", l.Kind)
}

// write answers with a body. The header's values are shared by all answers: net/http
// only reads them.
func (l limit) write(w http.ResponseWriter, body []byte) {
	header := w.Header()
	for name, values := range l.Header {
		header[name] = values
	}
	if _, ok := header["Content-Length"]; ok && len(body) != len(l.Body) {
		header["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	w.WriteHeader(l.Status)
	_, _ = w.Write(body) // else the client is gone
}
