package serve

import (
	"net"
	"net/http"
	"testing"
)

func TestNetworkOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"0.0.0.0:80": "tcp4", "127.0.0.1:0": "tcp4", "[::]:80": "tcp", "[::1]:80": "tcp", ":80": "tcp", "localhost:80": "tcp", "[::ffff:127.0.0.1]:80": "tcp",
	} {
		if got := networkOf(address); got != want {
			t.Errorf("%s is listened on by %s, not %s", address, got, want)
		}
	}
}

// All addresses of IPv4 are none of IPv6.
func TestListenOnIPv4Alone(t *testing.T) {
	t.Parallel()
	e := &endpoint{address: "0.0.0.0:0", server: new(http.Server)}
	if err := e.listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer e.listener.Close()
	_, port, err := net.SplitHostPort(e.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	connection, err := net.Dial("tcp4", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	_ = connection.Close()
	if connection, err := net.Dial("tcp6", "[::1]:"+port); err == nil {
		_ = connection.Close()
		t.Error("--listen 0.0.0.0 also listens on IPv6")
	}
}
