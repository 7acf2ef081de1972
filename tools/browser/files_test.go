package browser

import (
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
	const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0P\x0f\x00\x04\x85\x01\x80\x84\xa9\x8c!\x00\x00\x00\x00IEND\xaeB`\x82"
	const alarm = `<script>alert("ran")</script>`
	folder := t.TempDir()
	for name, content := range map[string]string{
		"lamp.png": png, "alarm.html": alarm, "alarm.svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="alert('ran')">` + alarm + `</svg>`, "fake.png": alarm, "quiet.txt": "text",
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
			document.querySelector("main").dispatchEvent(event);
		})()`)), p.Shows(name))
	}
	without := s.signedIn(s.token)
	without.must(without.WithoutScripts(), without.Open("/problems/1"), choose(without, "quiet.txt"), without.Click("#attach button"), without.Shows("quiet.txt"))

	p.must(p.Open("/problems/1"))
	links, err := Get[[]string](p.Tab, `[...document.querySelectorAll("a.file")].map(a => a.href)`)
	if err != nil || len(links) != 7 {
		t.Fatalf("the files are %q (%v)", links, err)
	}
	picture := strings.Split(links[0], "/")[6]
	s.api("POST", "/problems/1/comments", map[string]any{"text": "![the lamp](attachment:" + picture + ")"})
	p.must(p.Open("/problems/1"), p.Until(`document.querySelector(".text img[alt='the lamp']")?.naturalWidth === 1`))
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
