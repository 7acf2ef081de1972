// Package assets serves the style sheet, the script and the icon of the pages.
package assets

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/httpframe/look"
)

// Path is the path of the assets below the base path.
const Path = "/assets/"

//go:embed files
var embedded embed.FS

// Assets are the style sheets, scripts and pictures. The checksum of a file is in its
// address, so browsers keep it for ever.
type Assets struct {
	urls  map[string]string // by name
	files map[string]asset  // by path
}

type asset struct {
	media  string
	plain  []byte
	zipped func() []byte // made at the first call
}

var assetTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// Browsers need neither the comments and indents of a script, nor the spaces of a style sheet.
var (
	comments = regexp.MustCompile(`(?m)^\s*(//.*\n)?`)
	spaces   = regexp.MustCompile(`\s*([{};])\s*|([:,])\s+`)
)

// content is that of all assets, by name. It is constant, so a fault in one is a panic. The style
// sheet begins with the common one of all adapters.
var content = sync.OnceValue(func() map[string][]byte {
	entries, err := fs.ReadDir(embedded, "files")
	if err != nil {
		panic(err)
	}
	content := map[string][]byte{"style.css": []byte(look.Style()), "icon.svg": []byte(look.Icon())}
	for _, e := range entries {
		text, err := fs.ReadFile(embedded, "files/"+e.Name())
		if err != nil {
			panic(err)
		}
		switch path.Ext(e.Name()) {
		case ".js":
			text = comments.ReplaceAll(text, nil)
		case ".css":
			text = spaces.ReplaceAll(text, []byte("$1$2"))
		}
		content[e.Name()] = append(content[e.Name()], text...)
	}
	return content
})

// New returns all assets, with addresses below a base path.
func New(base string) *Assets {
	a := &Assets{urls: map[string]string{}, files: map[string]asset{}}
	for name, text := range content() {
		extension := path.Ext(name)
		media, ok := assetTypes[extension]
		if !ok {
			panic("no media type for " + name)
		}
		sum := sha256.Sum256(text)
		at := base + Path + strings.TrimSuffix(name, extension) + "-" + base64.RawURLEncoding.EncodeToString(sum[:9]) + extension
		a.urls[name] = at
		a.files[at] = asset{media: media, plain: text, zipped: sync.OnceValue(func() []byte { return httpframe.Gzip(text) })}
	}
	return a
}

// URL returns the address of an asset. It panics when there is none of this name: the
// names are constants of the templates.
func (a *Assets) URL(name string) string {
	at, ok := a.urls[name]
	if !ok {
		panic("there is no asset " + name)
	}
	return at
}

// ServeHTTP sends an asset.
func (a *Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	file, ok := a.files[r.URL.Path]
	header := w.Header()
	if !ok {
		header.Set("Cache-Control", "no-cache")
		header.Set("Content-Type", "text/plain; charset=utf-8")
		httpframe.Send(w, r, http.StatusNotFound, []byte("there is no such asset\n"))
		return
	}
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Content-Type", file.media)
	header.Set("Vary", "Accept-Encoding")
	body := file.plain
	if httpframe.AcceptsGzip(r.Header) {
		header.Set("Content-Encoding", "gzip")
		body = file.zipped()
	}
	httpframe.Send(w, r, http.StatusOK, body)
}
