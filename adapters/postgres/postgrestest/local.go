package postgrestest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/ports"
)

// local makes servers from the binaries in a folder.
type local struct {
	folder string
	as     *syscall.Credential // nil: as ourselves
}

// ErrNoBinaries is the error of a machine without PostgreSQL's server programs, or
// without some of them.
var ErrNoBinaries = errors.New("no server programs of one version of PostgreSQL are in PATH, nor in /usr/lib/postgresql")

// localBinaries looks for the server in the named folder, or as Folder does, and fails as
// it does.
func localBinaries() (local, error) {
	folder := os.Getenv(programsVariable)
	if folder == "" {
		var err error
		if folder, err = Folder("postgres", "initdb"); err != nil {
			return local{}, err
		}
	}
	if !executable(filepath.Join(folder, "postgres")) || !executable(filepath.Join(folder, "initdb")) {
		return local{}, fmt.Errorf("%s names %s, which lacks postgres or initdb", programsVariable, folder)
	}
	as, err := unprivileged()
	return local{folder, as}, err
}

// Folder returns where a program of PostgreSQL is, together with others: it looks for it
// in PATH, and then where Debian has it, the newest version first. It fails with
// ErrNoBinaries.
func Folder(program string, others ...string) (string, error) {
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	version := func(folder string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder))) // 0 without a version
		return n
	}
	slices.SortFunc(folders, func(a, b string) int { return version(b) - version(a) })
	if path, err := exec.LookPath(program); err == nil {
		folders = slices.Insert(folders, 0, filepath.Dir(path))
	}
	programs := append(others, program)
	for _, folder := range folders {
		if !slices.ContainsFunc(programs, func(name string) bool { return !executable(filepath.Join(folder, name)) }) {
			return folder, nil
		}
	}
	return "", ErrNoBinaries
}

func executable(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil
}

// unprivileged returns the user for Postgres: Postgres refuses to run as root.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
		if uidErr == nil && gidErr == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("root may not run PostgreSQL, and there is neither a user postgres nor nobody to run it as")
}

func (l local) describe(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, filepath.Join(l.folder, "postgres"), "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s/postgres --version: %w", l.folder, err)
	}
	// Such as: postgres (PostgreSQL) 15.18 (Debian …)
	_, version, _ := strings.Cut(strings.TrimSpace(string(out)), ") ")
	version, _, _ = strings.Cut(version, " ")
	return fmt.Sprintf("local %s (%s)", filepath.Join(l.folder, "postgres"), version), nil
}

// localPrefix begins the names of the data directories; the owner follows.
const localPrefix = "problems-postgres-"

// node prepares a server, as newNode does: one in memory loses nothing when it stops.
func (l local) node(ctx context.Context, settings []string, _ bool) (node, error) {
	n, err := l.newNode(ctx, settings)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// newNode prepares a server. Its data is in memory, if there is room: it outlives the
// server's processes there, too. It is deleted with the server.
func (l local) newNode(ctx context.Context, settings []string) (*localNode, error) {
	dir, err := newDirectory()
	if err != nil {
		return nil, err
	}
	n := &localNode{local: l, dir: dir, settings: settings}
	if err := n.init(ctx); err != nil {
		_ = os.RemoveAll(dir) // the error before is the one to read
		return nil, err
	}
	return n, nil
}

// newDirectory makes a directory for the data of a server, in memory if there is room.
func newDirectory() (string, error) {
	removeOrphanedDirectories()
	name := localPrefix + thisProcess() + "-"
	if parent := inMemory(); parent != "" {
		if dir, err := os.MkdirTemp(parent, name); err == nil {
			return dir, nil
		}
	}
	return os.MkdirTemp("", name)
}

// removeOrphanedDirectories deletes the data of killed processes.
func removeOrphanedDirectories() {
	var dirs []string
	for _, parent := range []string{os.TempDir(), inMemory()} {
		if parent != "" {
			found, _ := filepath.Glob(filepath.Join(parent, localPrefix+"*")) // the pattern is valid
			dirs = append(dirs, found...)
		}
	}
	for _, dir := range dirs {
		owner, _, _ := cutLast(strings.TrimPrefix(filepath.Base(dir), localPrefix), "-")
		if orphaned(owner) {
			_ = os.RemoveAll(dir) // another user's stays
		}
	}
}

// cutLast is strings.Cut around the last separator.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// localNode is a server that runs as a child of this process.
type localNode struct {
	local
	dir      string
	password string
	settings []string
	port     int
	running  *postmaster // nil: stopped
}

func (n *localNode) url() string {
	return fmt.Sprintf("postgres://postgres:%s@127.0.0.1:%d/postgres?sslmode=disable", n.password, n.port)
}

func (n *localNode) data() string { return filepath.Join(n.dir, "data") }

// fresh has the data of new servers, by the folder of their programs: initdb takes some
// seconds, and a copy of its work a moment.
var fresh struct {
	sync.Mutex
	data map[string]freshData
}

type freshData struct{ dir, password string }

// freshOf returns the data of a new server of these programs. They are in a directory of
// this process, and deleted by [Main], or by the next process.
func (l local) freshOf(ctx context.Context) (freshData, error) {
	fresh.Lock()
	defer fresh.Unlock()
	if made, ok := fresh.data[l.folder]; ok {
		return made, nil
	}
	dir, err := newDirectory()
	if err != nil {
		return freshData{}, err
	}
	n := &localNode{local: l, dir: dir, password: rand.Text()}
	if err := n.initdb(ctx); err != nil {
		_ = os.RemoveAll(dir) // the error before is the one to read
		return freshData{}, err
	}
	if fresh.data == nil {
		fresh.data = make(map[string]freshData)
	}
	fresh.data[l.folder] = freshData{n.data(), n.password}
	return fresh.data[l.folder], nil
}

// removeFresh deletes the data of new servers.
func removeFresh() {
	fresh.Lock()
	defer fresh.Unlock()
	for _, made := range fresh.data {
		_ = os.RemoveAll(filepath.Dir(made.dir)) // or the next process does
	}
	fresh.data = nil
}

// initdb makes the data directory of a new server.
func (n *localNode) initdb(ctx context.Context) error {
	passwordFile := filepath.Join(n.dir, "password")
	if err := os.WriteFile(passwordFile, []byte(n.password), 0o600); err != nil {
		return err
	}
	if err := n.own(n.dir, passwordFile); err != nil {
		return err
	}
	// The data need not survive the machine, so initdb syncs nothing.
	return n.run(ctx, "initdb", "--pgdata", n.data(), "--no-sync",
		"--username=postgres", "--pwfile", passwordFile, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C")
}

// init copies the data of a new server and finds a port.
func (n *localNode) init(ctx context.Context) error {
	made, err := n.freshOf(ctx)
	if err != nil {
		return err
	}
	n.password = made.password
	if err := copyTree(ctx, made.dir, n.data()); err != nil {
		return err
	}
	if err := n.own(n.dir); err != nil {
		return err
	}
	n.port, err = ports.Free()
	return err
}

// copyTree copies a directory with the owners and modes of its files.
func copyTree(ctx context.Context, from, to string) error {
	if out, err := exec.CommandContext(ctx, "cp", "-a", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("the data of a server cannot be copied: %w\n%s", err, out)
	}
	return nil
}

// own gives files to the server's user.
func (n *localNode) own(paths ...string) error {
	if n.as == nil {
		return nil
	}
	for _, path := range paths {
		if err := os.Chown(path, int(n.as.Uid), int(n.as.Gid)); err != nil {
			return err
		}
	}
	return nil
}

// run runs a program of PostgreSQL to its end, as the server's user.
func (n *localNode) run(ctx context.Context, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(n.folder, program), args...)
	cmd.Dir, cmd.Env = n.dir, append(localEnvironment(), "PGPASSWORD="+n.password)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: n.as}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd.Path, err, bytes.TrimSpace(out))
	}
	return nil
}

// localEnvironment leaves out all PG… variables.
func localEnvironment() []string { return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"} }

func (n *localNode) start(ctx context.Context) error {
	args := []string{"-D", n.data(),
		"-c", "listen_addresses=127.0.0.1", "-c", fmt.Sprint("port=", n.port), "-c", "unix_socket_directories="}
	for _, setting := range n.settings {
		args = append(args, "-c", setting)
	}
	for {
		cmd := exec.Command(filepath.Join(n.folder, "postgres"), args...)
		cmd.Dir, cmd.Env = n.dir, localEnvironment()
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: n.as, Setpgid: true} // ^C at the terminal is for the tests
		var err error
		if n.running, err = startPostmaster(cmd); err != nil {
			return err
		}
		if err = awaitAnswer(ctx, n.url(), n.running.done); err == nil {
			return nil
		}
		n.running.kill()
		log := n.running.log.String()
		n.running = nil
		// A killed server's processes free their memory a moment after their end.
		if ctx.Err() == nil && strings.Contains(log, "is still in use") {
			continue
		}
		return fmt.Errorf("%s did not start: %w\n%s", cmd.Path, err, log)
	}
}

func (n *localNode) stop(ctx context.Context, mode stopMode) error {
	if n.running == nil {
		return errNotRunning
	}
	signal := syscall.SIGINT
	if mode == immediate {
		signal = syscall.SIGQUIT
	}
	n.running.signal(signal)
	select {
	case <-n.running.done:
		n.running = nil
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s shutdown: %w", mode, ctx.Err())
	}
}

func (n *localNode) kill(context.Context) error {
	if n.running == nil {
		return errNotRunning
	}
	n.running.kill()
	n.running = nil
	return nil
}

func (n *localNode) pause(context.Context) error {
	if n.running == nil {
		return errNotRunning
	}
	n.running.signalAll(syscall.SIGSTOP)
	return nil
}

func (n *localNode) resume(context.Context) error {
	if n.running == nil {
		return errNotRunning
	}
	n.running.signalAll(syscall.SIGCONT)
	return nil
}

func (n *localNode) remove(ctx context.Context) error {
	if n.running != nil {
		// In order: an orderly stop also frees the shared memory.
		n.running.signalAll(syscall.SIGCONT)
		if err := n.stop(ctx, immediate); err != nil {
			n.running.kill()
		}
	}
	return os.RemoveAll(n.dir)
}
