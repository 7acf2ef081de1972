package postgrestest

import "syscall"

// endWithParent has the system end a child whose parent was killed: at once, but
// freeing its shared memory.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGQUIT }
