package mail

import (
	"crypto/hmac"
	"encoding/base32"
	"encoding/binary"
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/webhook"
)

// replyMac is the length of the proof in a token for replies, in bytes. A guess costs a
// conversation with the service, so it can be short: an address has to fit into 64
// characters.
const replyMac = 10

// replyText is base32 in lower case. Mail servers on the way may change letter case.
var replyText = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// MostLocal is the most characters in the local part of the address for replies, without
// token and "+". With the token of any problem below 2^32, the local part has at most the 64
// characters of RFC 5321.
const MostLocal = 15

// NewReplyToken returns the token in the address for replies to a user's mail about a
// problem. Anybody with the address can comment on this problem as this user, and do nothing
// else. A token never expires.
func NewReplyToken(k webhook.Key, who ident.ID, id problem.ID) string {
	number := binary.BigEndian.AppendUint64(nil, uint64(id))
	short := number
	for len(short) > 1 && short[0] == 0 {
		short = short[1:]
	}
	proof := k.Derive("problems mail reply", append(who[:], number...))[:replyMac]
	return replyText.EncodeToString(append(append(who[:], proof...), short...))
}

// ReadReplyToken returns the user and the problem of a token. ok is false for any other text.
// Letter case does not count.
func ReadReplyToken(k webhook.Key, token string) (who ident.ID, id problem.ID, ok bool) {
	token = strings.ToLower(token)
	b, err := replyText.DecodeString(token)
	if short := len(b) - len(who) - replyMac; err != nil || short < 1 || short > 8 {
		return ident.None, 0, false
	}
	copy(who[:], b)
	for _, digit := range b[len(who)+replyMac:] {
		id = id<<8 | problem.ID(digit)
	}
	// The token is compared as a whole, so a problem has one form of its number.
	if !hmac.Equal([]byte(token), []byte(NewReplyToken(k, who, id))) {
		return ident.None, 0, false
	}
	return who, id, true
}

// ReplyAddress returns the address for replies with a token: "reply@example.org" becomes
// "reply+TOKEN@example.org".
func ReplyAddress(address, token string) string {
	at := max(0, strings.LastIndexByte(address, '@'))
	return address[:at] + "+" + token + address[at:]
}

// TokenOf returns the token in an address for replies: all behind the last "+" of its local
// part. The rest of the address does not count: mail servers may have rewritten it. ok is
// false for an address without "+".
func TokenOf(address string) (token string, ok bool) {
	if at := strings.LastIndexByte(address, '@'); at >= 0 {
		address = address[:at]
	}
	plus := strings.LastIndexByte(address, '+')
	return address[plus+1:], plus >= 0
}
