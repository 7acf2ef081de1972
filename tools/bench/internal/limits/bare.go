package limits

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// limitCommand is the argument for the role of a bare handler. The handler reads its
// limit from standard input, and ends with it.
const limitCommand = "serve-limit"

// limit is the answer of a bare handler.
type limit struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
}

// BareBytes starts a process with a net/http handler. It answers every request with the
// bytes and headers of an answer.
func BareBytes(ctx context.Context, answer load.Recorded) (load.Contender, func(), error) {
	header := answer.Header.Clone()
	header.Del("Date") // every server sets its own
	return startBare(ctx, "bare handler, same bytes", limit{answer.Status, header, answer.Body})
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
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatalf("%s: %v", limitCommand, err)
	}
	server := http.Server{Handler: l}
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

// ServeHTTP answers. The header's values are shared by all answers: net/http only reads them.
func (l limit) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	maps.Copy(w.Header(), l.Header)
	w.WriteHeader(l.Status)
	_, _ = w.Write(l.Body) // else the client is gone
}
