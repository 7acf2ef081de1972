package sqlite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	lib "modernc.org/sqlite/lib"
)

// The remedy names every file that the account cannot use, and gives it to the account.
// Numbers from 4000000001 on have no names.
func TestMissingRightsAreNamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := b.path
	info, err := os.Stat(path)
	b.must(err)
	its, known := owner(info)
	if !known {
		t.Fatal("the file has no owner")
	}
	other := account{4000000001, 4000000002}
	f := file{path: path, info: info}
	directory := filepath.Dir(path)
	for name, c := range map[string]struct {
		as         account
		lacking    []string
		what, mend string
	}{
		"nothing":   {other, nil, "", ""},
		"file":      {other, []string{path}, path + " belongs to " + its.name() + ", and 4000000001, who runs this program, may not write there", "chown 4000000001:4000000002 " + path},
		"log":       {other, []string{path + "-wal"}, path + "-wal belongs to", "chown 4000000001:4000000002 " + path + "-wal"},
		"both":      {other, []string{path + "-wal", path}, path + " belongs to", "chown 4000000001:4000000002 " + path + " " + path + "-wal"},
		"directory": {other, []string{directory}, directory + " belongs to", "chown 4000000001:4000000002 " + directory},
		"not there": {other, []string{path + "-journal"}, "", ""},
		"own":       {its, []string{path}, its.name() + ", who owns " + path + ", may not write there", "chmod u+rwX " + path},
	} {
		what, mend := f.denied(c.as, func(path string) bool { return slices.Contains(c.lacking, path) })
		if !strings.HasPrefix(what, c.what) || !strings.HasSuffix(mend, c.mend) || (what == "") != (c.what == "") || (mend == "") != (c.mend == "") {
			t.Errorf("%s: it says %q, with the remedy %q; want %q and %q", name, what, mend, c.what, c.mend)
		}
	}
}

// Root can use the file that it has put back, and the service cannot.
func TestFilesOfAnotherThanTheirDirectory(t *testing.T) {
	t.Parallel()
	service, root := account{4000000001, 4000000002}, account{0, 0}
	for name, c := range map[string]struct {
		directory account
		files     map[string]account
		mend      string
		grave     bool
	}{
		"one owner":     {directory: service, files: map[string]account{"/d/f": service}},
		"another group": {directory: service, files: map[string]account{"/d/f": {service.user, 0}}},
		"all of root":   {directory: root, files: map[string]account{"/d/f": root}},
		"shared":        {directory: root, files: map[string]account{"/d/f": service}},
		"put back":      {service, map[string]account{"/d/f": root, "/d/f.lock": service}, "chown 4000000001:4000000002 /d/f", true},
		"with its log":  {service, map[string]account{"/d/f-wal": root, "/d/f": root}, "chown 4000000001:4000000002 /d/f /d/f-wal", false},
	} {
		switch found := strange("/d", c.directory, c.files); {
		case c.mend == "" && len(found) > 0:
			t.Errorf("%s: it finds %+v", name, found)
		case c.mend != "" && (len(found) != 1 || found[0].Mend != c.mend || found[0].Grave != c.grave || !strings.Contains(found[0].What, "/d/f belongs to ")):
			t.Errorf("%s: it finds %+v; want the remedy %q", name, found, c.mend)
		}
	}
}

func TestWantOfRoomIsTold(t *testing.T) {
	t.Parallel()
	none, some := space{known: true}, space{known: true, free: 1 << 30}
	for name, c := range map[string]struct {
		code int
		disk space
		want bool
	}{
		"full":                      {lib.SQLITE_FULL, some, true}, // by a quota
		"index of the log":          {4874, none, true},
		"index of the log, fails":   {4874, some, false},
		"index of the log, unknown": {4874, space{}, false},
		"write":                     {lib.SQLITE_IOERR_WRITE, none, true},
		"write fails":               {lib.SQLITE_IOERR_WRITE, some, false},
		"read":                      {lib.SQLITE_IOERR_READ, none, false},
		"rights":                    {lib.SQLITE_CANTOPEN, none, false},
	} {
		if got := full(c.code, c.disk); got != c.want {
			t.Errorf("%s: full is %t", name, got)
		}
	}
}
