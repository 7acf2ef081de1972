//go:build failover

package e2e

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

var patroniRoot = flag.String("patroni", "/", "folder below which Debian's package of Patroni is unpacked")

// deployed is the folder of the configuration in app/docs/failover.md.
const deployed = "../deploy/failover/"

// cluster is three hosts and HAProxy on the loopback interface. Each host has an address of
// its own. The configuration is as in app/docs/failover.md, except for addresses, folders and
// the version of PostgreSQL.
type cluster struct {
	t       *testing.T
	dir     string
	network string // in the place of "10.0.0."
	proxy   string // its address
	hosts   []*clusterHost
}

// clusterHost is a host: all processes in it have namespaces of their own, and end with
// the first one.
type clusterHost struct {
	*cluster
	name, address string
	output        *lockedBuffer
	first         *exec.Cmd // nil: the host is down
	ended         chan struct{}
}

// clusterPatience is how long a cluster may take to be whole again.
const clusterPatience = 2 * time.Minute

func startCluster(t *testing.T) *cluster {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("this test runs hosts in namespaces of their own: run \"make failover-test\" as root, on Debian")
	}
	for _, program := range []string{"etcd", "haproxy", "psql", "setpriv", "unshare"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is missing: \"make failover-test\" installs it on Debian, as root", program)
		}
	}
	dir, err := os.MkdirTemp("", "problems-failover-") // below TempDir the hosts could not write
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	c := &cluster{t: t, dir: dir, network: fmt.Sprintf("127.%d.%d.", 1+rand.IntN(250), rand.IntN(250))}
	c.proxy = c.network + "9:5000"
	c.checkPatroni()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		h := &clusterHost{cluster: c, name: fmt.Sprintf("db%d", i+1), address: fmt.Sprintf("%s%d", c.network, i+1), output: new(lockedBuffer)}
		h.configure()
		c.hosts = append(c.hosts, h)
	}
	began := time.Now()
	for _, h := range c.hosts {
		h.start()
	}
	t.Cleanup(func() {
		for _, h := range c.hosts {
			h.kill()
		}
	})
	c.startProxy()
	c.whole()
	c.t.Logf("a cluster of three is whole after %.1f s", time.Since(began).Seconds())
	c.sql("CREATE ROLE problems LOGIN PASSWORD 'secret'")
	c.sql("CREATE DATABASE problems OWNER problems")
	return c
}

// checkPatroni demands a version of Patroni without a fault that matters here.
func (c *cluster) checkPatroni() {
	c.t.Helper()
	output, err := c.patroni("patroni", "--version").Output() // such as: patroni 4.0.7
	if err != nil {
		c.t.Fatalf("Patroni is missing: \"make failover-test\" gets it from Debian's package: %v", err)
	}
	var major, minor, patch int
	if n, _ := fmt.Sscanf(string(output), "patroni %d.%d.%d", &major, &minor, &patch); n != 3 {
		c.t.Fatalf("the version of Patroni is %q", output)
	}
	if slices.Compare([]int{major, minor, patch}, []int{3, 0, 3}) < 0 {
		c.t.Fatalf("Patroni %d.%d.%d loses confirmed writes when a stopped primary wakes: 3.0.3 or newer is needed, as app/docs/failover.md says", major, minor, patch)
	}
	c.t.Logf("Patroni %d.%d.%d", major, minor, patch)
}

// patroni returns a command of Patroni's package.
func (c *cluster) patroni(program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(c.t.Context(), "/usr/bin/python3", append([]string{filepath.Join(*patroniRoot, "usr/bin", program)}, args...)...)
	cmd.Env = append(environment(c.t), c.pythonPath(), "LC_ALL=C.UTF-8")
	return cmd
}

func (c *cluster) pythonPath() string {
	return "PYTHONPATH=" + filepath.Join(*patroniRoot, "usr/lib/python3/dist-packages")
}

// deploy copies a file of deployed into the folder of the cluster, with other addresses and the
// given replacements, and returns its path.
func (c *cluster) deploy(name, to string, replace ...string) string {
	c.t.Helper()
	text, err := os.ReadFile(deployed + name)
	if err != nil {
		c.t.Fatal(err)
	}
	path := filepath.Join(c.dir, to)
	content := strings.ReplaceAll(strings.NewReplacer(replace...).Replace(string(text)), "10.0.0.", c.network)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		c.t.Fatal(err)
	}
	return path
}

func (h *clusterHost) path(name string) string { return filepath.Join(h.dir, h.name+"-"+name) }

