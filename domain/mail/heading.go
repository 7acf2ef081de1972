package mail

import (
	"strings"
)

// Mail programs write a heading above an answered or forwarded mail, in their languages. A
// word missing here leaves a quote in a comment. A rule without words would cut certificates
// and the titles of authors.
var (
	// known matches a title such as "-----Original Message-----".
	known = matching(`(?i)^-{3,} ?(?:original message|forwarded message` +
		`|ursprüngliche nachricht|original-?nachricht|weitergeleitete nachricht` +
		`|message d['’]origine|message original|message initial|message transféré` +
		`|mensaje original|mensaje reenviado|messaggio originale|messaggio inoltrato` +
		`|mensagem original|mensagem encaminhada` +
		`|oorspronkelijk bericht|origineel bericht|doorgestuurd bericht` +
		`|ursprungligt meddelande|originalmeddelande|vidarebefordrat meddelande` +
		`|oprindelig meddelelse|videresendt meddelelse|opprinnelig melding|videresendt melding` +
		`|alkuperäinen viesti|oryginalna wiadomość|wiadomość oryginalna|původní zpráva` +
		`|исходное сообщение|пересылаемое сообщение|原始邮件|转发的邮件) ?-{3,}$`)
	// other matches a title in any words. armour matches the first or last line of a
	// certificate, a key or a signed text.
	other  = matching(`^-{5,} ?\pL[\pL '’-]{2,40} ?-{5,}$`)
	armour = matching(`^-+ ?(?:BEGIN|END) `)

	// header matches a line such as "From: Ann" or "*Sent:* today", in any language.
	header = matching(`^\s*\*?\pL[\pL -]{0,30}\s?[:：]\*?(\s|$)`)
	// from matches the header of the author, and sent the header of the date or the subject.
	from = matching(`(?i)^\s*\*?(?:from|von|de|da|van|från|fra|lähettäjä|od` +
		`|от|发件人|寄件者|差出人)\s?[:：]\*?(\s|$)`)
	sent = matching(`(?i)^\s*\*?(?:sent|date|subject|gesendet|datum|betreff` +
		`|envoyé|objet|enviado( el)?|fecha|asunto|assunto|inviato|data|oggetto|verzonden|onderwerp` +
		`|skickat|ämne|sendt|dato|emne|lähetetty|aihe|wysłano|temat|odesláno|předmět` +
		`|отправлено|дата|тема|发送时间|主题|送信日時|件名)\s?[:：]\*?(\s|$)`)
	// ruled matches a dividing line.
	ruled = matching(`^\s*[_=-]{5,}\s*$`)
)

// fewestHeaders is the smallest number of headers written by a mail program.
const fewestHeaders = 3

// title reports whether a line is a title above an answered mail. It has known words, or the
// headers of the answered mail follow directly.
func title(line string, below []string) bool {
	if known.MatchString(line) {
		return true
	}
	if !other.MatchString(line) || armour.MatchString(line) || len(below) == 0 || !from.MatchString(below[0]) {
		return false
	}
	for _, l := range below[1:] {
		if sent.MatchString(l) {
			return true
		}
		if !header.MatchString(l) {
			return false
		}
	}
	return false
}

// withoutHeading returns the lines without the heading of the answered mail: some of its
// headers, or a sentence such as "On Sat, 14 Mar 2026, Ann wrote:".
func (r reply) withoutHeading(lines []string) []string {
	lines = withoutBlankEnd(lines)
	begin := paragraph(lines)
	for i := begin; i < len(lines); i++ {
		if !from.MatchString(lines[i]) || !strings.Contains(lines[i], "@") {
			continue
		}
		headers := 0
		for _, l := range lines[i:] {
			if header.MatchString(l) {
				headers++
			}
		}
		if headers >= fewestHeaders {
			lines = withoutBlankEnd(lines[:i])
			if n := len(lines); n > 0 && ruled.MatchString(lines[n-1]) {
				lines = withoutBlankEnd(lines[:n-1])
			}
			return lines
		}
	}
	without, _ := r.withoutAttribution(lines)
	return without
}
