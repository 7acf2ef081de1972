// Containers runs PostgreSQL servers in Docker containers for package postgrestest.
// It is a program in a module of its own: so no user of the PostgreSQL adapter inherits
// the libraries for containers.
//
// It serves net/rpc on standard input and output, and ends with its input. Then it
// removes its containers, so none outlives a killed test process.
package main

import (
	"context"
	"io"
	"log"
	"net/rpc"
	"os"
	"os/signal"
	"syscall"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/internal/protocol"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("containers: ")
	// Ctrl+C reaches the test process too. Its end is the end of the input.
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.Background())
	service := &Service{ctx: ctx, containers: map[string]*postgresContainer{}}
	server := rpc.NewServer()
	if err := server.RegisterName(protocol.Service, service); err != nil {
		log.Fatal(err)
	}
	server.ServeConn(connection{os.Stdin, os.Stdout, cancel})
	removing, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := service.removeAll(removing); err != nil {
		log.Fatal(err)
	}
}

// connection cancels the calls under way when the input ends: ServeConn waits for
// them.
type connection struct {
	io.Reader
	io.WriteCloser
	cancel context.CancelFunc
}

func (c connection) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if err != nil {
		c.cancel()
	}
	return n, err
}
