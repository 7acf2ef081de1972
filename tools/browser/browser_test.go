package browser

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/ports"
	"github.com/problemtracking/problems/tools/launch"
)

// stores returns the URL of an empty store of each kind, and what stops the database.
func stores(t *testing.T) (stop func(), urls map[string]string) {
	t.Helper()
	database, err := launch.StartDatabase(t.Context(), filepath.Join(folder, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	stop = func() {
		if err := database.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}
	inPostgres, err := database.Create(t.Context(), "browser")
	if err != nil {
		t.Fatal(err)
	}
	return stop, map[string]string{"memory": "memory:", "sqlite": "sqlite:" + filepath.Join(t.TempDir(), "problems.db"), "postgres": inPostgres}
}

// A day of a team, on each store: sign in, create, find, read, comment, relate, look at the
// relationships, move a milestone by a bulk edit, stop watching, see the change of
// somebody else arrive, sign out.
func TestDay(t *testing.T) {
	t.Parallel()
	database, all := stores(t)
	defer database()
	for name, store := range all {
		t.Run(name, func(t *testing.T) {
			opened := open
			if name == "sqlite" {
				opened = openWhole // once as people have it
			}
			s := opened(t, store)
			ann, bob := s.signedIn(s.member("Ann")), s.signedIn(s.member("Bob"))
			day(s, ann, bob)
			// The change of somebody else arrives, and nobody loses what is being typed.
			ann.must(ann.Open("/problems/1"), ann.Shows("The lamp is dark"), ann.Type("textarea[name=comment]", "half a sentence"))
			bob.must(bob.Open("/problems/1"), bob.Type("textarea[name=comment]", "It was the fuse."), bob.Click("#send"), bob.Shows("It was the fuse."))
			ann.must(ann.Shows("It was the fuse."), ann.Until("document.querySelector('textarea[name=comment]').value === 'half a sentence'"))
			// So does a new problem, without moving the list.
			bob.must(bob.Open("/problems?query=all"), bob.Shows("The lamp is dark"))
			s.api("POST", "/problems", map[string]any{"title": "A new one"})
			bob.must(bob.Until("!document.querySelector('.live').hidden"), bob.Click(".live a"), bob.Shows("A new one"))
			bob.must(bob.Click(`form[action="/sign-out"] button`), bob.Shows("Token"))
			bob.must(bob.Open("/problems/1"), bob.Shows("Token"))
			ann.clean()
			bob.clean()
		})
	}
}

// day are the steps of everybody, with scripts or without.
func day(s *scene, ann, bob *person) {
	s.Helper()
	s.api("POST", "/milestones", map[string]any{"name": "Spring"})
	ann.must(ann.Open("/problems/new"), ann.Type("input[name=title]", "The lamp is dark"), ann.Type("textarea[name=comment]", "Since *yesterday*."),
		ann.Choose("select[name=priority]", "High"), ann.Click("main form button"), ann.Shows("Since yesterday."))
	ann.must(ann.Open("/problems/new"), ann.Type("input[name=title]", "The fuse blows"), ann.Click("main form button"), ann.Shows("#2"))
	// Bob finds the problem, reads it, and comments.
	bob.must(bob.Open("/problems"), bob.Type("input[name=title]", "lamp"), bob.Click(".find button"), bob.Until("location.search.includes('lamp')"), bob.Shows("The lamp is dark"),
		bob.Until("document.querySelectorAll('.problems tbody tr').length === 1"), bob.Click(".problems tbody th a"), bob.Shows("New comment"))
	bob.must(bob.Type("textarea[name=comment]", "Is it #2?"), bob.Click("#send"), bob.Shows("Is it #2?"), bob.Until("document.querySelector('a.reference').title === 'The fuse blows'"))
	bob.must(bob.Click("#relationships summary"), bob.Choose("#relationships select", "Caused by"), bob.Type("#relationships input[name=problem]", "fuse"),
		bob.Click("#relationships details button"), bob.Until("document.querySelector('#relationships .links') !== null"), bob.Shows("The fuse blows"))
	bob.must(bob.Open("/problems/1/graph"), bob.Until("document.querySelectorAll('svg rect').length === 2"))
	// Bob watches, and stops it.
	bob.must(bob.Open("/problems/1"), bob.Click(`form[action="/problems/1/watchers"] button`), bob.Shows("Stop watching"), bob.Click(`form[action="/problems/1/watchers/leave"] button`),
		bob.Until("document.querySelector('form[action=\"/problems/1/watchers/leave\"]') === null"), bob.Shows("No longer watching: Bob"))
	// Ann moves both problems to a milestone, after a look at what would change.
	ann.must(ann.Open("/problems?query=all"), ann.Click("input[value='1'][name=problem]"), ann.Click("input[value='2'][name=problem]"), ann.Click("#bulk [name=selected]"), ann.Shows("Change many problems"),
		ann.Choose("select[name=milestone]", "Spring"), ann.Click("main form button"), ann.Shows("2 problems would change"), ann.Click("main .actions button.primary"), ann.Shows("2 problems were changed"))
	// Two people change one field, with a comment and another field beside it: nothing is lost.
	ann.must(ann.Open("/problems/1"), ann.Type("input[name=title]", "The lamp is still dark"), bob.Open("/problems/1"))
	bob.must(bob.Choose("select[name=priority]", "Low"), bob.Type("input[name=title]", "The lamp is dim"), bob.Type("textarea[name=comment]", "Not *quite*."),
		bob.Click("[name=preview][value=yes]"), bob.Shows("Not quite."), bob.Click("[name=preview][value=no]"), bob.Until("!document.querySelector('#edit .text')"), bob.Click("#send"), bob.Shows("Priority: High → Low"), bob.Shows("Title: The lamp is dark → The lamp is dim"))
	ann.must(ann.Click(".edit button"), ann.Shows("Somebody changed this problem meanwhile"), ann.Shows("The lamp is still dark"), ann.Click("main form button"), ann.Shows("Title: The lamp is dim → The lamp is still dark"))
	ann.must(ann.Open("/problems/1/past?revision=1"), ann.Shows("Revision 1 of"), ann.Shows("The lamp is still dark"))
	ann.must(ann.Open("/problems/1"), ann.Type("input[name=title]", "The lamp is dark"), ann.Click(".edit button"), ann.Until("document.querySelector('h1').innerText === 'The lamp is dark'"))
}

// Everything works without JavaScript.
func TestWithoutScripts(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	ann, bob := s.person(), s.person()
	for name, p := range map[string]*person{"Ann": ann, "Bob": bob} {
		p.must(p.WithoutScripts(), p.Open("/"), p.Type("input[name=token]", s.member(name)), p.Click("main button"), p.Shows("All open"))
	}
	day(s, ann, bob)
	bob.must(bob.Click(`form[action="/sign-out"] button`), bob.Shows("Token"))
}

// On a host that is not loopback, and without https, forms work all the same: browsers
// send no Sec-Fetch-Site there, and compare origins more strictly.
func TestPlainHost(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	at, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	s.url = "http://tracker.example:" + at.Port()
	tab, err := shared.Tab(s.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	p := &person{s, tab}
	p.must(p.Open("/"), p.Type("input[name=token]", s.token), p.Click("main button"), p.Shows("All open"))
	p.must(p.Open("/problems/new"), p.Type("input[name=title]", "The lamp is dark"), p.Click("main form button"), p.Shows("#1"))
	p.clean()
}

// tour creates a team's data, and returns the address of each page.
func tour(s *scene) []string {
	s.Helper()
	s.api("POST", "/components", map[string]any{"name": "Server"})
	bob := s.api("POST", "/users", map[string]any{"name": "Bob Smith", "email": "bob@example.org"})["identifier"].(string)
	accounts := s.api("POST", "/components", map[string]any{"name": "Accounts", "parent": map[string]any{"name": "Server"}})["identifier"].(string)
	me := s.api("GET", "/me", nil)["user"].(map[string]any)["identifier"].(string)
	spring := s.api("POST", "/milestones", map[string]any{"name": "Spring"})["identifier"].(string)
	for i := range 50 {
		s.api("POST", "/problems", map[string]any{"title": fmt.Sprintf("Problem %d of a list, with a title of a usual length", i+1), "component": map[string]any{"name": "Accounts"}, "priority": map[string]any{"name": "High"}})
	}
	s.api("PATCH", "/problems/1", map[string]any{"title": strings.Repeat("A title as long as people make them ", 5) + strings.Repeat("x", 120)})
	s.api("PATCH", "/problems/2", map[string]any{"title": "القائمة لا تظهر بعد تحديث الصفحة", "state": map[string]any{"name": "Closed"}})
	s.api("PATCH", "/problems/3", map[string]any{"milestone": map[string]any{"name": "Spring"}})
	comment := s.api("POST", "/problems/1/comments", map[string]any{"text": "# A title\n\n- one\n- two, see #2\n\n```\ncode\n```\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nhttps://example.org/"})["identifier"]
	s.api("PUT", "/problems/1/keywords/customer", "ACME")
	many := []map[string]any{{"name": strings.Repeat("x", 255)}, {"name": "القائمة", "value": "بعد تحديث الصفحة"}, {"name": "log", "value": strings.Repeat("y", 2000)}}
	for i := range 497 {
		many = append(many, map[string]any{"name": fmt.Sprintf("customer-%d", i), "value": "ACME of a usual length"})
	}
	manyKeywords := s.api("POST", "/problems", map[string]any{"title": "500 keywords", "keywords": many})["identifier"]
	s.api("PUT", "/problems/1/relationships", map[string]any{"type": "BlockedBy", "problemIdentifier": 2})
	s.api("PUT", "/problems/1/relationships", map[string]any{"type": "ParentOf", "problemIdentifier": 3})
	s.api("PUT", "/problems/1/watchers", map[string]any{"email": "admin@localhost"})
	s.api("POST", "/queries", map[string]any{"name": "Mine " + strings.Repeat("x", 200), "predicate": "assignee.identifier = $ApiUser", "sort": "-modificationDate"})
	hook := s.api("POST", "/webhooks", map[string]any{"url": "https://hooks.example.org/" + strings.Repeat("x", 200), "predicate": "priority.name = 'High'"})["identifier"].(string)
	return []string{
		"/problems?query=all", "/problems/1", "/problems/new", "/problems/1/graph", "/problems/1/past?revision=2", "/milestones/" + spring, "/problems/bulk?problem=1&problem=2",
		"/problems?predicate=" + url.QueryEscape("titel = 'x'"), "/problems?query=mine", "/problems/board", "/changes", "/people", "/keys", "/settings", "/nowhere", "/problems/999",
		"/administration/states", "/administration/components", "/administration/milestones", "/administration/users", "/administration/tokens", "/administration/audit", "/sign-in?code=x",
		"/administration/priorities", "/administration/components/" + accounts, "/administration/users/" + me, "/administration/users/" + bob + "/erasure",
		"/problems/1/redaction", fmt.Sprintf("/problems/1/comments/%v/redaction", comment),
		"/administration/queries", "/administration/sessions", "/administration/webhooks", "/administration/webhooks/" + hook, "/administration/webhooks/" + hook + "/delete",
		fmt.Sprintf("/problems/%v", manyKeywords), fmt.Sprintf("/problems/%v/past?revision=1", manyKeywords),
		"/docs", "/docs/predicates", "/errors", "/errors/stale-revision",
	}
}

// alike are the elements that look like others of their page: of a table, the first and the last
// rows stay, which have the longest texts.
const alike = ".operation ~ .operation, .schema ~ .schema, .problems tbody tr:nth-child(n+5):nth-last-child(n+5)"

// Each page has no violation of WCAG 2.2 AA and none of the policy, wide and light, and narrow
// and dark. It needs no scrolling sideways at 320 pixels, in the language with the longest words.
func TestPages(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	pages := tour(s)
	for some := range slices.Chunk(pages, len(pages)/2+1) {
		t.Run(some[0], func(t *testing.T) {
			t.Parallel()
			own := *s
			own.TB = t
			own.signedIn(s.token).examine(some)
		})
	}
}

// So have the pages for people who are not signed in, with a provider of OpenID Connect that
// does not answer.
func TestPagesOfStrangers(t *testing.T) {
	t.Parallel()
	address, err := ports.Address() // a sign-in begins at the public one
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, "memory:", "PROBLEMS_LISTEN="+address, "PROBLEMS_PUBLIC_URL=http://"+address, "PROBLEMS_OIDC_ISSUER=http://127.0.0.1:1", "PROBLEMS_OIDC_CLIENT_ID=problems",
		"PROBLEMS_OIDC_CLIENT_SECRET=secret", "PROBLEMS_OIDC_NAME=Example")
	p := s.person()
	p.must(p.Open("/sign-in"), p.Shows("Sign in with Example"), p.Open("/sign-in/openid"), p.Shows("Example cannot be reached"), p.Open("/sign-out"), p.Shows("You are signed out"))
	p.examine([]string{"/sign-in", "/sign-in/openid", "/sign-in?code=x", "/sign-out", "/unsubscribe?token=x"})
}

// A person chooses the language at the foot of a page or in the settings, with scripts and
// without.
func TestLanguage(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	s.api("POST", "/problems", map[string]any{"title": "The lamp is dark"})
	for _, scripts := range []bool{true, false} {
		p := s.person()
		if !scripts {
			p.must(p.WithoutScripts())
		}
		in := func(tag string) error { return p.Until("document.documentElement.lang === '" + tag + "'") }
		p.must(p.Open("/sign-in"), in("en"), p.Click("button[lang=de]"), in("de"), p.Type("input[name=token]", s.token), p.Click("main button"), p.Shows("Alle offenen"))
		p.must(p.Open("/problems/1?x=1"), in("de"), p.Click("button[lang=en]"), in("en"), p.Until("location.pathname === '/problems/1'"))
		const save = "form[action$=preferences] button"
		p.must(p.Open("/settings"), p.Choose("select[name=lang]", "Deutsch"), p.Click(save), in("de"), p.Until("document.querySelector('select[name=lang]').value === 'de'"))
		p.must(p.Choose("select[name=lang]", "Wie der Browser es wünscht"), p.Click(save), in("en"))
		p.clean()
	}
}

// examine checks pages in both forms, and in a language for each.
func (p *person) examine(pages []string) {
	p.TB.Helper()
	p.inBothForms(func(width int64, scheme string) {
		if scheme == "dark" {
			p.must(p.Open(pages[0]), p.Click("button[lang=de]"), p.Until("document.documentElement.lang === 'de'"))
		}
		for _, at := range pages {
			p.must(p.Open(at), p.Until("document.readyState === 'complete'"))
			p.clean()
			p.fits(at, width, scheme)
		}
	})
}

// wide are the elements that make a page wider than its window.
const wide = `document.documentElement.scrollWidth <= innerWidth ? "" : [...document.querySelectorAll("main *, header *, footer *")].filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.outerHTML.slice(0, 80)).slice(0, 5).join(" ") || "something"`

// inBothForms makes the page wide and light, then narrow and dark, and checks each. No rule of
// the style is for a width in one scheme alone: the two other forms would show nothing new. The
// structure is the same: rules for it are checked once.
func (p *person) inBothForms(check func(width int64, scheme string)) {
	p.TB.Helper()
	p.must(p.Size(1280, 900), p.Scheme("light"))
	check(1280, "light")
	p.must(p.Size(320, 900), p.Scheme("dark"))
	check(320, "dark")
}

// fits checks the shown page, the one at an address: its width, and that it has no violation.
func (p *person) fits(at string, width int64, scheme string) {
	t := p.TB
	t.Helper()
	source, err := checks()
	if err != nil {
		t.Fatal(err)
	}
	if wide, err := Get[string](p.Tab, wide); err != nil || wide != "" {
		t.Errorf("%s is too wide for %d pixels: %s (%v)", at, width, wide, err)
	}
	violations, err := p.Axe(source, alike, scheme == "light")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range violations {
		t.Errorf("%s at %d, %s: %s", at, width, scheme, v)
	}
}

// A page of an empty profile takes at most 5 requests and 50 KB.
func TestWeight(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	for _, at := range tour(s)[:2] {
		p := s.signedIn(s.token)
		p.must(p.Leave())
		if len(p.Requests()) == 0 {
			t.Fatal("no request is seen")
		}
		p.must(p.Open(at), p.Until("document.readyState === 'complete'"), p.Leave())
		all := p.Requests()
		var total int64
		var pages int
		for _, r := range all {
			if strings.Contains(r.URL, "/live") || r.Bytes == 0 {
				continue // a stream without an end, or kept by the browser
			}
			pages++
			total += r.Bytes
		}
		if pages < 3 || pages > 5 || total < 5_000 || total > 50_000 {
			t.Errorf("%s takes %d requests and %d bytes: %+v", at, pages, total, all)
		}
	}
}

// The whole list can be used by keyboard alone, and the focus is always to be seen.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	s.api("POST", "/problems", map[string]any{"title": "The lamp is dark"})
	p := s.signedIn(s.token)
	p.must(p.Size(1280, 900), p.Open("/problems"), p.Shows("The lamp is dark"))
	reached := false
	for i := 0; i < 60 && !reached; i++ {
		focused, err := p.Next()
		if err != nil {
			t.Fatal(err)
		}
		if !focused.Visible && !strings.HasPrefix(focused.Element, "BODY") {
			t.Errorf("the focus on %q is not to be seen", focused.Element)
		}
		reached = focused.Element == "A /problems/1"
	}
	if !reached {
		t.Fatal("60 times Tab do not lead to the problem")
	}
	p.must(p.Press(kb.Enter), p.Shows("New comment"))
	for i := 0; i < 60; i++ {
		focused, err := p.Next()
		if err != nil {
			t.Fatal(err)
		}
		if focused.Element == "TEXTAREA comment" {
			p.must(p.Press("By keyboard"), p.Press(kb.Tab), p.Press(kb.Enter), p.Shows("By keyboard"))
			p.clean()
			return
		}
	}
	t.Fatal("60 times Tab do not lead to the comment")
}

// A card that is dropped in another column moves there. A move that cannot be leaves it, with a reason.
func TestDragging(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	s.api("POST", "/problems", map[string]any{"title": "The lamp is dark"})
	p := s.signedIn(s.token)
	drop := func(lane int) {
		t.Helper()
		script := fmt.Sprintf(`(() => { for (const [name, on] of [["dragstart", ".ticket"], ["drop", ".lane:nth-child(%d)"]])
			document.querySelector(on).dispatchEvent(new DragEvent(name, {bubbles: true, cancelable: true, dataTransfer: new DataTransfer()})); return true })()`, lane)
		if _, err := Get[bool](p.Tab, script); err != nil {
			t.Fatal(err)
		}
	}
	p.must(p.Open("/problems/board"), p.Shows("The lamp is dark"), p.Until("document.querySelector('.ticket').draggable"))
	drop(2)
	p.must(p.Until("document.querySelector('.lane:nth-child(2) .ticket') && document.activeElement.id === 'card-1'"))
	drop(3)
	p.must(p.Until("document.querySelector('.lane:nth-child(3) .ticket')"))
	drop(2)
	p.must(p.Shows("can move to: Open"), p.Until("document.querySelector('.lane:nth-child(3) .ticket .wrong')"))
	p.clean()
}

// Keys do in a list and at a problem what the mouse does, and are letters where somebody types.
func TestKeys(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	for _, title := range []string{"One", "Two", "Three"} {
		s.api("POST", "/problems", map[string]any{"title": title})
	}
	p := s.signedIn(s.token)
	at := func(path string) {
		p.must(p.Until("location.pathname + location.search === '" + path + "' && document.readyState === 'complete'"))
	}
	focus := func(name string) { p.must(p.Until("document.activeElement.name === '" + name + "'")) }
	keys := func(all ...string) {
		for _, key := range all {
			p.must(p.Press(key))
		}
	}
	p.must(p.Size(1280, 500), p.Open("/problems?query=all&sort=title"), p.Shows("Three"))
	keys("j", "x", "j", "j", "X", "p")
	focus("priority")
	p.must(p.Until("document.querySelector('.picked').checkVisibility()"), p.Choose("#bulk>select[name=priority]", "Low"), p.Press(kb.Escape))
	p.must(p.Click("#bulk .primary"), p.Shows("3 problems were changed"), p.Until("document.activeElement.classList.contains('notice')"), p.Until("!document.querySelector('.picked').checkVisibility()"))
	keys("?")
	p.must(p.Until("document.querySelector('dialog')?.innerText.includes('Next row')"), p.Press(kb.Escape), p.Until("!document.querySelector('dialog')"))
	keys("j", kb.Enter)
	at("/problems/1")
	keys("]")
	at("/problems/3")
	keys("/")
	focus("words")
	keys("t", "w", "o", kb.Enter)
	at("/problems/2")
	keys("/")
	focus("words")
	keys(kb.ArrowDown, kb.ArrowDown, kb.ArrowUp, kb.ArrowDown, kb.Enter)
	at("/problems/board")
	p.must(p.Open("/problems/2"), p.Shows("Two"))
	p.must(p.Do(chromedp.KeyEvent("k", chromedp.KeyModifiers(kb.ModifierCtrl))))
	focus("words")
	keys("3")
	p.must(p.Until("document.querySelector('dialog .found a')?.textContent.startsWith('#3 ')"))
	keys(kb.Enter)
	at("/problems/3")
	keys("m", "@", "a", "d")
	p.must(p.Until("document.querySelector('.offer a')"))
	keys(kb.ArrowDown, kb.Enter, "c", "]")
	p.must(p.Until("document.querySelector('[name=comment]').value === '@admin c]'"), p.Until("!document.querySelector('.offer')"), p.Press(kb.Escape))
	p.must(p.Click("#comment textarea"), p.Do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(kb.ModifierCtrl))), p.Until("document.querySelector('.comment .text')?.innerText === '@admin c]'"))
	keys("e")
	focus("title")
	p.must(p.Press(kb.Escape))
	p.must(p.Type("#relationships input[name=problem]", "Tw"), p.Until("document.querySelector('#titles option')?.value === '#2 Two'"), p.Press(kb.Backspace), p.Press(kb.Backspace), p.Press(kb.Escape))
	keys("g", "w")
	at("/problems?query=mine")
	keys("c")
	at("/problems/new")
	p.must(p.Press(kb.Escape), p.Open("/keys"), p.Click("main button"), p.Shows("Turn the keys on"))
	p.must(p.Until("!document.querySelector('[aria-keyshortcuts]')"))
	p.clean()
}

