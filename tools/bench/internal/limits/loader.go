package limits

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/problemtracking/problems/adapters/postgres"
)

// loader is a handler that loads, with the adapter's statements, the problem with the
// number at the end of the path, or else the recorded one.
type loader struct {
	limit
	recorded rawAnswer
	pool     *pgxpool.Pool
	trips    []loaderTrip
	// ending is a trip for the end of the transaction alone. The adapter sends it after
	// its return.
	ending *statement
}

// loaderTrip is one message to the server.
type loaderTrip struct{ statements []loaderStatement }

type loaderStatement struct {
	statement
	args    []any // by place; the problem's number is set for each request
	problem []int // the places where it is
	sets    []rowSet
}

// newLoader checks the handler: its answer about the recorded problem has the same
// length, but for the changes since.
func newLoader(ctx context.Context, l limit) (http.Handler, error) {
	recorded, err := readAnswer(l.Body)
	if err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(l.Database)
	if err != nil {
		return nil, err
	}
	config.MaxConns = postgres.DefaultConnections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	h := &loader{limit: l, recorded: recorded, pool: pool}
	if err := h.try(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return h, nil
}

func (h *loader) try(ctx context.Context) error {
	if err := h.prepare(ctx); err != nil {
		return err
	}
	body, end, err := h.load(ctx, h.recorded.Identifier)
	if err != nil {
		return err
	}
	end()
	if got, want := len(body), len(h.Body); got*10 < want*9 || got*10 > want*11 {
		return fmt.Errorf("the bare handler would answer with %d bytes, where the service has %d", got, want)
	}
	return nil
}

// prepare prepares the statements, and learns their columns.
func (h *loader) prepare(ctx context.Context) error {
	conn, err := h.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	trips := h.Load.Trips
	if n := len(trips); n > 1 && len(trips[n-1].Statements) == 1 && slices.Contains([]string{"ROLLBACK", "COMMIT"}, trips[n-1].Statements[0].SQL) {
		h.ending, trips = &trips[n-1].Statements[0], trips[:n-1]
	}
	for _, t := range trips {
		var made loaderTrip
		for _, s := range t.Statements {
			one := loaderStatement{statement: s, args: make([]any, len(s.Args))}
			for i, a := range s.Args {
				switch {
				case a.Variable == "problem":
					one.problem = append(one.problem, i)
				case a.Variable != "":
					return fmt.Errorf("a load has a variable %q that is not known here", a.Variable)
				case !a.Null:
					if one.args[i], err = decode(conn.Conn().TypeMap(), a.Type, pgtype.TextFormatCode, []byte(a.Value)); err != nil {
						return err
					}
				}
			}
			described, err := conn.Conn().Prepare(ctx, "", s.SQL)
			if err != nil {
				return err
			}
			if one.sets, err = rowSets(ctx, conn.Conn(), s.SQL, described.Fields); err != nil {
				return err
			}
			made.statements = append(made.statements, one)
		}
		h.trips = append(h.trips, made)
	}
	return nil
}

// ServeHTTP implements http.Handler.
func (h *loader) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:], 10, 64)
	if err != nil {
		id = h.recorded.Identifier
	}
	body, end, err := h.load(r.Context(), id)
	if err != nil {
		log.Printf("%s: %v", limitCommand, err)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	go end()
	h.write(w, body)
}

// load returns the JSON of a problem, and the work for afterwards.
func (h *loader) load(ctx context.Context, id int64) (body []byte, end func(), err error) {
	conn, err := h.pool.Acquire(ctx)
	if err != nil {
		return nil, nil, err
	}
	answer := h.recorded
	answer.Identifier = id
	filled := filling{answer: &answer}
	for _, t := range h.trips {
		if err := filled.read(ctx, conn, t, id); err != nil {
			conn.Release()
			return nil, nil, err
		}
	}
	if filled.problems != 1 {
		err = fmt.Errorf("%d problems have the number %d", filled.problems, id)
	} else {
		body, err = marshal(&answer)
	}
	if err != nil {
		conn.Release()
		return nil, nil, err
	}
	return body, func() {
		defer conn.Release()
		if h.ending != nil {
			_, _ = conn.Exec(context.WithoutCancel(ctx), h.ending.SQL) // else the pool closes the connection
		}
	}, nil
}
