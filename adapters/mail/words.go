package mail

// words are the texts of mails in one language.
type words struct {
	// layout is the form of times.
	layout string
	// nobody stands for an author without a name, and for a value that is null.
	nobody, null string
	created      string
	commented    string // after the author
	keyword      string // before the name
	keywordGone  string
	attached     string
	added        string // after a relationship
	removed      string
	cut          string
	open         string // before the link to the problem
	left         string // changes; with a number
	digest       string // subject; with a number
	digestBody   string
	more         string // problems; with a number
	answer       string // on the line above which an answer stands
	why          string
	settings     string // before the link to the settings
	unsubscribe  string // before the link that ends the mail
	testSubject  string
	testBody     string
}

var languages = map[string]*words{
	"en": {
		layout: "2 Jan 2006, 15:04 MST",
		nobody: "Somebody", null: "none",
		created: "created the problem", commented: "wrote", keyword: "Keyword", keywordGone: "removed", attached: "File", added: "added", removed: "removed",
		cut: "The comment goes on in the problem.", open: "Open the problem", left: "Earlier changes that are not in this mail: %d",
		digest: "Changed problems: %d", digestBody: "Many problems have changed. This mail is in place of one for each of them.",
		more:     "Further problems that have changed: %d",
		answer:   "Write your answer above this line. It becomes a comment.",
		why:      "You get this mail because you watch the problem, because you made it, or because it is assigned to you.",
		settings: "Choose your mail", unsubscribe: "Get no mail any more",
		testSubject: "A test of the mail", testBody: "The service can send mail. Somebody has asked for this test with the command problems mail.",
	},
	"de": {
		layout: "02.01.2006, 15:04 MST",
		nobody: "Jemand", null: "keine Angabe",
		created: "hat das Problem angelegt", commented: "schrieb", keyword: "Stichwort", keywordGone: "entfernt", attached: "Datei", added: "hinzugefügt", removed: "entfernt",
		cut: "Der Kommentar geht im Problem weiter.", open: "Problem öffnen", left: "Frühere Änderungen, die nicht in dieser Mail stehen: %d",
		digest: "Geänderte Probleme: %d", digestBody: "Viele Probleme haben sich geändert. Diese Mail ersetzt eine eigene Mail für jedes davon.",
		more:     "Weitere geänderte Probleme: %d",
		answer:   "Antworte über dieser Zeile. Deine Antwort wird ein Kommentar.",
		why:      "Du bekommst diese Mail, weil du das Problem beobachtest, weil du es angelegt hast oder weil es dir zugewiesen ist.",
		settings: "Mails auswählen", unsubscribe: "Keine Mails mehr bekommen",
		testSubject: "Ein Test der Mails", testBody: "Der Dienst kann Mails versenden. Jemand hat diesen Test mit dem Befehl problems mail angefordert.",
	},
}
