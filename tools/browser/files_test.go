package browser

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// D48: files are chosen, dropped and pasted, also without script. A picture shows in a comment.
// Nothing of a file runs.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := openWhole(t, "memory:")
	s.api("POST", "/problems", map[string]any{"title": "The lamp is dark"})
	var wide bytes.Buffer
	if err := png.Encode(&wide, image.NewGray(image.Rect(0, 0, 3000, 10))); err != nil {
		t.Fatal(err)
	}
	const alarm = `<script>alert("ran")</script>`
	long := strings.Repeat("long", 50) + ".txt"
	folder := t.TempDir()
	for name, content := range map[string]string{
		"lamp.png": wide.String(), "alarm.html": alarm, "alarm.svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="alert('ran')">` + alarm + `</svg>`, "fake.png": alarm, long: "text",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	choose := func(p *person, names ...string) error {
		var paths []string
		for _, name := range names {
			paths = append(paths, filepath.Join(folder, name))
		}
		return p.Do(chromedp.SetUploadFiles(chromedp.CSS("#attach input[type=file]"), paths))
	}
	p := s.signedIn(s.token)
	p.must(p.Open("/problems/1"), choose(p, "lamp.png", "alarm.html", "alarm.svg", "fake.png"), p.Click("#attach button"), p.Shows("alarm.html"), p.Shows("fake.png"))
	for _, kind := range []string{"drop", "paste"} {
		name := kind + ".txt"
		p.must(p.Do(chromedp.Evaluate[chromedp.Void](`(() => {
			const data = new DataTransfer();
			data.items.add(new File(["text"], "`+name+`", {type: "text/plain"}));
			const event = new Event("`+kind+`", {bubbles: true, cancelable: true});
			event.dataTransfer = event.clipboardData = data;
			window.moved = false;
			new MutationObserver(() => window.moved = true).observe(document.querySelector(".upload progress"), {attributes: true});
			document.querySelector("main").dispatchEvent(event);
		})()`)), p.Shows(name))
		if moved, err := Get[bool](p.Tab, `window.moved`); err != nil || !moved {
			t.Errorf("%s: the progress of the upload does not move (%v)", kind, err)
		}
	}
	without := s.signedIn(s.token)
	without.must(without.WithoutScripts(), without.Open("/problems/1"), choose(without, long), without.Click("#attach button"), without.Shows(long))

	p.must(p.Open("/problems/1"))
	links, err := Get[[]string](p.Tab, `[...document.querySelectorAll("a.file")].map(a => a.href)`)
	if err != nil || len(links) != 7 {
		t.Fatalf("the files are %q (%v)", links, err)
	}
	picture := strings.Split(links[0], "/")[6]
	s.api("POST", "/problems/1/comments", map[string]any{"text": "![the lamp](attachment:" + picture + ")"})
	p.must(p.Open("/problems/1"), p.Until(`document.querySelector(".text img[alt='the lamp']")?.naturalWidth === 3000`))
	p.inBothForms(func(width int64, scheme string) { p.fits("a problem with files", width, scheme) })
	// A frame and an object would run a script, if anything could.
	for _, link := range links {
		p.must(p.Do(chromedp.Evaluate[chromedp.Void](`void fetch("`+link+`").then(r => r.text()).then(text => document.title = "read " + text.length)`)), p.Until(`document.title.startsWith("read ")`))
		p.must(p.Open("/problems/1"), p.Do(chromedp.Evaluate[chromedp.Void](`void (location.href = "`+link+`")`)), settled(), p.Open("/problems/1"), p.Shows("The lamp is dark"))
	}
	for _, failure := range p.Failures() {
		if strings.Contains(failure, "dialog") {
			t.Errorf("a file ran: %s", failure)
		}
	}
}
