package config

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// checkAddress refuses what is no host and port.
func checkAddress(flag, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("%s has to be a host and a port such as 127.0.0.1:8080", flag)
	}
	return nil
}

// checkLocal refuses what is no address of this machine alone. Names of hosts can lead
// anywhere.
func checkLocal(flag, address string) error {
	if err := checkAddress(flag, address); err != nil {
		return err
	}
	host, _, _ := net.SplitHostPort(address) // checked
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return fmt.Errorf("%s has to be an address of this machine alone, such as 127.0.0.1:6060: it asks for no token", flag)
	}
	return nil
}

// checkListeners refuses an address that two listeners would take.
func (s *Settings) checkListeners() error {
	type listener struct{ flag, address string }
	listeners := []listener{{"--listen", s.Server.Listen}}
	if s.Server.MetricsListen != "" {
		listeners = append(listeners, listener{"--metrics-listen", s.Server.MetricsListen})
	}
	if s.Server.ProfilesListen != "" {
		listeners = append(listeners, listener{"--profiles-listen", s.Server.ProfilesListen})
	}
	if network, address := s.Mail.Replies(); network == "tcp" {
		listeners = append(listeners, listener{"--mail-replies-listen", address})
	}
	for i, one := range listeners {
		for _, other := range listeners[:i] {
			if overlap(one.address, other.address) {
				return fmt.Errorf("%s and %s name the same address, %s: each needs a port of its own", other.flag, one.flag, one.address)
			}
		}
	}
	return nil
}

// overlap reports whether two listeners cannot both have their address. Names of hosts are
// compared as they are written.
func overlap(one, other string) bool {
	host, port, err := net.SplitHostPort(one)
	otherHost, otherPort, otherErr := net.SplitHostPort(other)
	if err != nil || otherErr != nil { // refused by checkAddress
		return false
	}
	number, err := strconv.ParseUint(port, 10, 16)
	otherNumber, otherErr := strconv.ParseUint(otherPort, 10, 16)
	if err != nil || otherErr != nil || number != otherNumber || number == 0 { // the system chooses another one for each 0
		return false
	}
	return host == otherHost || everywhere(host) || everywhere(otherHost)
}

// everywhere reports whether a host stands for all addresses of the machine.
func everywhere(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "" || err == nil && ip.Unmap().IsUnspecified()
}
