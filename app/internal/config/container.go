package config

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// ContainerMemory returns the limit of memory that a container or a unit of systemd sets for
// this process, from the files of cgroups; 0 without one. root is the root of the file system.
//
// A limit holds for everything below it, so the least on the way up counts. In a container,
// the path can be one of the host: then its own is at the top.
func ContainerMemory(root fs.FS) Size {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	least := Size(math.MaxInt64)
	for lines := bufio.NewScanner(bytes.NewReader(groups)); lines.Scan(); {
		parts := strings.SplitN(lines.Text(), ":", 3) // number, controllers, path
		if len(parts) < 3 {
			continue
		}
		top, name := "sys/fs/cgroup", "memory.max" // of version 2
		if parts[0] != "0" || parts[1] != "" {
			if !strings.Contains(","+parts[1]+",", ",memory,") {
				continue
			}
			top, name = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			// "max" is no number, and a group of the host is no file here.
			text, _ := fs.ReadFile(root, path.Join(top, group, name))
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
				least = min(least, Size(n))
			}
			if group == "/" {
				break
			}
		}
	}
	if least >= unlimited {
		return 0
	}
	return least
}

// unlimited is below the number that version 1 has for no limit, and above any memory.
const unlimited = 1 << 60
