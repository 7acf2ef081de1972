package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// awaitAnswer waits until the server at url answers. It fails when gone is closed before, or
// when ctx ends: then it wraps the error of the last attempt.
func awaitAnswer(ctx context.Context, url string, gone <-chan struct{}) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ping(ctx, url)
		if err == nil {
			return nil
		}
		select {
		case <-gone:
			return errors.New("it ended")
		case <-ctx.Done():
			return fmt.Errorf("it did not answer in time: %w", err)
		case <-tick.C:
		}
	}
}

// ping connects and runs an empty statement. A connection alone proves little: a proxy in
// front of the server accepts connections before the server does.
func ping(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return conn.Ping(ctx)
}
