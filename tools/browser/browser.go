// Package browser drives a Chromium without a window, for tests of the pages and for
// pictures of them.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// Patience is how long one step may take.
const Patience = time.Minute

// Browser is a running Chromium.
type Browser struct {
	ctx    context.Context
	cancel []context.CancelFunc
}

// shell is Chromium without all that is around a page. It does the same in half the time.
const shell = "chromium-headless-shell"

// programs are the names of Chromium.
var programs = []string{"chromium", "chromium-browser", "google-chrome"}

// Start starts a browser: the headless shell of Chromium, or else Chromium. Names such as
// tracker.example lead to this machine. It fails with a sentence when there is neither.
func Start(ctx context.Context) (*Browser, error) {
	return start(ctx, append([]string{shell}, programs...))
}

// StartWhole starts Chromium as people have it, for what depends on more than the page:
// going back, and questions before leaving.
func StartWhole(ctx context.Context) (*Browser, error) { return start(ctx, programs) }

func start(ctx context.Context, names []string) (*Browser, error) {
	program := ""
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		return nil, errors.New(`this needs Chromium: "make deps" installs it on Debian as root; elsewhere install it so that "chromium" is in the PATH`)
	}
	b := &Browser{}
	allocator, cancel := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("host-resolver-rules", "MAP *.example 127.0.0.1"), chromedp.Flag("lang", "en"))...)
	b.cancel = append(b.cancel, cancel)
	b.ctx, cancel = chromedp.NewContext(allocator, quiet)
	b.cancel = append(b.cancel, cancel)
	if err := chromedp.Do(b.ctx); err != nil {
		b.Close()
		return nil, fmt.Errorf("start Chromium: %w", err)
	}
	return b, nil
}

// quiet keeps events unknown to the library out of the output.
var quiet = chromedp.WithErrorf(func(string, ...any) {})

// Close ends the browser.
func (b *Browser) Close() {
	for i := len(b.cancel) - 1; i >= 0; i-- {
		b.cancel[i]()
	}
}

// Tab is a window with cookies of its own.
type Tab struct {
	base   string
	ctx    context.Context
	cancel context.CancelFunc

	mu       sync.Mutex
	failures []string
	requests []Request
	asked    []string
}

// Request is an answer to the tab.
type Request struct {
	ID     string
	URL    string
	Status int
	Bytes  int64 // as they were transferred
}

// Tab opens a tab for the pages below a base URL.
func (b *Browser) Tab(base string) (*Tab, error) {
	t := &Tab{base: base}
	t.ctx, t.cancel = chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	if err := chromedp.Listen(t.ctx, t.notice); err != nil {
		t.cancel()
		return nil, err
	}
	for _, enable := range []func(context.Context) error{
		func(ctx context.Context) error {
			_, err := chromedp.Call(ctx, log.Enable, cdp.Empty{})
			return err
		},
		func(ctx context.Context) error {
			_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
			return err
		},
	} {
		if err := enable(t.ctx); err != nil {
			t.cancel()
			return nil, err
		}
	}
	return t, nil
}
