package serve

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/tracker/admin"
)

// opening is the end of the start: the store gets its seed, and the service answers. When
// the store is away, the service answers first, and waits.
type opening struct {
	parts
	api       *endpoint
	endpoints []*endpoint
	works     []func(context.Context) // in the background, from begin on
	ends      []func()                // of the works
	seeder    seeder
	printer   *printer
	waiting   sync.WaitGroup
}

func (p *opening) start(context.Context) error {
	if p.Store.isOpen() {
		b, err := p.seed()
		if err == nil {
			p.answer()
			p.begin(b, listening(p.url()))
			return nil
		}
		if !p.Store.worthWaiting(err) {
			return err
		}
	}
	p.answer()
	p.print(bootstrap{seeded: true}, listening(p.url()))
	p.waiting.Go(func() {
		if err := p.wait(); err != nil && p.Store.ctx.Err() == nil {
			p.Broken.report(err)
		}
	})
	return nil
}

// seed makes the store ready for the first request, unless the clock is unbelievable: waiting
// does not help, because an operator has to decide.
func (p *opening) seed() (bootstrap, error) {
	ctx := p.Store.forSeed()
	if err := p.Service.CheckClock(ctx); err != nil {
		return bootstrap{}, config.ClockRefused(err)
	}
	b, err := p.seeder.seed(ctx, p.Service)
	if err == nil && p.Mail != nil {
		err = p.Mail.Begin(ctx)
	}
	if err == nil && p.Options.AcceptFiles && p.Service.HasFiles() {
		err = p.Service.AcceptFiles(ctx)
	}
	if err == nil {
		p.Store.seeded.Store(true)
	}
	return b, err
}

// wait goes on with the start once the store is there.
func (p *opening) wait() error {
	if !p.Store.isOpen() {
		where := p.Options.Settings.Storage.Store.String()
		if err := p.Store.wait(func(err error) { p.Outages.Waits(p.Options.Now(), where, err) }); err != nil {
			return err
		}
	}
	for {
		b, err := p.seed()
		switch {
		case err == nil:
			p.begin(b)
			return nil
		case !p.Store.worthWaiting(err):
			return err
		}
		if err := p.Store.pause(); err != nil {
			return err
		}
	}
}

// begin prints the lines of the start, after the given ones, and begins the works.
func (p *opening) begin(b bootstrap, lines ...string) {
	p.print(b, append(lines, announcement(p.Options, p.url(), p.page(b), b)...)...)
	for _, work := range p.works {
		p.ends = append(p.ends, background.Run(work))
	}
	go debug.FreeOSMemory() // a start leaves some 4 MB of garbage
}

// answer has all endpoints answer from now on.
func (p *opening) answer() {
	for _, e := range p.endpoints {
		e.serving.Go(func() {
			if err := e.serve(); err != nil {
				p.Broken.report(fmt.Errorf("the service could not go on: %w", err))
			}
		})
	}
	if p.Replies != nil {
		go func() {
			if err := p.Replies.serve(); err != nil {
				p.Broken.report(fmt.Errorf("replies by e-mail could not be taken any more: %w", err))
			}
		}()
	}
}

// page returns the address for a browser. For a new token, it signs its reader in, once.
func (p *opening) page(b bootstrap) string {
	server := p.Options.Settings.Server
	if server.Web == "off" {
		return ""
	}
	page := cmp.Or(server.PublicURL, p.url()) + "/"
	if b.generated == (access.Secret{}) || !p.Options.Hints {
		return page
	}
	code, err := p.Codes.Issue(b.generated, p.Options.Random, p.Options.Now())
	if err != nil { // the form takes the token as well
		return page
	}
	return page + "sign-in?code=" + code
}

func (p *opening) url() string { return p.api.url() + p.Options.Settings.Server.BasePath }

// print prints lines. If nobody takes them, the log has the address, and the command for
// a token. The token itself does not belong in a log.
func (p *opening) print(b bootstrap, lines ...string) {
	err := p.printer.print(lines)
	if err == nil {
		return
	}
	args := []any{"error", err.Error(), "url", p.url()}
	switch {
	case b.generated != access.Secret{}:
		args = append(args, "new_token", newTokenCommand(p.Options, p.url(), admin.Email))
	case !b.seeded:
		args = append(args, "new_token", newTokenCommand(p.Options, p.url(), b.admin))
	}
	p.Logger.Warn("standard output does not take the lines of the start", args...)
}

// stop ends the wait for the store, and then the works.
func (p *opening) stop(context.Context) error {
	p.Store.cancel()
	p.waiting.Wait()
	for _, end := range p.ends {
		end()
	}
	return nil
}
