package e2e

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/files"
	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/tracker"
)

// upload attaches a file to problem 1. It returns the identifier, or the error of a broken
// connection.
func (c *client) upload(name string, file io.Reader) (status int, identifier string, err error) {
	r, err := http.NewRequest("POST", c.url+"/problems/1/attachments", file)
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", c.token)
	r.Header.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	response, err := c.wire.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	_, rest, _ := strings.Cut(string(body), `"identifier":"`)
	identifier, _, _ = strings.Cut(rest, `"`)
	return response.StatusCode, identifier, err
}

// TestKillDuringUploads kills the server again and again while files arrive (D48). Each file
// that was answered is there, byte for byte. After the sweep, nothing else is.
func TestKillDuringUploads(t *testing.T) {
	t.Parallel()
	const rounds, clients = 30, 4
	store, token := newFile(t), newToken(t)
	var mu sync.Mutex
	answered := map[string][]byte{}
	for round := range rounds {
		s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
		c := s.as(token)
		if round == 0 {
			c.do("POST", "/problems", `{"title":"The lamp is dark"}`)
		}
		fatal := make(chan struct{})
		var once sync.Once
		var group sync.WaitGroup
		for i := range clients {
			group.Go(func() {
				for n := 0; ; n++ {
					file := make([]byte, 100<<10+n)
					_, _ = rand.Read(file) // never fails
					slow := io.MultiReader(bytes.NewReader(file[:50<<10]), after(func() {
						if i == 0 && n == round%3 {
							once.Do(func() { close(fatal) })
						}
					}), bytes.NewReader(file[50<<10:]))
					status, id, err := c.upload(fmt.Sprint(n), slow)
					if err != nil {
						return
					}
					if status != 201 {
						t.Errorf("status %d", status)
						return
					}
					mu.Lock()
					answered[id] = file
					mu.Unlock()
				}
			})
		}
		<-fatal
		s.kill()
		group.Wait()
	}
	s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	for id, file := range answered {
		if status, got := s.as(token).do("GET", "/problems/1/attachments/"+id+"/bytes", ""); status != 200 || string(got) != string(file) {
			t.Errorf("file %s: status %d and %d bytes, want %d", id, status, len(got), len(file))
		}
	}
	_, list := s.as(token).do("GET", "/problems/1/attachments", "")
	s.stop()

	// The sweep of the next days.
	later := func() time.Time { return time.Now().Add(48 * time.Hour) }
	path := strings.TrimPrefix(store, "sqlite://")
	data, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	folder := files.OpenFolder(strings.TrimSuffix(path, filepath.Ext(path)) + "-files")
	service := tracker.New(tracker.Options{Store: data, Now: later, Random: rand.Reader, Limits: tracker.DefaultLimits(), Files: folder})
	swept, err := service.SweepFiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for info, err := range folder.List(t.Context(), blob.Key{}) {
		if err != nil {
			t.Fatal(err)
		}
		left++
		if !strings.Contains(string(list), info.Attachment.String()) {
			t.Errorf("%s is an orphan", info.Key)
		}
	}
	t.Logf("%d files were answered, %d are left, %d were removed", len(answered), left, swept.Removed)
	if int64(left) != swept.Files || left < len(answered) {
		t.Errorf("%d files are left, and the sweep has counted %d", left, swept.Files)
	}
}

// after is a reader of nothing that does something first.
type after func()

func (a after) Read([]byte) (int, error) { a(); return 0, io.EOF }
