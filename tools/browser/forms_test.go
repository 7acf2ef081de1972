package browser

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// After signing out, "back" shows nothing of the pages before: somebody else may sit at
// the browser by then.
func TestBackAfterSignOut(t *testing.T) {
	t.Parallel()
	s := openWhole(t, "memory:")
	s.api("POST", "/problems", map[string]any{"title": "The safe is open"})
	for name, scripts := range map[string]bool{"with scripts": true, "without": false} {
		p := s.person()
		if !scripts {
			p.must(p.WithoutScripts())
		}
		p.must(p.Open("/"), p.Type("input[name=token]", s.token), p.Click("main button"), p.Shows("The safe is open"))
		p.must(p.Open("/problems/1"), p.Shows("New comment"))
		p.must(p.Click(`form[action="/sign-out"] button`), p.Shows("Token"))
		p.must(p.Do(chromedp.NavigateBack()), p.Until(`location.search === "?to=%2Fproblems%2F1"`), p.Shows("Paste your token once"))
		if text, err := Get[string](p.Tab, "document.body.innerText"); err != nil || strings.Contains(text, "The safe") {
			t.Errorf("%s: the page shows %q (%v)", name, text, err)
		}
	}
}

// A refused form shows the text again, asks before a reload, and goes through when it is
// mended. A text beyond all limits stays where it was typed. The page with both versions of a
// problem asks before a reload, too.
func TestRefusedForm(t *testing.T) {
	t.Parallel()
	s := openWhole(t, "memory:", "PROBLEMS_MAX_BODY=16KiB")
	s.api("POST", "/problems", map[string]any{"title": "The safe is open"})
	p := s.signedIn(s.token)
	p.must(p.Open("/problems/1"), write(p, `"The bell " + "x".repeat(20000)`), p.Click("#send"), p.Shows("This is too long"))
	p.inBothForms(func(width int64, scheme string) { p.fits("a refused comment", width, scheme) })
	answer := p.answers(false)
	reload := func(text string, questions int) { // it asks before the input is lost
		t.Helper()
		answer.Store(false)
		p.must(p.Do(chromedp.Evaluate[chromedp.Void]("void setTimeout(() => location.reload())")), settled(), p.Shows(text))
		if len(p.Failures()) != questions {
			t.Errorf("the questions are %q, want %d", p.Failures(), questions)
		}
		answer.Store(true)
	}
	reload("This is too long", 1)
	p.must(write(p, `document.querySelector("textarea[name=comment]").value.slice(0, 8) + " rings"`),
		p.Click("main form button"), p.Shows("The bell rings"))
	p.must(p.Open("/problems/1"), write(p, `"x".repeat(200000)`), p.Click("#send"), p.Shows("still here"))
	if n, err := Get[int](p.Tab, `document.querySelector("textarea[name=comment]").value.length`); err != nil || n != 200_000 {
		t.Errorf("%d characters are left (%v)", n, err)
	}
	p.must(p.Open("/problems/1"), p.Type("input[name=title]", "The safe is shut"))
	asked := len(p.Failures())
	s.api("PATCH", "/problems/1", map[string]any{"title": "The safe is empty"})
	p.must(p.Click(".edit button"), p.Shows("Somebody changed this problem meanwhile"))
	reload("Somebody changed this problem meanwhile", asked+1)
}

// The pages that answer forms have no violation either: both versions of a problem, the
// preview of a bulk edit and its end, and a new token.
func TestPagesAfterForms(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	team(s)
	p := s.signedIn(s.token)
	fits := func(page string) {
		p.inBothForms(func(width int64, scheme string) { p.fits(page, width, scheme) })
	}
	p.must(p.Size(1280, 900), p.Open("/problems/1"), p.Type("input[name=title]", "The lamp is dark"))
	s.api("PATCH", "/problems/1", map[string]any{"title": "The lamp is broken", "priority": map[string]any{"name": "High"}})
	p.must(p.Click(".edit button"), p.Shows("Somebody changed this problem meanwhile"))
	fits("two versions")
	p.must(p.Size(1280, 900), p.Click("main form button"), p.Shows("#1"), p.Until("document.querySelector('h1').innerText === 'The lamp is dark'"))
	p.must(p.Open("/problems/bulk?problem=1&problem=2"), p.Choose("select[name=priority]", "Low"), p.Click("main button.primary"), p.Shows("Change 2 problems"))
	fits("the preview of a bulk edit")
	p.must(p.Size(1280, 900), p.Click("main button.primary"), p.Shows("2 problems were changed"))
	fits("the end of a bulk edit")
	p.must(p.Size(1280, 900), p.Open("/administration/tokens"), p.Choose("select[name=user]", "Maximilian Musterfrau"), p.Click("main button.primary"), p.Shows("This is the new token"))
	fits("a new token")
}

// Text that nobody has sent stays: at links within the page, and at "back" if the person says so.
func TestUnsentText(t *testing.T) {
	t.Parallel()
	s := openWhole(t, "memory:")
	s.api("POST", "/problems", map[string]any{"title": "The safe is open"})
	p := s.signedIn(s.token)
	leave := p.answers(false)
	back := func() error { return p.Do(chromedp.Evaluate[chromedp.Void]("void setTimeout(() => history.back())")) }
	kept := func(after string) {
		t.Helper()
		if text, err := Get[string](p.Tab, "document.querySelector('textarea[name=comment]')?.value"); err != nil || text != "The bell rings" {
			t.Fatalf("%s, the text is %q (%v)", after, text, err)
		}
	}
	p.must(p.Size(360, 800), p.Open("/problems"), p.Click(`a[href="/problems/1"]`), p.Shows("New comment"), p.Type("textarea[name=comment]", "The bell rings"))
	p.must(p.Click(`.timeline a[href^="#log"]`), p.Until(`location.hash.startsWith("#log")`), settled())
	kept("after a link within the page")
	p.must(back(), p.Until(`location.hash === ""`), settled())
	kept("after the way back from the link")
	p.must(back(), settled(), p.Until(`location.pathname === "/problems/1"`))
	kept(`after "back" and "stay"`)
	if len(p.Failures()) != 1 {
		t.Errorf("the questions are %q, want one", p.Failures())
	}
	leave.Store(true)
	p.must(back(), p.Until(`location.pathname === "/problems"`), p.Shows("The safe is open"))
}

// A form leaves what is typed in the other forms of its page, also when it is refused first.
func TestOtherFormsAreLeft(t *testing.T) {
	t.Parallel()
	s := openWhole(t, "memory:")
	s.api("POST", "/problems", map[string]any{"title": "The safe is open"})
	s.api("POST", "/problems", map[string]any{"title": "The key is lost"})
	p := s.signedIn(s.token)
	value := func(selector, want string) error {
		return p.Until(fmt.Sprintf("document.querySelector(%q).checkVisibility() && document.querySelector(%q).value === %q", selector, selector, want))
	}
	const title, text, keyword, other = "input[name=title]", "textarea[name=comment]", "#keywords details input[name=name]", "#relationships details input[name=problem]"
	p.must(p.Open("/problems/1"), p.Type(text, "The bell rings"), p.Type(title, "The safe is empty"))
	p.must(p.Click("#keywords summary"), p.Type(keyword, "floor"), p.Click("#keywords details button"), p.Shows("The safe is open"), p.Until(`document.querySelector("#keywords li")`))
	p.must(value(text, "The bell rings"), value(title, "The safe is empty"))
	p.must(p.Click("#keywords summary"), p.Type(keyword, "room"))
	p.must(p.Click("#relationships summary"), p.Type(other, "77"), p.Click("#relationships details button"), p.Shows("Send again"))
	p.must(p.Type("main input[name=problem]", "2"), p.Click("main form button"), p.Shows("#2 The key is lost"))
	p.must(value(text, "The bell rings"), value(title, "The safe is empty"), value(keyword, "room"))
	p.must(p.Click("#send"), p.Until(`document.querySelector(".timeline .text")?.innerText === "The bell rings"`), value(text, ""))
	p.must(value(keyword, "room"), p.Until(`document.querySelector("h1").innerText === "The safe is empty"`))
	p.must(value(keyword, "room"), p.Click("#watch"), p.Shows("Stop watching"), value(keyword, "room"))
	p.clean()
}

// answers gives this answer to the questions of the browser: whether to leave the page.
func (p *person) answers(leave bool) *atomic.Bool {
	p.Helper()
	var answer atomic.Bool
	answer.Store(leave)
	p.must(chromedp.Listen(p.ctx, func(event any) {
		if _, ok := event.(*page.EventJavascriptDialogOpening); ok {
			go chromedp.Call(p.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: answer.Load()})
		}
	}))
	return &answer
}

// settled waits for a page that should not come.
func settled() error { time.Sleep(500 * time.Millisecond); return nil }

// write sets the text of the new comment, by an expression.
func write(p *person, expression string) error {
	_, err := Get[bool](p.Tab, `(() => { document.querySelector("textarea[name=comment]").value = `+expression+`; return true })()`)
	return err
}

// While a form is on its way, the stream of changes does not show its effect: whoever sees
// it would leave, and be asked about the text that is still in the form.
func TestOwnChangeArrivesWithItsAnswer(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	s.api("POST", "/problems", map[string]any{"title": "The lamp is dark"})
	bob := s.signedIn(s.member("Bob"))
	bob.must(bob.Open("/problems/1"), bob.Shows("New comment"))
	late, err := Get[bool](bob.Tab, `(() => {
		const open = XMLHttpRequest.prototype.open;
		XMLHttpRequest.prototype.open = function(method, url) {
			if (method === "POST") Object.defineProperty(this, "onload", {set(f) { this.addEventListener("load", () => setTimeout(() => f.call(this), 2000)); }});
			open.call(this, method, url);
		};
		return true;
	})()`)
	if err != nil || !late {
		t.Fatalf("the answers to forms are not late: %v", err)
	}
	bob.must(bob.Type("textarea[name=comment]", "It was the fuse."), bob.Click("#send"), bob.Shows("It was the fuse."))
	if text, err := Get[string](bob.Tab, "document.querySelector('textarea[name=comment]').value"); err != nil || text != "" {
		t.Errorf("the comment is shown while %q is in the form (%v)", text, err)
	}
	bob.must(bob.Open("/problems"))
	bob.clean()
}

// Who opens a problem has read it, once: the mark can be taken away again.
func TestOpeningMarksRead(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	s.api("POST", "/problems", map[string]any{"title": "The lamp is dark"})
	bob := s.signedIn(s.member("Bob"))
	bob.must(bob.Open("/problems"), bob.Shows("unread"), bob.Open("/problems/1"), bob.Click(".sub summary"), bob.Shows("Mark as unread"))
	bob.must(bob.Click("#mark"), bob.Until(`document.querySelector("#mark")?.textContent.includes("Mark as read")`), bob.Open("/problems"), bob.Shows("unread"))
	bob.clean()
}
