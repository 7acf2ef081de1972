// Package protocol has the messages between package postgrestest and its program
// containers. Both ends are net/rpc on the program's standard input and output.
package protocol

// Service is the name of the service. containers.Service has its methods.
const Service = "Containers"

// None is the argument or the reply of a method without one.
type None struct{}

// Engine describes the Docker engine of this machine.
type Engine struct {
	// Answers is false when the machine has no engine, or the engine is silent.
	Answers bool
	// Host is the address of published ports.
	Host string
}

// Order describes a container to create.
type Order struct {
	// Owner is the process of the test, as a label of the container.
	Owner string
	// Password is for the superuser postgres.
	Password string
	// Port of the host leads to the server. It stays the same at each start.
	Port int
	// Settings are of postgresql.conf, each as name=value.
	Settings []string
	// Volatile allows the container to lose its data when it stops.
	Volatile bool
}

// Container is an existing container with its owner.
type Container struct{ ID, Owner string }

// Signal is sent to the first process of a container.
type Signal struct{ ID, Name string }
