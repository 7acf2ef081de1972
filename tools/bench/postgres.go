package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// database is a PostgreSQL server.
type database struct {
	url  string // for who may create databases
	cmd  *exec.Cmd
	log  *bytes.Buffer // of cmd, to be read when it has ended
	done chan struct{} // closed when cmd has ended
	made []string      // the databases that were created
}

// errNoPostgres is what somebody reads whose machine has none.
var errNoPostgres = errors.New("there is no PostgreSQL to measure: install the postgresql server package (`make deps` does it on Debian as root), " +
	"or name a server with -postgres postgres://…, or leave it out with -stores memory,sqlite")

// givenDatabase is a server that runs already. What it costs cannot be seen.
func givenDatabase(url string) *database { return &database{url: url} }

// startDatabase starts a server of this machine's binaries with its data in a
// directory, which is made, and with the settings that it has by default: above all
// it syncs what it commits.
func startDatabase(ctx context.Context, dir string) (*database, error) {
	folder, err := postgresFolder()
	if err != nil {
		return nil, err
	}
	as, err := unprivileged()
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	password := rand.Text()
	passwordFile := filepath.Join(dir, "password")
	if err := os.WriteFile(passwordFile, []byte(password), 0o600); err != nil {
		return nil, err
	}
	if as != nil {
		for _, path := range []string{dir, passwordFile} {
			if err := os.Chown(path, int(as.Uid), int(as.Gid)); err != nil {
				return nil, err
			}
		}
	}
	data := filepath.Join(dir, "data")
	environment := []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"} // without whatever PG… variables there are
	initdb := exec.CommandContext(ctx, filepath.Join(folder, "initdb"), "--pgdata", data, "--username=postgres", "--pwfile", passwordFile,
		"--auth=scram-sha-256", "--encoding=UTF8", "--locale=C")
	initdb.Dir, initdb.Env, initdb.SysProcAttr = dir, environment, &syscall.SysProcAttr{Credential: as}
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", initdb.Path, err, bytes.TrimSpace(out))
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	d := &database{url: "postgres://postgres:" + password + "@" + address + "/postgres?sslmode=disable", log: new(bytes.Buffer), done: make(chan struct{})}
	// The number of connections is for those that the limits are measured with.
	d.cmd = exec.Command(filepath.Join(folder, "postgres"), "-D", data,
		"-c", "listen_addresses=127.0.0.1", "-c", "port="+port, "-c", "unix_socket_directories=", "-c", "max_connections=300")
	d.cmd.Dir, d.cmd.Env, d.cmd.Stderr = dir, environment, d.log
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as, Setpgid: true} // ^C at the terminal is for the benchmark, which ends it
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = d.cmd.Wait() // the log says why
		close(d.done)
	}()
	return d, d.wait(ctx)
}

// wait waits until the server answers.
func (d *database) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, d.url)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-d.done:
			return fmt.Errorf("%s did not start: %v\n%s", d.cmd.Path, d.cmd.ProcessState, d.log)
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("%s did not answer: %w", d.cmd.Path, err), d.stop(context.WithoutCancel(ctx)))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// create makes an empty database and returns its URL.
func (d *database) create(ctx context.Context, name string) (string, error) {
	at, err := url.Parse(d.url)
	if err != nil || at.Scheme == "" {
		return "", errors.New("-postgres has to be a URL such as postgres://user@host/database")
	}
	if err := sql(ctx, d.url, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		return "", err
	}
	d.made = append(d.made, name)
	at.Path = "/" + name
	return at.String(), nil
}

// settle does at once what a database does by itself within a minute or two of an
// import: it gathers statistics, and marks what is visible to all.
func settle(ctx context.Context, url string) error { return sql(ctx, url, "VACUUM (ANALYZE)") }

// sql runs a statement outside of a transaction.
func sql(ctx context.Context, url, statement string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // nothing is under way
	_, err = conn.Exec(ctx, statement)
	return err
}

// pids returns the processes of the server; it is nil if they cannot be seen.
func (d *database) pids() func() []int {
	if d.cmd == nil {
		return nil
	}
	return func() []int { return children(d.cmd.Process.Pid) }
}

// stop ends the server, or drops what was made on one that ran before.
func (d *database) stop(ctx context.Context) error {
	if d.cmd == nil {
		var errs []error
		for _, name := range d.made {
			errs = append(errs, sql(ctx, d.url, "DROP DATABASE "+name+" WITH (FORCE)"))
		}
		return errors.Join(errs...)
	}
	_ = d.cmd.Process.Signal(syscall.SIGINT) // fast shutdown; it may have ended
	select {
	case <-d.done:
		return nil
	case <-time.After(startPatience):
		_ = d.cmd.Process.Signal(syscall.SIGQUIT)
		<-d.done
		return errors.New("postgres did not shut down fast, and was told to at once")
	}
}

// postgresFolder finds the binaries of the server, in PATH or else where Debian has
// them, the newest version first.
func postgresFolder() (string, error) {
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	version := func(folder string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder))) // 0 for what is no version
		return n
	}
	slices.SortFunc(folders, func(a, b string) int { return version(b) - version(a) })
	if path, err := exec.LookPath("postgres"); err == nil {
		folders = slices.Insert(folders, 0, filepath.Dir(path))
	}
	for _, folder := range folders {
		_, noServer := exec.LookPath(filepath.Join(folder, "postgres"))
		_, noInit := exec.LookPath(filepath.Join(folder, "initdb"))
		if noServer == nil && noInit == nil {
			return folder, nil
		}
	}
	return "", errNoPostgres
}

// unprivileged returns whom to run PostgreSQL as, which refuses to be run by root;
// nil is ourselves.
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

// version returns what the server says it is.
func (d *database) version(ctx context.Context) (string, error) {
	conn, err := pgx.Connect(ctx, d.url)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }() // nothing is under way
	var version string
	err = conn.QueryRow(ctx, "SELECT version()").Scan(&version)
	version, _, _ = strings.Cut(version, " on ")
	return version, err
}
