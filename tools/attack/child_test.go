package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/problemtracking/problems/tools/launch"
)

// pretend begins the arguments of a child process that repeats what it was told.
const pretend = "pretend"

// fails begins the arguments of a child process that does nothing but fail.
const fails = "fails"

// showPriorities lets a process lower its priority and print those of all its threads.
const showPriorities = "priorities"

// TestMain lets the test's own binary be the processes that it starts: children in their
// roles, and a server.
func TestMain(m *testing.M) {
	is, err := asChild(os.Args[1:], os.Stdin, os.Stdout)
	switch {
	case is:
	case len(os.Args) == 3 && os.Args[1] == pretend:
		err = pretendChild(os.Args[2])
	case len(os.Args) == 3 && os.Args[1] == fails:
		err = errors.New("as the test wants it")
	case len(os.Args) == 2 && os.Args[1] == showPriorities:
		err = printPriorities()
	case len(os.Args) == 2 && os.Args[1] == "serve":
		pretendServer()
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// pretendChild answers with its role, its arguments and its task.
func pretendChild(role string) error {
	var task json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&task); err != nil {
		return err
	}
	told := []string{strings.Join(os.Args, " "), string(task)}
	if role == honestRole {
		return json.NewEncoder(os.Stdout).Encode(waited{Requests: 80, P99: 1234.5, Outcomes: map[string]int{"200": 80}, Wrong: told})
	}
	return json.NewEncoder(os.Stdout).Encode(attacked{Answers: map[string]int{"200": 17}, Notes: told, Priority: "there is one only"})
}

// pretendServer answers everything at once, as the service starts and ends. Attacks get
// 404 for the large problem, which is wrong.
func pretendServer() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Has("asOf"):
			w.WriteHeader(http.StatusNotFound)
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusCreated)
		}
		fmt.Fprint(w, `{"identifier":5,"token":"secret of a user"}`)
	}))
	fmt.Println("listening on", server.URL)
	<-ended
}

// newSiege returns a siege of a pretended server.
func newSiege(t *testing.T, args ...string) *siege {
	s := &siege{options: options{duration: time.Second, rate: 100, guard: 1 << 40, short: true}}
	s.launcher = launch.Program{Path: os.Args[0], Home: t.TempDir(), Logs: filepath.Join(t.TempDir(), "log")}
	s.self = append([]string{os.Args[0]}, args...)
	return s
}

func attackNamed(t *testing.T, name string) attack {
	at := slices.IndexFunc(attacks, func(a attack) bool { return a.name == name })
	if at < 0 {
		t.Fatalf("there is no attack %q", name)
	}
	return attacks[at]
}

// noProc reports whether sieges are not possible here, and holds that they say so.
func noProc(t *testing.T) bool {
	if runtime.GOOS == "linux" {
		return false
	}
	if _, err := newSiege(t).attackOnce(t.Context(), newPlace(inMemory, "memory:"), attacks[0]); !errors.Is(err, launch.ErrNoProc) {
		t.Errorf("an attack fails with %v; want %v", err, launch.ErrNoProc)
	}
	return true
}

func TestWhatChildrenSayIsReported(t *testing.T) {
	t.Parallel()
	if noProc(t) {
		return
	}
	s := newSiege(t, pretend)
	p := newPlace(inMemory, "memory:")
	for n := range 2 {
		p.asked = 7
		r, err := s.attackOnce(t.Context(), p, attackNamed(t, "rewritten-as-of"))
		if err != nil {
			t.Fatal(err)
		}
		if r.Honest.P99 != 1234.5 || r.Honest.Requests != 80 || r.Answers["200"] != 17 || r.Fate != alive || p.asked != 87 {
			t.Errorf("attack %d: the row is %+v, %d requests; want what the children say", n, r, p.asked)
		}
		var honest honestTask
		var attack attackTask
		if len(r.Wrong) != 2 || len(r.Notes) != 2 {
			t.Fatalf("wrong are %q, the notes %q; want two of each", r.Wrong, r.Notes)
		}
		if err := errors.Join(json.Unmarshal([]byte(r.Wrong[1]), &honest), json.Unmarshal([]byte(r.Notes[1]), &attack)); err != nil {
			t.Fatal(err)
		}
		if honest.Token != p.user || len(honest.Problems) != small.honest || honest.Rate != 100 || honest.Asked != 7 || honest.Duration != s.duration || honest.Patience != honestPatience {
			t.Errorf("the honest clients are told %+v", honest)
		}
		if attack.Attack != "rewritten-as-of" || attack.Attacker != p.attacker || attack.Admin != p.admin || !attack.Short || attack.Made[middle] != 31 {
			t.Errorf("the attackers are told %+v", attack)
		}
		for _, command := range []string{r.Wrong[0], r.Notes[0]} {
			for _, secret := range []string{p.admin, p.attacker, p.user} {
				if strings.Contains(command, secret) {
					t.Errorf("a token is on the command line %q", command)
				}
			}
		}
	}
	if len(s.warned) != 1 || !strings.Contains(s.warned[0], "there is one only") {
		t.Errorf("said %q; want once that the priority is not lower", s.warned)
	}
}

