package postgrestest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/ports"
)

// standbyName is the application_name of a standby's connection to its primary.
const standbyName = "standby"

// standbyOf prepares a server that follows a primary, and starts after it. The primary has
// not run yet. The standby begins with a copy of its data, and reaches it by the host and
// port of a URL.
func (l local) standbyOf(ctx context.Context, primary *localNode, by string, settings []string) (*localNode, error) {
	at, err := url.Parse(by)
	if err != nil {
		return nil, err
	}
	dir, err := newDirectory()
	if err != nil {
		return nil, err
	}
	n := &localNode{local: l, dir: dir, password: primary.password, settings: settings}
	if err = n.copyData(ctx, primary, at.Hostname(), at.Port()); err == nil {
		n.port, err = ports.Free()
	}
	if err != nil {
		_ = os.RemoveAll(dir) // the error before is the one to read
		return nil, err
	}
	return n, nil
}

// copyData copies the data of a primary at rest, and says how to reach it.
func (n *localNode) copyData(ctx context.Context, primary *localNode, host, port string) error {
	if err := copyTree(ctx, primary.data(), n.data()); err != nil {
		return err
	}
	follow := fmt.Sprintf("primary_conninfo = 'host=%s port=%s user=postgres password=%s sslmode=disable application_name=%s'\n", host, port, n.password, standbyName)
	paths := []string{n.dir}
	for name, text := range map[string]string{"postgresql.auto.conf": follow, "standby.signal": ""} {
		path := filepath.Join(n.data(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
		paths = append(paths, path)
	}
	return n.own(paths...)
}
