// Command versitygw is a server with the protocol of S3 for the tests of adapters/s3. It has
// the library of VersityGW, without the tests that its own command contains.
//
// versitygw DIRECTORY ADDRESS CERTIFICATE KEY DOMAIN serves the directories in the directory as
// buckets, in the path and in hosts of the domain, for the user "access" with the secret "secret",
// until it is told to end.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "versitygw:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 5 {
		return fmt.Errorf("needs DIRECTORY ADDRESS CERTIFICATE KEY DOMAIN")
	}
	buckets, sidecar := filepath.Join(args[0], "buckets"), filepath.Join(args[0], "metadata")
	for _, folder := range []string{buckets, sidecar} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	metadata, err := meta.NewSideCar(sidecar)
	if err != nil {
		return err
	}
	backend, err := posix.New(buckets, metadata, posix.PosixOpts{SideCarDir: sidecar})
	if err != nil {
		return err
	}
	return embedgw.RunVersityGW(ctx, backend, &embedgw.Config{
		RootUserAccess: "access", RootUserSecret: "secret", Ports: []string{args[1]}, CertFile: args[2], KeyFile: args[3], VirtualDomain: args[4],
		MaxConnections: 1000, MaxRequests: 1000, MultipartMaxParts: 10_000, Quiet: true, KeepAlive: true,
	})
}
