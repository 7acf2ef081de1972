package powercut

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// roleVariable names the directory in which this binary does what the test of a
// real trace wants, instead of running tests.
const roleVariable = "POWERCUT_TEST_DIRECTORY"

func TestMain(m *testing.M) {
	dir := os.Getenv(roleVariable)
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := actAsProgram(dir); err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
}

// actAsProgram does of everything that has an effect something that is kept and
// something that is not.
func actAsProgram(dir string) error {
	file, err := os.Create(filepath.Join(dir, "with \"quotes\", and\na <line>"))
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		all.Go(func() {
			for round := range 20 {
				if _, errs[i] = file.WriteAt([]byte{byte('a' + round)}, int64(i)); errs[i] == nil {
					errs[i] = file.Sync()
				}
				if errs[i] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	if _, err := file.WriteAt([]byte("lost"), 0); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		return err
	}
	old, renamed := filepath.Join(dir, "old"), filepath.Join(dir, "sub", "renamed")
	if err := os.Rename(old, renamed); err != nil {
		return err
	}
	sub, err := os.Open(filepath.Join(dir, "sub"))
	if err != nil {
		return err
	}
	if err := sub.Sync(); err != nil {
		return err
	}
	if _, err := os.Stdout.WriteString("cut here"); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	return os.Remove(renamed)
}

// TestStrace replays what strace says of a real program.
func TestStrace(t *testing.T) {
	t.Parallel()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatalf("strace, which this is about, is missing: on Debian, `apt-get install strace` brings it: %v", err)
	}
	dir, d := found(t)
	path := filepath.Join(t.TempDir(), "trace")
	cmd := exec.CommandContext(t.Context(), strace, append(Arguments(), "-o", path, binary)...)
	cmd.Env = append(os.Environ(), roleVariable+"="+dir)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil || said.String() != "cut here" {
		t.Fatalf("the program: %v: %s", err, &said)
	}
	trace, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	syncs, cut := 0, false
	err = d.Replay(trace, func(e Event) bool {
		if e.Synced {
			syncs++
		}
		cut = string(e.Said) == "cut here"
		return cut
	})
	if err != nil || !cut {
		t.Fatalf("Replay: %v; whether the moment came: %v", err, cut)
	}
	if syncs != 81 {
		t.Errorf("there were %d syncs where 81 were expected", syncs)
	}
	want := `old is gone="" sub/="" sub/renamed="before" with "quotes", and` + "\n" + `a <line>="tttt"`
	if got := show(d); got != want {
		t.Errorf("what is kept: %s\nwant: %s", got, want)
	}
}