// configure sets the host up as app/docs/failover.md says.
func (h *clusterHost) configure() {
	h.t.Helper()
	account, err := user.Lookup("postgres")
	if err != nil {
		h.t.Fatal(err)
	}
	uid, _ := strconv.Atoi(account.Uid) // Debian has numbers
	gid, _ := strconv.Atoi(account.Gid)
	for _, folder := range []string{"etcd", "postgresql"} {
		if err := errors.Join(os.Mkdir(h.path(folder), 0o700), os.Chown(h.path(folder), uid, gid)); err != nil {
			h.t.Fatal(err)
		}
	}
	programs, err := postgrestest.Folder("postgres", "initdb", "pg_rewind", "pg_basebackup")
	if err != nil {
		h.t.Fatal(err)
	}
	last := h.name[2:]
	h.deploy("patroni.yml", h.name+"-patroni.yml")
	h.deploy("patroni.env", h.name+"-patroni.env", "db1", h.name, "10.0.0.1:", "10.0.0."+last+":",
		"/usr/lib/postgresql/17/bin", programs, "/var/lib/postgresql/17/problems", h.path("postgresql")+"/problems")
	all := "db1=http://10.0.0.1:2380,db2=http://10.0.0.2:2380,db3=http://10.0.0.3:2380"
	h.deploy("etcd.env", h.name+"-etcd.env", all, all, "db1", h.name, "10.0.0.1:", "10.0.0."+last+":", "/var/lib/etcd/problems", h.path("etcd"))
}

// variables returns the settings in a file of the host.
func (h *clusterHost) variables(name string) (all []string) {
	h.t.Helper()
	text, err := os.ReadFile(h.path(name))
	if err != nil {
		h.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

// boot is the first process of a host. It runs etcd and Patroni, each with its settings. The
// host ends with Patroni.
const boot = `
as=(setpriv --reuid postgres --regid postgres --init-groups --)
"${as[@]}" etcd --logger=zap --log-level=error &
"${as[@]}" /usr/bin/python3 "$1" "$2"
echo "Patroni has ended with $?"
`

// start starts the host.
func (h *clusterHost) start() {
	h.t.Helper()
	h.first = exec.Command("unshare", "--pid", "--ipc", "--mount", "--mount-proc", "--fork", "--kill-child=KILL", "bash", "-c", boot,
		"host", filepath.Join(*patroniRoot, "usr/bin/patroni"), h.path("patroni.yml"))
	h.first.Dir = h.path("postgresql")
	h.first.Env = slices.Concat([]string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "HOME=" + h.path("postgresql"), h.pythonPath()},
		h.variables("etcd.env"), h.variables("patroni.env"))
	h.first.Stdout, h.first.Stderr = h.output, h.output
	h.first.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := h.first.Start(); err != nil {
		h.t.Fatal(err)
	}
	ended, first := make(chan struct{}), h.first
	h.ended = ended
	go func() {
		_ = first.Wait() // it ends by a signal
		close(ended)
	}()
}

// kill ends everything on the host at once.
func (h *clusterHost) kill() {
	if h.first == nil || h.broken() {
		return
	}
	_ = syscall.Kill(h.init(), syscall.SIGKILL) // the system ends all others of its namespace
	_ = h.first.Process.Kill()
	<-h.ended
	h.first = nil
}

// broken reports whether a host has ended by itself.
func (h *clusterHost) broken() bool {
	if h.first == nil {
		return false
	}
	select {
	case <-h.ended:
		return true
	default:
		return false
	}
}

// init is the first process of the host.
func (h *clusterHost) init() int { return child(h.t, h.first.Process.Pid).Pid }

// processes returns everything on the host, parents before their children.
func (h *clusterHost) processes() (all []int) {
	all = []int{h.init()}
	for i := 0; i < len(all); i++ {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", all[i])) // the pattern is valid
		for _, thread := range threads {
			text, _ := os.ReadFile(thread) // it may have ended
			for _, field := range strings.Fields(string(text)) {
				if id, err := strconv.Atoi(field); err == nil {
					all = append(all, id)
				}
			}
		}
	}
	return all
}

// freeze stops everything on the host.
func (h *clusterHost) freeze() {
	h.t.Helper()
	stopped := make(map[int]bool)
	for again := true; again; {
		again = false
		for _, id := range h.processes() {
			if !stopped[id] {
				_ = syscall.Kill(id, syscall.SIGSTOP) // it may have ended
				stopped[id], again = true, true
			}
		}
	}
}

// thaw lets it all go on.
func (h *clusterHost) thaw() {
	h.t.Helper()
	for _, id := range h.processes() {
		_ = syscall.Kill(id, syscall.SIGCONT) // it may have ended
	}
}

// killPostgres ends every process of PostgreSQL, and leaves the rest of the host.
func (h *clusterHost) killPostgres() {
	h.t.Helper()
	killed := 0
	for _, id := range h.processes() {
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", id))
		if err == nil && strings.TrimSpace(string(name)) == "postgres" {
			_ = syscall.Kill(id, syscall.SIGKILL) // it may have ended
			killed++
		}
	}
	if killed == 0 {
		h.t.Error("the primary has no process of PostgreSQL")
	}
}

func (c *cluster) startProxy() {
	c.t.Helper()
	path := c.deploy("haproxy.cfg", "haproxy.cfg", "127.0.0.1:5000", c.proxy)
	cmd := exec.Command("haproxy", "-db", "-f", path)
	output := new(lockedBuffer)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if c.t.Failed() {
			c.t.Logf("HAProxy: %s", output.end())
		}
	})
}

