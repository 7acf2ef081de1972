package postgres

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// connectTimeout is for how long a connection may take to be made, unless
	// the URL says otherwise.
	connectTimeout = 5 * time.Second
	// statements is how many statements stay prepared: more than there are.
	statements = 512
	// grace is the difference between the time limit on this side and the server's. The
	// server's answer is worth waiting for: it settles the outcome of a write.
	grace = 2 * time.Second
)

// bound limits the wait for the answer to one statement, or to several sent together.
func (o Options) bound() time.Duration { return o.Timeout + grace }

// poolConfig returns the settings of the pool. Nothing connects yet.
func (o Options) poolConfig() (*pgxpool.Config, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return nil, unreadable(err)
	}
	o.configure(config.ConnConfig)
	if !o.Pooler {
		o.enterSchema(config.ConnConfig)
		setParameters(config.ConnConfig, map[string]string{
			// The meaning of locks and guards depends on it: see locks.
			"default_transaction_isolation": "read committed",
			// A statement that waits for another one ends a little earlier than a slow
			// one, so the error names the cause.
			"lock_timeout":      strconv.FormatInt(max(1, o.Timeout.Milliseconds()*9/10), 10),
			"statement_timeout": strconv.FormatInt(max(1, o.Timeout.Milliseconds()), 10),
			// Otherwise a server that loses this client within a statement would keep its
			// locks for hours.
			"tcp_keepalives_idle":     "15",
			"tcp_keepalives_interval": "5",
			"tcp_keepalives_count":    "3",
		})
	}
	config.MaxConns = int32(o.Connections)
	config.MinConns = 0
	// A connection is a process of the server, and costs both sides tens of milliseconds of
	// work. One spare keeps a quiet service from waiting for it, and notices a fail-over.
	config.MinIdleConns = 1
	config.MaxConnLifetime = time.Hour
	config.MaxConnLifetimeJitter = 10 * time.Minute
	config.MaxConnIdleTime = 5 * time.Minute
	// The pool tries an idle connection before its use: one to a silently dead server
	// must not use up the time of a call.
	config.PingTimeout = o.AcquireTimeout / 2
	config.HealthCheckPeriod = 5 * time.Second
	return config, nil
}

// configure sets the settings of all connections.
func (o Options) configure(config *pgx.ConnConfig) {
	o.authenticate(config)
	delete(config.RuntimeParams, schemaParameter)
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	dialer := &net.Dialer{
		Timeout:         config.ConnectTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
	}
	config.DialFunc = dialer.DialContext
	dialer.Control = boundSilence
	config.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	config.StatementCacheCapacity, config.DescriptionCacheCapacity = statements, 0
	if o.Pooler {
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
		config.StatementCacheCapacity = 0
	}
	if config.ValidateConnect == nil {
		// A name may lead to another server tomorrow: no decision may come from a mere
		// follower.
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	}
	setParameters(config, map[string]string{"application_name": "problems"}) // poolers know it
}

// authenticate sets the password of a connection, unless the URL has it.
func (o Options) authenticate(config *pgx.ConnConfig) {
	password := o.Password
	if o.CurrentPassword != nil {
		password = o.CurrentPassword()
	}
	if password != "" {
		config.Password = password
	}
}

// setParameters sets parameters of the session, unless the URL does.
func setParameters(config *pgx.ConnConfig, parameters map[string]string) {
	maps.Copy(parameters, config.RuntimeParams)
	config.RuntimeParams = parameters
}

// unreadable returns the error for a URL that pgx cannot use. Its form was checked, so
// pgx can tell a password. But an error that repeats nothing is safer still.
func unreadable(err error) error {
	if failure, ok := errors.AsType[*pgconn.ParseConfigError](err); ok && failure.Unwrap() != nil {
		return fmt.Errorf("postgres: the URL of the database: %w", failure.Unwrap())
	}
	return errors.New("postgres: the URL of the database has an unknown value of a parameter, or not as many ports as hosts")
}
