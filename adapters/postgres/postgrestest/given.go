package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// given is the URL of a server under somebody else's control. It cannot be stopped.
type given string

var errGiven = errors.New("the server that " + dsnVariable + " names belongs to somebody else: tests neither configure, stop nor kill it")

func (g given) describe(ctx context.Context) (string, error) {
	conn, err := pgx.Connect(ctx, string(g))
	if err != nil {
		return "", fmt.Errorf("%s: %w", dsnVariable, err) // pgx leaves passwords out
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	config := conn.Config()
	version, _, _ := strings.Cut(conn.PgConn().ParameterStatus("server_version"), " ") // without its packager
	return fmt.Sprintf("server %s:%d, database %s (%s)", config.Host, config.Port, config.Database, version), nil
}

func (g given) node(_ context.Context, settings []string, _ bool) (node, error) {
	if len(settings) > 0 {
		return nil, errGiven
	}
	return g, nil
}

func (g given) url() string                          { return string(g) }
func (g given) start(ctx context.Context) error      { return awaitAnswer(ctx, string(g), nil) }
func (g given) stop(context.Context, stopMode) error { return errGiven }
func (g given) kill(context.Context) error           { return errGiven }
func (g given) pause(context.Context) error          { return errGiven }
func (g given) resume(context.Context) error         { return errGiven }
func (g given) remove(context.Context) error         { return nil }
