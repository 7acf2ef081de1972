package postgrestest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/ports"
)

// LocalServer is a server from this machine's own binaries, for a program that measures.
// On Linux it ends with the program, also when that is killed. Callers call its methods
// one after the other.
type LocalServer struct{ node *localNode }

// StartLocal starts a server with these settings of postgresql.conf, each as name=value,
// on top of PostgreSQL's own defaults: above all, it syncs its commits. Its data are in
// dir. dir must not exist yet, and the server's user must be able to reach it. StartLocal
// returns when the server answers, and fails with ErrNoBinaries on a machine without
// PostgreSQL.
func StartLocal(ctx context.Context, dir string, settings ...string) (*LocalServer, error) {
	binaries, err := localBinaries()
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	node := &localNode{local: binaries, dir: dir, password: rand.Text(), settings: settings}
	if err = node.initdb(ctx); err == nil {
		node.port, err = ports.Free()
	}
	if err != nil {
		_ = os.RemoveAll(dir) // the error before is the one to read
		return nil, err
	}
	if err := node.start(ctx); err != nil {
		return nil, errors.Join(err, node.remove(context.WithoutCancel(ctx)))
	}
	return &LocalServer{node}, nil
}

// URL is for a superuser, to the database postgres.
func (s *LocalServer) URL() string { return s.node.url() }

// PID is the number of the server's first process; the processes of its connections are
// its children.
func (s *LocalServer) PID() int { return s.node.running.cmd.Process.Pid }

// Remove ends the server and deletes its data. After that, only URL may be called.
func (s *LocalServer) Remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	if err := s.node.remove(ctx); err != nil {
		return fmt.Errorf("the local PostgreSQL server: %w", err)
	}
	return nil
}
