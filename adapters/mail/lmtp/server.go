// Package lmtp takes replies to the mails of the service from a mail server, by LMTP (RFC
// 2033), and makes comments and attachments of them.
package lmtp

import (
	"context"
	"errors"
	"log"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/tracker"
)

// Bounds of the conversations with mail servers.
const (
	// MostBytes is the largest mail, with its files.
	MostBytes = 32 << 20
	// mostConnections is the most connections at a time.
	mostConnections = 32
	mostRecipients  = 100
	mostLine        = 1 << 20 // bytes
	// step bounds each command, and a mail as a whole.
	step = time.Minute
	// calls bounds the work for one recipient.
	calls = 30 * time.Second
)

// Service takes replies.
type Service interface {
	// CheckReply fails with fault.NotFound unless a token is from a mail of the service.
	CheckReply(token string) error
	// Reply makes a comment and attachments of a reply, once for each Message.
	Reply(ctx context.Context, r tracker.Reply) (tracker.Replied, error)
}

// Options are the needs of a Server. All but Step have to be given.
type Options struct {
	Service Service
	// Host is the name of the service in its greeting.
	Host string
	// CommentBytes is the size of the largest comment.
	CommentBytes int
	// Memory bounds the large texts and the files of mails, beside the requests of others.
	Memory *budget.Budget
	// Observe is told the outcome for each recipient.
	Observe func(Outcome)
	// Logger gets a line for each reply, and ErrorLog the errors of connections.
	Logger   *slog.Logger
	ErrorLog *log.Logger
	Now      func() time.Time
	// Step is for tests. 0: a minute.
	Step time.Duration
}

// Server answers mail servers. Its methods may be called from many goroutines.
type Server struct {
	Options
	smtp        *smtp.Server
	connections *connections
	paces       paces

	working context.Context // ends when Drain gives up
	stop    context.CancelFunc
	serving sync.WaitGroup
}

// New returns a Server.
func New(o Options) *Server {
	if o.Step == 0 {
		o.Step = step
	}
	s := &Server{Options: o, connections: newConnections(mostConnections, o.Now)}
	s.working, s.stop = context.WithCancel(context.Background())
	s.smtp = smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &session{server: s, connection: c.Conn()}, nil
	}))
	s.smtp.LMTP = true
	s.smtp.Domain = o.Host
	s.smtp.EnableSMTPUTF8 = true
	s.smtp.MaxMessageBytes, s.smtp.MaxRecipients, s.smtp.MaxLineLength = MostBytes, mostRecipients, mostLine
	s.smtp.ReadTimeout, s.smtp.WriteTimeout = o.Step, o.Step
	s.smtp.ErrorLog = o.ErrorLog
	return s
}

// Serve answers the connections of a listener until Drain is called.
func (s *Server) Serve(l net.Listener) error {
	s.serving.Add(1)
	defer s.serving.Done()
	if err := s.smtp.Serve(s.connections.limit(l)); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// Drain closes the listener, and lets the mails under way end. It returns ctx's error
// after it has cut off those that took longer: their mail servers send them again.
func (s *Server) Drain(ctx context.Context) error {
	s.connections.close()
	s.serving.Wait() // the connections accepted until now are known
	err := s.smtp.Shutdown(ctx)
	s.stop()
	if err != nil && ctx.Err() != nil {
		s.connections.cut()
		return err
	}
	return nil
}
