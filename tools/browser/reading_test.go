package browser

import (
	"fmt"
	"testing"
)

// check fails the test unless an expression is true on the page.
func (p *person) check(expression string) {
	p.TB.Helper()
	if ok, err := Get[bool](p.Tab, "!!("+expression+")"); err != nil || !ok {
		at, _ := Get[string](p.Tab, "location.href + ' at ' + innerWidth")
		p.TB.Errorf("%s is not true at %s (%v)", expression, at, err)
	}
}

// split are the words in cells of tables that are on two lines. Words have at most 20 letters.
const split = `[...document.querySelectorAll("td, th")].flatMap(cell => {
	const found = [], walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
	for (let text; text = walk.nextNode();) for (const word of text.data.matchAll(/[^\s\/-]{2,20}/g)) {
		const range = document.createRange();
		range.setStart(text, word.index);
		range.setEnd(text, word.index + word[0].length);
		if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) found.push(word[0]);
	}
	return found;
}).join(" ")`

// team creates problems of people with usual names.
func team(s *scene) (milestone string) {
	s.Helper()
	name := func(n string) map[string]any { return map[string]any{"name": n} }
	s.api("POST", "/components", name("Server"))
	s.api("POST", "/components", map[string]any{"name": "Accounts", "parent": name("Server")})
	s.api("POST", "/users", map[string]any{"name": "Maximilian Musterfrau", "email": "maximilian.musterfrau@example.org"})
	milestone = s.api("POST", "/milestones", map[string]any{"name": "Spring", "startDate": "2026-03-01T00:00:00Z", "endDate": "2036-06-01T00:00:00Z"})["identifier"].(string)
	for i := range 6 {
		s.api("POST", "/problems", map[string]any{"title": fmt.Sprintf("Problem %d of a list, with a title of a usual length", i+1), "component": name("Accounts"),
			"assignee": name("Maximilian Musterfrau"), "milestone": name("Spring")})
	}
	s.api("PATCH", "/problems/1", map[string]any{"state": name("In Progress")})
	for i := 2; i <= 6; i++ {
		s.api("PUT", "/problems/1/relationships", map[string]any{"type": "ParentOf", "problemIdentifier": i})
	}
	return milestone
}

// Tables keep words whole, and the pages need no scrolling sideways.
func TestWordsStayWhole(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	milestone := team(s)
	p := s.signedIn(s.token)
	for _, width := range []int64{1280, 360} {
		p.must(p.Size(width, 900))
		for _, at := range []string{"/problems?query=all", "/milestones", "/administration/users", "/administration/components", "/administration/audit"} {
			p.must(p.Open(at), p.Until("document.readyState === 'complete'"))
			if words, err := Get[string](p.Tab, split); err != nil || words != "" {
				t.Errorf("%s at %d splits %s (%v)", at, width, words, err)
			}
		}
		// A chart is as wide as its card, with its last day.
		p.must(p.Open("/milestones/"+milestone), p.Until("document.querySelector('.chart')"))
		p.check(`[...document.querySelectorAll(".chart, .chart *")].every(e => { const b = e.getBoundingClientRect(), c = document.querySelector(".picture").getBoundingClientRect(); return b.left >= c.left && b.right <= c.right && b.top >= c.top && b.bottom <= c.bottom })`)
		p.check(`document.querySelector("main").innerText.includes("1 Mar 2026 to 1 Jun 2036")`)
	}
	p.clean()
}

// On a telephone, the bar is one row with a menu, the current query is to be seen, the list
// can be ordered, and the drawing of relationships begins at the problem itself.
func TestNarrow(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	team(s)
	p := s.signedIn(s.token)
	p.must(p.Size(360, 700), p.Open("/problems?query=all"), p.Until("document.readyState === 'complete'"))
	p.check(`document.querySelector(".bar").offsetHeight <= 56`)
	p.check(`document.querySelector(".menu summary").innerText.trim() === "All" && !document.querySelector(".menu").open`)
	p.must(p.Click(".menu summary"), p.Shows("My open problems"))
	p.fits("the menu of queries", 360, "light")
	p.must(p.Click(".sections summary"), p.Shows("Milestones"))
	p.fits("the menu of sections", 360, "light")
	p.must(p.Choose(".find select[name=sort]", "Title ↓"), p.Click(".find.only-narrow button"), p.Until("location.search.includes('sort=-title')"),
		p.Until(`document.querySelector(".problems tbody th").innerText.startsWith("Problem 6")`))
	p.must(p.Open("/problems/6/graph"), p.Until("document.readyState === 'complete'"), p.Until(`(() => {
		const b = document.querySelector(".node.current").getBoundingClientRect(), c = document.querySelector(".picture").getBoundingClientRect();
		return b.left >= c.left && b.right <= c.right && scrollY < 200;
	})()`))
	p.must(p.Open("/problems/1"), p.Shows("Fields"))
	p.check(`document.querySelector(".fields summary").getBoundingClientRect().bottom < innerHeight && !document.querySelector("select[name=assignee]").checkVisibility()`)
	p.must(p.Click(".fields summary"), p.Until(`document.querySelector("select[name=assignee]").checkVisibility() && document.querySelector("select[name=assignee]").selectedOptions[0].text.startsWith("Maximilian Musterfrau")`))
	p.clean()
}

