package postgrestest

import "syscall"

// endWithParent has the system end the child of a killed parent: at once, but with its
// shared memory left.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGQUIT }
