package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Close closes the tab and forgets its cookies.
func (t *Tab) Close() { t.cancel() }

// notice keeps the faults of the page, and the transferred answers. The status of an error is
// no fault of the page.
func (t *Tab) notice(event any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" && e.Entry.Source != "network" {
			t.failures = append(t.failures, fmt.Sprintf("%s: %s", e.Entry.Source, e.Entry.Text))
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		t.failures = append(t.failures, text)
	case *page.EventJavascriptDialogOpening:
		t.failures = append(t.failures, "a dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		t.asked = append(t.asked, e.Request.URL)
	case *network.EventResponseReceived:
		t.requests = append(t.requests, Request{ID: string(e.RequestID), URL: e.Response.URL, Status: int(e.Response.Status)})
	case *network.EventLoadingFinished:
		for i := range t.requests {
			if t.requests[i].ID == string(e.RequestID) {
				t.requests[i].Bytes = int64(e.EncodedDataLength)
			}
		}
	}
}

// Failures returns the exceptions, violations of the policy, and other errors so far.
func (t *Tab) Failures() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.failures...)
}

// Requests returns the answers since the last call.
func (t *Tab) Requests() []Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.requests
	t.requests = nil
	return all
}

// Asked returns the addresses that pages asked for since the last call, also those without an
// answer.
func (t *Tab) Asked() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.asked
	t.asked = nil
	return all
}

// Do runs actions, for at most Patience.
func (t *Tab) Do(actions ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(t.ctx, Patience)
	defer cancel()
	return chromedp.Do(ctx, actions...)
}

// Open loads a page.
func (t *Tab) Open(path string) error { return t.Do(chromedp.Navigate(t.base + path)) }

// Leave leaves the page, and empties the cache of the browser.
func (t *Tab) Leave() error {
	if err := t.Do(chromedp.Navigate("about:blank")); err != nil {
		return err
	}
	_, err := chromedp.Call(t.ctx, network.ClearBrowserCache, cdp.Empty{})
	return err
}

// Size sets the size of the window.
func (t *Tab) Size(width, height int64) error {
	return t.Do(chromedp.EmulateViewport(width, height))
}

// Scheme sets the preferred colours: light or dark. It also asks for no motion: a colour
// that is still on its way from one scheme to the other belongs to neither.
func (t *Tab) Scheme(name string) error {
	_, err := chromedp.Call(t.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	return err
}

// WithoutScripts switches JavaScript off for the pages to come.
func (t *Tab) WithoutScripts() error {
	_, err := chromedp.Call(t.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return err
}

// Get evaluates an expression in the page.
func Get[T any](t *Tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(t.ctx, Patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}

// Until waits until an expression is true, also on a page to come.
func (t *Tab) Until(expression string) error {
	var err error
	for began := time.Now(); time.Since(began) < Patience; time.Sleep(20 * time.Millisecond) {
		var ok bool
		if ok, err = Get[bool](t, "!!("+expression+")"); ok && err == nil {
			return nil
		}
	}
	text, _ := Get[string](t, "location.href + '\\n' + document.body.innerText")
	return fmt.Errorf("%s did not become true (%v) at %s", expression, err, text)
}

// Shows waits until the page has a text.
func (t *Tab) Shows(text string) error {
	quoted, err := json.Marshal(text)
	if err != nil {
		return err
	}
	return t.Until("document.readyState === 'complete' && document.body.innerText.includes(" + string(quoted) + ")")
}

// Type writes into a field, in place of its content. It opens what folds the field.
func (t *Tab) Type(selector, text string) error {
	if err := t.Until(fmt.Sprintf("document.querySelector(%q)", selector)); err != nil {
		return err
	}
	if _, err := Get[bool](t, fmt.Sprintf("(() => { const e = document.querySelector(%q); e.closest('details')?.setAttribute('open', ''); e.focus(); e.select(); return true })()", selector)); err != nil {
		return err
	}
	return t.Do(chromedp.KeyEvent(text))
}

// Click clicks on an element.
func (t *Tab) Click(selector string) error { return t.Do(chromedp.Click(chromedp.CSS(selector))) }

// Choose selects an option by its text.
func (t *Tab) Choose(selector, option string) error {
	_, err := Get[bool](t, fmt.Sprintf("(() => { const e = document.querySelector(%q); e.value = [...e.options].find(o => o.text === %q).value; e.dispatchEvent(new Event('input', {bubbles: true})); return true })()", selector, option))
	return err
}

// Press presses keys, such as kb.Tab.
func (t *Tab) Press(keys string) error { return t.Do(chromedp.KeyEvent(keys)) }

// Focused describes the element with the focus, and whether people can see the focus.
type Focused struct {
	Element string
	Visible bool
}

// Next moves the focus by the key Tab.
func (t *Tab) Next() (Focused, error) {
	if err := t.Press(kb.Tab); err != nil {
		return Focused{}, err
	}
	return Get[Focused](t, `(() => {
		const e = document.activeElement, s = getComputedStyle(e), b = e.getBoundingClientRect();
		return {
			Element: e.tagName + " " + (e.getAttribute("name") || e.getAttribute("href") || e.getAttribute("aria-label") || e.textContent.trim().slice(0, 30)),
			Visible: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2 && b.width > 0 && b.bottom > 0 && b.top < innerHeight,
		};
	})()`)
}

// Screenshot writes a picture of the whole page to a file.
func (t *Tab) Screenshot(file string) error { return t.picture(chromedp.FullScreenshot(100), file) }

// View writes a picture of what the window shows to a file.
func (t *Tab) View(file string) error { return t.picture(chromedp.CaptureScreenshot(), file) }

func (t *Tab) picture(take chromedp.Action[[]byte], file string) error {
	ctx, cancel := context.WithTimeout(t.ctx, Patience)
	defer cancel()
	picture, err := chromedp.Run(ctx, take)
	if err != nil {
		return err
	}
	return os.WriteFile(file, picture, 0o644)
}

// Axe runs the checks of accessibility of axe-core from its source, and returns a line for each
// violation: of all rules of WCAG 2.2, levels A and AA, or of those alone that depend on the width
// or the colours. Of elements that look like others, which a CSS selector matches, it checks the
// structure alone; it removes them after that.
func (t *Tab) Axe(source, alike string, structure bool) ([]string, error) {
	ctx, cancel := context.WithTimeout(t.ctx, 4*Patience) // long pages take a while
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: source})
		return err
	})); err != nil {
		return nil, err
	}
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](`(async () => {
		const looks = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"], violations = [];
		const run = async options => violations.push(...(await axe.run({...options, resultTypes: ["violations"]})).violations);
		if (`+strconv.FormatBool(structure)+`) await run({
			runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], rules: Object.fromEntries(looks.map(rule => [rule, {enabled: false}])),
		});
		document.querySelectorAll(`+strconv.Quote(alike)+`).forEach(e => e.remove());
		await run({runOnly: {type: "rule", values: looks}});
		return violations.flatMap(v => v.nodes.map(n => v.id + ": " + v.help + ": " + n.html.slice(0, 200) + " " + n.failureSummary.replace(/\s+/g, " ")));
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i] = strings.TrimSpace(found[i])
	}
	return found, nil
}
