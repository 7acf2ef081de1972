package e2e

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/problemtracking/problems/adapters/files"
	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/adapters/s3"
	"github.com/problemtracking/problems/adapters/s3/s3test"
	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/store"
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

// TestKillDuringUploads kills the server again and again while files arrive (D48), with each storage
// for files. Each file that was answered is there, byte for byte. After the sweep, nothing else is.
func TestKillDuringUploads(t *testing.T) {
	t.Parallel()
	t.Run("folder", func(t *testing.T) {
		t.Parallel()
		at := newFile(t)
		path := strings.TrimPrefix(at, "sqlite://")
		killDuringUploads(t, at, "", func(t *testing.T) (store.Store, blob.Store) {
			return openSQLite(t, path), files.OpenFolder(strings.TrimSuffix(path, filepath.Ext(path)) + "-files")
		})
	})
	t.Run("database", func(t *testing.T) {
		t.Parallel()
		schema := postgrestest.Schema(t)
		killDuringUploads(t, schema, "", func(t *testing.T) (store.Store, blob.Store) {
			s, err := postgres.Open(t.Context(), postgres.Options{URL: schema})
			if err != nil {
				t.Fatal(err)
			}
			return s, s.Files()
		})
	})
	t.Run("bucket", func(t *testing.T) {
		t.Parallel()
		server, file, secrets := s3test.Serve(t), newFile(t), filepath.Join(t.TempDir(), "credentials")
		if err := os.WriteFile(secrets, []byte("[default]\naws_access_key_id="+s3test.Access+"\naws_secret_access_key="+s3test.Secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		endpoint := &url.URL{Scheme: "https", Host: server.Address}
		at := "s3://" + s3test.Bucket + "/tracker?" + url.Values{"endpoint": {endpoint.String()}, "region": {"us-east-1"}, "style": {"path"}, "ca": {server.CAFile}, "credentials": {secrets}}.Encode()
		killDuringUploads(t, file, at, func(t *testing.T) (store.Store, blob.Store) {
			bucket, err := s3.Open(s3.Options{Bucket: s3test.Bucket, Prefix: "tracker", Endpoint: endpoint, Region: "us-east-1", Style: "path", CA: server.CA,
				Credentials: credentials.NewFileAWSCredentials(secrets, ""), Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			return openSQLite(t, strings.TrimPrefix(file, "sqlite://")), bucket
		})
	})
}

func openSQLite(t *testing.T, path string) store.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// killDuringUploads kills servers with the setting PROBLEMS_FILES. open opens their store and their
// files afterwards.
func killDuringUploads(t *testing.T, url, at string, open func(*testing.T) (store.Store, blob.Store)) {
	t.Helper()
	const clients, kills = 4, 9
	token := newToken(t)
	variables := []string{"PROBLEMS_BOOTSTRAP_TOKEN=" + token}
	if at != "" {
		variables = append(variables, "PROBLEMS_FILES="+at)
	}
	var mu sync.Mutex
	answered := map[string][]byte{}
	for round := range kills {
		s := serve(t, url, variables...)
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
	s := serve(t, url, variables...)
	for id, file := range answered {
		if status, got := s.as(token).do("GET", "/problems/1/attachments/"+id+"/bytes", ""); status != 200 || string(got) != string(file) {
			t.Errorf("file %s: status %d and %d bytes, want %d", id, status, len(got), len(file))
		}
	}
	_, list := s.as(token).do("GET", "/problems/1/attachments", "")
	s.stop()

	// The sweep of the next days.
	later := func() time.Time { return time.Now().Add(48 * time.Hour) }
	data, held := open(t)
	defer data.Close()
	service := tracker.New(tracker.Options{Store: data, Now: later, Random: rand.Reader, Limits: tracker.DefaultLimits(), Files: held})
	swept, err := service.SweepFiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for info, err := range held.List(t.Context(), blob.Key{}) {
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
