package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/app/internal/everyday"
	"github.com/problemtracking/problems/app/internal/feed"
)

type eventsCommand struct {
	everyday.Account

	Follow    bool   `short:"f" help:"Go on with new events, also after a lost connection or a restart of the server."`
	Limit     int    `placeholder:"N" help:"End after this many events. With --follow and --after=now, 1 waits for the next event. Default: no limit."`
	After     string `placeholder:"EVENT" help:"Start behind the event with this identifier. With now, start behind the newest event. Default: at the oldest event."`
	Predicate string `placeholder:"PREDICATE" help:"Print the events of problems with a true predicate at the time of reading, such as \"assignee = $ApiUser\"."`
	Problem   int64  `placeholder:"N" help:"Print the events of this problem."`
	State     string `placeholder:"FILE" help:"Keep the position in this file, and go on from there at the next start. --after counts only without a position in the file. Each reader needs a file of its own."`
	IfGone    string `default:"fail" enum:"fail,oldest,now" placeholder:"WHAT" help:"Reaction to a lost position: fail, or go on from the oldest event or from now. Default: ${default}."`
}

// Help is shown by kong.
func (eventsCommand) Help() string {
	return `Each event is a line of JSON on standard output, as in the API. A token of scope admin gets the events of metadata, users and tokens, too. With --state, the command prints an event before the file has its position. After a crash, the last events come again, with the same identifiers. A second command with the same file is refused; the lock is a file beside it.

Examples:

    export PROBLEMS_TOKEN=pts_…
    problems events | jq -r '[.timestamp, .type, .problem.title] | @tsv'
    problems events --follow --after now --predicate "priority.name = 'High'"
    problems events --follow --state events.position | ./consumer
    problems events --follow --after now --problem 7 --limit 1 && echo "Something has happened to problem 7."`
}

// AfterApply is called by kong once all flags are set.
func (c *eventsCommand) AfterApply() error {
	if c.Problem < 0 {
		return errors.New("--problem has to be the identifier of a problem: a whole number from 1")
	}
	if c.Limit < 0 {
		return errors.New("--limit has to be a number of events: a whole number from 1")
	}
	return nil
}

// Run is called by kong.
func (c *eventsCommand) Run(ctx context.Context, p Process) error {
	server, err := c.Open(p.Getenv)
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }() // every answer was read as far as anybody wants
	source := client.Feed{
		After: c.After, Predicate: c.Predicate, Problem: c.Problem, Gone: client.Gone(c.IfGone),
		Report: func(sentence string) { p.complain("problems: " + sentence + "\n") },
	}
	var state *feed.State
	if c.State != "" {
		var position string
		if state, position, err = feed.OpenState(c.State); err != nil {
			return err
		}
		defer func() { _ = state.Close() }() // the end of the process would do so as well
		if position != "" {
			source.After = position
		}
	}
	read := server.Events
	if c.Follow {
		read = server.Follow
	}
	err = c.print(ctx, p, read(ctx, source), state)
	switch {
	case c.Follow && ctx.Err() != nil && errors.Is(err, errUnread):
		err = nil // nobody wants more
	case errors.Is(err, client.ErrGone):
		err = fmt.Errorf("%w. Load the problems again, and go on with --if-gone=now; or read what is left with --if-gone=oldest", err)
	}
	return err
}

// print prints events up to the limit, and keeps the position behind them.
func (c *eventsCommand) print(ctx context.Context, p Process, batches iter.Seq2[client.Batch, error], state *feed.State) error {
	left := c.Limit
	for batch, err := range batches {
		if err != nil {
			return err
		}
		last := c.Limit > 0 && len(batch.Events) >= left
		if last {
			batch.Events = batch.Events[:left]
			batch.Position = batch.Events[left-1].Identifier
		}
		left -= len(batch.Events)
		var lines []byte
		for _, e := range batch.Events {
			lines = append(append(lines, e.JSON...), '\n')
		}
		if err := writeUntil(ctx, p.Stdout, lines); err != nil {
			return err
		}
		if state != nil {
			if err := state.Save(batch.Position); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
	}
	return nil
}

// lastWrite is how long a write may go on after the end of the context.
const lastWrite = time.Second

var errUnread = errors.New("interrupted: nobody reads the output")

// writeUntil writes everything, or gives up some time after the end of ctx: a stopped
// reader would hold the program forever.
func writeUntil(ctx context.Context, w io.Writer, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	written := make(chan error, 1)
	go func() {
		_, err := w.Write(b)
		written <- err
	}()
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-written:
		return err
	case <-time.After(lastWrite):
		return errUnread
	}
}