// proxyURL leads to the primary by HAProxy.
func (c *cluster) proxyURL() string {
	return "postgres://problems:secret@" + c.proxy + "/problems?sslmode=disable"
}

// hostsURL names all hosts.
func (c *cluster) hostsURL() string {
	var hosts []string
	for _, h := range c.hosts {
		hosts = append(hosts, h.address+":5432")
	}
	return "postgres://problems:secret@" + strings.Join(hosts, ",") + "/problems?sslmode=disable&connect_timeout=3&target_session_attrs=primary"
}

// sql runs a statement on the primary, as an administrator, by HAProxy.
func (c *cluster) sql(statement string) {
	c.t.Helper()
	var output []byte
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		cmd := exec.CommandContext(c.t.Context(), "psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--command", statement, "postgres://postgres:choose-one@"+c.proxy+"/postgres")
		cmd.Env = environment(c.t)
		if output, err = cmd.CombinedOutput(); err == nil {
			return
		}
	}
	c.t.Fatalf("%s: %v\n%s", statement, err, output)
}

// memberState is what Patroni says of a member.
type memberState struct {
	Name, Role, State string
	Timeline          int
}

// states asks Patroni on each host, except the given one, for all members. The first answer
// counts.
func (c *cluster) states(except *clusterHost) []memberState {
	client := http.Client{Timeout: time.Second}
	for _, h := range c.hosts {
		if h == except {
			continue
		}
		response, err := client.Get("http://" + h.address + ":8008/cluster")
		if err != nil {
			continue
		}
		var answer struct{ Members []memberState }
		err = json.NewDecoder(response.Body).Decode(&answer)
		_ = response.Body.Close()
		if err == nil {
			return answer.Members
		}
	}
	return nil
}

// await waits until is returns true for the members.
func (c *cluster) await(what string, except *clusterHost, is func([]memberState) bool) {
	c.t.Helper()
	var last []memberState
	for end := time.Now().Add(clusterPatience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if last = c.states(except); is(last) {
			return
		}
		if slices.ContainsFunc(c.hosts, (*clusterHost).broken) {
			break
		}
	}
	for _, h := range c.hosts {
		c.t.Logf("%s: %s", h.name, h.output.end())
	}
	c.t.Fatalf("%s: not so after %v: %+v", what, clusterPatience, last)
}

// loopWait is the longest time until Patroni notices a change: a little more than loop_wait in
// patroni.yml.
const loopWait = 6 * time.Second

// whole waits until there are a primary, a synchronous standby and another standby. They have
// to be there for loopWait: before, Patroni may report an earlier state. It returns the start
// of that time.
func (c *cluster) whole() (since time.Time) {
	c.t.Helper()
	c.await("the cluster is whole", nil, func(all []memberState) bool {
		if !c.isWhole(all) {
			since = time.Time{}
			return false
		}
		if since.IsZero() {
			since = time.Now()
		}
		return time.Since(since) > loopWait
	})
	return since
}

func (c *cluster) isWhole(all []memberState) bool {
	roles := make(map[string]int)
	for _, m := range all {
		if m.State != "running" && m.State != "streaming" || m.Timeline != all[0].Timeline {
			return false
		}
		roles[m.Role]++
	}
	return len(all) == len(c.hosts) && roles["leader"] == 1 && roles["sync_standby"] == 1 && roles["replica"] == 1
}

// primary returns the host of the primary.
func (c *cluster) primary() *clusterHost {
	c.t.Helper()
	for _, m := range c.states(nil) {
		if m.Role != "leader" {
			continue
		}
		for _, h := range c.hosts {
			if h.name == m.Name {
				return h
			}
		}
	}
	c.t.Fatal("there is no primary")
	return nil
}

// replaced waits until another host has the primary.
func (c *cluster) replaced(former *clusterHost) {
	c.t.Helper()
	c.await("another host is the primary", former, func(all []memberState) bool {
		return slices.ContainsFunc(all, func(m memberState) bool { return m.Role == "leader" && m.Name != former.name && m.State == "running" })
	})
}

// switchOver moves the primary to another host with the command of app/docs/failover.md.
func (c *cluster) switchOver(primary *clusterHost) {
	c.t.Helper()
	cmd := c.patroni("patronictl", "-c", primary.path("patroni.yml"), "switchover", "--leader", primary.name, "--force")
	if output, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("%s: %v\n%s", cmd, err, output)
	}
	c.replaced(primary)
}
