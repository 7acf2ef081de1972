package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// LocalServer is a server of this machine's own binaries, for a program that is no
// test: one that measures. On Linux it ends with the program, also when that is
// killed. Its methods are to be called one after the other.
type LocalServer struct{ node *localNode }

// StartLocal starts a server with these settings of postgresql.conf, each as
// name=value, on top of PostgreSQL's own defaults: above all, it syncs what it
// commits. Its data are in dir, which must not exist yet; whom root runs it as has to
// get there. It returns when the server answers, and fails with ErrNoBinaries where
// there is none.
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
	node, err := binaries.nodeIn(ctx, dir, settings)
	if err != nil {
		return nil, err
	}
	if err := node.start(ctx); err != nil {
		return nil, errors.Join(err, node.remove(context.WithoutCancel(ctx)))
	}
	return &LocalServer{node}, nil
}

// URL is for a superuser, to the database postgres.
func (s *LocalServer) URL() string { return s.node.url() }

// PID is the number of the server's first process; those of its connections are
// children of it.
func (s *LocalServer) PID() int { return s.node.running.cmd.Process.Pid }

// Remove ends the server and deletes its data. After that, only URL is to be called.
func (s *LocalServer) Remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	if err := s.node.remove(ctx); err != nil {
		return fmt.Errorf("the local PostgreSQL server: %w", err)
	}
	return nil
}