func TestSiegeWithChildren(t *testing.T) {
	t.Parallel()
	if noProc(t) {
		return
	}
	s := newSiege(t)
	p := newPlace(inMemory, "memory:")
	r, err := s.attackOnce(t.Context(), p, attackNamed(t, "rewritten-as-of"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Honest.Requests != 100 || p.asked != 100 || r.Honest.Outcomes["201"] != 20 || r.Honest.Failures != 0 {
		t.Errorf("honest requests are %+v; want 100 in a second", r.Honest)
	}
	if r.Fate != alive || r.Answers["404"] == 0 || len(r.Answers) != 1 || len(r.Wrong) != mostWrong || !strings.Contains(r.Wrong[0], "asOf=31: 404") {
		t.Errorf("the attack had %v, wrong are %q, the server is %s; want wrong answers only", r.Answers, r.Wrong, r.Fate)
	}
	if len(s.warned) > 0 {
		t.Errorf("the priority of the attackers is not lower: %q", s.warned)
	}

	s.self = append(s.self, fails)
	if _, err := s.attackOnce(t.Context(), p, attackNamed(t, "rewritten-as-of")); err == nil || !strings.Contains(err.Error(), honestRole) || !strings.Contains(err.Error(), attackersRole) {
		t.Errorf("with processes that fail: %v; want both of them named", err)
	}
}

// A child does not outlive the process that waits for it.
func TestChildrenEndWithTheirInput(t *testing.T) {
	t.Parallel()
	reached := map[string]chan struct{}{honestRole: make(chan struct{}, 1<<16), attackersRole: make(chan struct{}, 1<<16)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the end of the client is not seen
		reached[r.Header.Get("Authorization")] <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	now, err := niceness()
	if err != nil {
		t.Fatal(err)
	}
	for role, task := range map[string]any{
		honestRole:    honestTask{URL: server.URL, Token: honestRole, Problems: []int64{1}, Rate: 100, Duration: time.Hour, Patience: time.Hour},
		attackersRole: attackTask{URL: server.URL, Attacker: attackersRole, Attack: "keywords-load", Short: true, Duration: time.Hour},
	} {
		c, err := startChild([]string{os.Args[0]}, role)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		var result struct {
			waited
			attacked
		}
		go func() { done <- c.do(ctx, task, &result) }()
		<-reached[role]
		cancel()
		if err := <-done; err != nil || result.Requests+result.Answers[atEnd] == 0 {
			t.Errorf("%s: %v, %+v; want an end in order, and what came until then", role, err, result)
		}
		if role == attackersRole && result.Nice != min(now+lower, lowest) {
			t.Errorf("beside a priority of %d, that of the attackers is %d; want %d more", now, result.Nice, lower)
		}
	}
	// One whose input ends before there is a task.
	var out strings.Builder
	if is, err := asChild([]string{honestRole}, strings.NewReader(""), &out); !is || !errors.Is(err, io.EOF) || out.Len() > 0 {
		t.Errorf("without a task: %v, %v, %q", is, err, out.String())
	}
	for _, args := range [][]string{nil, {"-short"}, {honestRole, "-short"}} {
		if is, err := asChild(args, nil, nil); is || err != nil {
			t.Errorf("%q is taken for a role, %v", args, err)
		}
	}
}

func TestPriority(t *testing.T) {
	t.Parallel()
	now, err := niceness()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(os.Args[0], showPriorities).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(string(out))
	if len(got) < 3 || slices.ContainsFunc(got, func(n string) bool { return n != strconv.Itoa(min(now+lower, lowest)) }) {
		t.Errorf("beside a priority of %d, the threads have %v; want %d more for each", now, got, lower)
	}
}

// printPriorities has threads from before and from after the change.
func printPriorities() error {
	ready, shown := make(chan struct{}), make(chan struct{})
	hold := func() {
		runtime.LockOSThread()
		ready <- struct{}{}
		<-shown
	}
	go hold()
	<-ready
	if err := lowerPriority(); err != nil {
		return err
	}
	go hold()
	<-ready
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		for range 3 {
			n, err := niceness() // of the process
			if err != nil {
				return err
			}
			fmt.Println(n)
		}
		return nil
	}
	for _, thread := range threads {
		stat, err := os.ReadFile(filepath.Join("/proc/self/task", thread.Name(), "stat"))
		if err != nil {
			return err
		}
		// proc_pid_stat(5): the 19th field, the 17th after the name.
		_, fields, _ := strings.Cut(string(stat), ") ")
		fmt.Println(strings.Fields(fields)[16])
	}
	close(shown)
	return nil
}
