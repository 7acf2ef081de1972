package config_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/problemtracking/problems/app/internal/config"
)

func TestContainerMemory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no cgroups":        {nil, "0"},
		"version 2":         {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n"}, "256MiB"},
		"version 2, none":   {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, "0"},
		"unit":              {map[string]string{"proc/self/cgroup": "0::/system.slice/problems.service\n", "sys/fs/cgroup/system.slice/problems.service/memory.max": "134217728\n"}, "128MiB"},
		"slice of the unit": {map[string]string{"proc/self/cgroup": "0::/a.slice/b.service\n", "sys/fs/cgroup/a.slice/b.service/memory.max": "268435456\n", "sys/fs/cgroup/a.slice/memory.max": "134217728\n"}, "128MiB"},
		"path of the host":  {map[string]string{"proc/self/cgroup": "0::/kubepods/pod1/c1\n", "sys/fs/cgroup/memory.max": "134217728\n"}, "128MiB"},
		"parent above":      {map[string]string{"proc/self/cgroup": "0::/../other\n", "sys/fs/cgroup/memory.max": "134217728\n"}, "128MiB"},
		"version 1":         {map[string]string{"proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/docker/1\n", "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "268435456\n"}, "256MiB"},
		"version 1, inside": {map[string]string{"proc/self/cgroup": "4:memory:/docker/1\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n"}, "256MiB"},
		"version 1, none":   {map[string]string{"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, "0"},
		"both":              {map[string]string{"proc/self/cgroup": "4:memory:/\n1:name=systemd:/\n0::/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n"}, "256MiB"},
		"damaged":           {map[string]string{"proc/self/cgroup": "nonsense\n0::/\n", "sys/fs/cgroup/memory.max": "\n"}, "0"},
	} {
		root := fstest.MapFS{}
		for path, content := range c.files {
			root[path] = &fstest.MapFile{Data: []byte(content)}
		}
		if got := config.ContainerMemory(root).String(); got != c.want {
			t.Errorf("%s: the limit is %s, want %s", name, got, c.want)
		}
	}
}

func TestMemoryAboveItsContainer(t *testing.T) {
	t.Parallel()
	s := config.Settings{Limits: config.Limits{Memory: 256 << 20}}
	for limit, want := range map[config.Size]bool{0: false, 256<<20 - 1: true, 256 << 20: false, 1 << 30: false} {
		found := false
		for _, risk := range s.Risks(limit) {
			found = found || strings.HasPrefix(risk.What, "--memory is 256MiB") && risk.Mend != ""
		}
		if found != want {
			t.Errorf("with a limit of %s, a warning: %t", limit, found)
		}
	}
}
