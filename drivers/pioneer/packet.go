package pioneer

import (
	"encoding/binary"
	"fmt"
)

// The limits of a packet, in bytes of data.
const (
	minData = 1   // its type, or the number of the command
	maxData = 200 // the limit of every firmware
)

const headerA, headerB = 0xFA, 0xFB

// AppendPacket appends the packet with the data: the header, the number of bytes
// that follow, the data, and the checksum, high byte first. It panics if the data
// is empty or longer than 200 bytes.
func AppendPacket(dst, data []byte) []byte {
	if len(data) < minData || len(data) > maxData {
		panic(fmt.Sprintf("pioneer: a packet of %d bytes of data", len(data)))
	}
	dst = append(dst, headerA, headerB, byte(len(data)+2))
	dst = append(dst, data...)
	return binary.BigEndian.AppendUint16(dst, checksum(data))
}

// checksum returns the sum of the big-endian pairs of bytes modulo 2^16; a last
// byte without a partner is XORed into the low byte.
func checksum(data []byte) uint16 {
	var sum uint16
	for ; len(data) > 1; data = data[2:] {
		sum += binary.BigEndian.Uint16(data)
	}
	if len(data) == 1 {
		sum ^= uint16(data[0])
	}
	return sum
}

// A Splitter finds the packets in the bytes from a robot. It skips bytes that
// belong to no packet. The zero Splitter is ready.
type Splitter struct {
	buffer []byte // received and not yet split; begins with a header, or part of one
	faulty uint64
}

// Split takes received bytes and calls take with the data of each complete packet
// with a correct checksum. The data is valid only during the call.
func (s *Splitter) Split(received []byte, take func(data []byte)) {
	s.buffer = append(s.buffer, received...)
	rest := s.buffer
	for {
		rest = skipToHeader(rest)
		if len(rest) < 3 {
			break
		}
		length := int(rest[2])
		if length < minData+2 || length > maxData+2 {
			s.faulty++
			rest = rest[2:]
			continue
		}
		if len(rest) < 3+length {
			break
		}
		data := rest[3 : 1+length]
		if checksum(data) != binary.BigEndian.Uint16(rest[1+length:]) {
			s.faulty++
			rest = rest[2:] // a header may have begun inside
			continue
		}
		take(data)
		rest = rest[3+length:]
	}
	s.buffer = append(s.buffer[:0], rest...)
}

// Faulty returns the number of packets with a wrong length or checksum.
func (s *Splitter) Faulty() uint64 { return s.faulty }

// skipToHeader returns b from the first header on, or from its first byte at the
// very end.
func skipToHeader(b []byte) []byte {
	for i := range b {
		if b[i] == headerA && (i+1 == len(b) || b[i+1] == headerB) {
			return b[i:]
		}
	}
	return nil
}
