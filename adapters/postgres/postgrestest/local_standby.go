package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
)

// standbyName is the application_name of a standby's connection to its primary.
const standbyName = "standby"

// standbyOf prepares a server that follows a running primary once it starts. It reaches
// the primary by the host and port of a URL.
func (l local) standbyOf(ctx context.Context, primary *localNode, by string, settings []string) (*localNode, error) {
	at, err := url.Parse(by)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", localPrefix+thisProcess()+"-")
	if err != nil {
		return nil, err
	}
	n := &localNode{local: l, dir: dir, password: primary.password, settings: settings}
	// The option writes how to reach the primary into the copy.
	err = errors.Join(n.own(dir), n.run(ctx, "pg_basebackup", "--pgdata", n.data(), "--write-recovery-conf", "--wal-method=stream",
		"--checkpoint=fast", "--no-sync", "--dbname", fmt.Sprintf("host=%s port=%s user=postgres sslmode=disable application_name=%s", at.Hostname(), at.Port(), standbyName)))
	if err == nil {
		n.port, err = freePort()
	}
	if err != nil {
		_ = os.RemoveAll(dir) // the error before is the one to read
		return nil, err
	}
	return n, nil
}
