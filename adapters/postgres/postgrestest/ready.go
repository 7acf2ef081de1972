package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// answers returns when the server at url answers, or an error when ctx ends or gone is
// closed before. The error is the server's last.
func answers(ctx context.Context, url string, gone <-chan struct{}) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ask(ctx, url)
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

// ask connects and asks for a row: a proxy in front of the server accepts connections
// before the server does.
func ask(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return conn.Ping(ctx)
}