// The page about the API can be used by keyboard alone: its index leads to an operation, and
// the next keys go on there.
func TestKeyboardOfDocs(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	p := s.person()
	p.must(p.Size(1280, 900), p.Open("/docs"), p.Shows("HTTP API"))
	focus := func(want string, most int) {
		t.Helper()
		for range most {
			focused, err := p.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !focused.Visible {
				t.Errorf("the focus on %q is not to be seen", focused.Element)
			}
			if focused.Element == want {
				return
			}
		}
		t.Fatalf("%d times Tab do not lead to %q", most, want)
	}
	focus("A #main", 1)
	focus("A #addComment", 40)
	p.must(p.Press(kb.Enter), p.Until("location.hash === '#addComment'"), p.Until("Math.abs(document.querySelector('#addComment').getBoundingClientRect().top - 100) < 100"))
	focus("A #addComment", 1)
	focus("SUMMARY Errors: 400, 401, 403, 404, 40", 20)
	p.must(p.Press(kb.Enter), p.Shows("stale-revision"))
	p.clean()
}

// The tests notice what they look for.
func TestFaultsAreNoticed(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	p := s.signedIn(s.token)
	if _, err := Get[bool](p.Tab, `(() => { const s = document.createElement("style"); s.textContent = "p{}"; document.head.append(s); return true })()`); err != nil {
		t.Fatal(err)
	}
	p.must(p.Open("/settings"), p.Until("document.readyState === 'complete'"))
	if len(p.Failures()) == 0 {
		t.Error("a violation of the policy is not noticed")
	}
	source, err := checks()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Get[bool](p.Tab, `(() => { document.querySelector("h1").style.color = "#eee"; document.querySelector("main").append(document.createElement("input")); return true })()`); err != nil {
		t.Fatal(err)
	}
	violations, err := p.Axe(source, alike, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"color-contrast", "label"} {
		found := false
		for _, v := range violations {
			found = found || strings.HasPrefix(v, want+":")
		}
		if !found {
			t.Errorf("axe does not notice %s: %q", want, violations)
		}
	}
}