// A long list is read page by page, forward and back. The three buttons for it fit on a
// telephone.
func TestLongList(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	for i := range 120 {
		s.api("POST", "/problems", map[string]any{"title": fmt.Sprintf("Problem %03d", i+1)})
	}
	p := s.signedIn(s.token)
	const next, previous = "a[rel=next]", "a[rel=prev]"
	p.must(p.Open("/problems?query=all&sort=title"), p.Shows("Problem 050"), p.Click(next), p.Shows("Problem 100"), p.Click(next), p.Shows("Problem 120"))
	at, err := Get[string](p.Tab, "location.pathname + location.search")
	if err != nil {
		t.Fatal(err)
	}
	p.must(p.Click("button[lang=de]"), p.Shows("Vorige Seite"))
	p.inBothForms(func(width int64, scheme string) { p.fits(at, width, scheme) })
	p.must(p.Click(previous), p.Shows("Problem 100"), p.Until("!document.querySelector('"+previous+"')"), p.Click(next), p.Shows("Problem 120"))
	p.clean()
}

// A button of a problem keeps the place on its page, and the focus.
func TestPlaceIsKept(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	s.api("POST", "/problems", map[string]any{"title": "The lamp is dark"})
	for range 20 {
		s.api("POST", "/problems/1/comments", map[string]any{"text": "A comment"})
	}
	p := s.signedIn(s.token)
	p.must(p.Size(1280, 500), p.Open("/problems/1"), p.Shows("A comment"))
	p.must(p.Click("#watch"), p.Shows("Stop watching"), p.Until("document.activeElement.id === 'watch'"))
	if _, err := Get[bool](p.Tab, "scrollTo(0, 400), true"); err != nil {
		t.Fatal(err)
	}
	p.must(p.Click("#keywords summary"), p.Type("#keywords input[name=name]", "customer"))
	before, err := Get[int](p.Tab, "scrollY")
	if err != nil || before == 0 {
		t.Fatalf("the page is at %d (%v)", before, err)
	}
	p.must(p.Press("\r"), p.Until("document.querySelector('#keywords .chips')"), p.Until("document.activeElement.id === 'keywords'"))
	if after, err := Get[int](p.Tab, "scrollY"); err != nil || after != before {
		t.Errorf("the page moves from %d to %d (%v)", before, after, err)
	}
	p.clean()
}

// A part with the focus waits for its change until the focus leaves it.
func TestPartCatchesUp(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	s.api("POST", "/problems", map[string]any{"title": "The lamp is dark"})
	p := s.signedIn(s.token)
	p.must(p.Size(1280, 900), p.Open("/problems/1"), p.Shows("New comment"))
	if _, err := Get[bool](p.Tab, "document.querySelector('select[name=priority]').focus(), true"); err != nil {
		t.Fatal(err)
	}
	s.api("PATCH", "/problems/1", map[string]any{"priority": map[string]any{"name": "High"}})
	const shown = `document.querySelector("select[name=priority]").selectedOptions[0].text`
	p.must(p.Shows("Priority: High"), p.Until(shown+" !== 'High'"))
	if _, err := Get[bool](p.Tab, "document.activeElement.blur(), true"); err != nil {
		t.Fatal(err)
	}
	p.must(p.Until(shown + " === 'High'"))
	p.clean()
}

// With scripts, a slider shows its number, and times are in the zone of the reader.
func TestSliderAndTimes(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	s.api("POST", "/problems", map[string]any{"title": "The lamp is dark"})
	s.api("PATCH", "/problems/1", map[string]any{"title": "The lamp is bright"})
	p := s.signedIn(s.token)
	p.must(p.Open("/problems/1/past"), p.Until("document.querySelector('output').value === '1'"))
	p.must(p.Until(`(() => { const r = document.querySelector("input[type=range]"); r.value = 2; r.dispatchEvent(new Event("input", {bubbles: true})); return document.querySelector("output").value === "2" })()`))
	p.check(`[...document.querySelectorAll("time")].every(t => t.title === new Date(t.dateTime).toLocaleString("en-GB", {dateStyle: "long", timeStyle: "long"}))`)
	p.clean()
}
