package session

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"mybot/session/protocol"
)

// lookalikes are letters that look like Latin ones after compatibility
// decomposition (NFKD): those of Cyrillic, Greek, Armenian and Latin in Unicode's
// confusables.txt that keyboards have.
var lookalikes = strings.NewReplacer(
	"а", "a", "ӓ", "a", "в", "b", "ь", "b", "с", "c", "ԁ", "d", "е", "e", "є", "e", "һ", "h", "н", "h", "і", "l", "ї", "l", "ј", "j", "к", "k", "м", "m", "о", "o",
	"р", "p", "ԛ", "q", "г", "r", "ѕ", "s", "т", "t", "ѵ", "v", "ԝ", "w", "х", "x", "у", "y", "ү", "y", "ӏ", "l",
	"α", "a", "β", "b", "ε", "e", "η", "n", "ι", "l", "κ", "k", "μ", "u", "ν", "v", "ο", "o", "ρ", "p", "σ", "o", "τ", "t", "υ", "u", "χ", "x", "γ", "y", "ω", "w",
	"ա", "w", "հ", "h", "ո", "n", "ս", "u", "օ", "o", "ց", "g", "ք", "f",
	"ɑ", "a", "ɡ", "g", "ı", "l", "ɩ", "l", "ʀ", "r", "ꮪ", "s", "ſ", "f",
	"0", "o", "1", "l", "i", "l", "|", "l", "rn", "m", "vv", "w",
)

// nameSkeleton returns the visual form of a name, for comparison: two names with
// the same skeleton can be mistaken for each other (as in UTS 39). Characters other
// than letters and numbers do not count, unless there are no others.
func nameSkeleton(name string) string {
	bare := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(name))
	bare = lookalikes.Replace(strings.ToLower(bare))
	letters := strings.Map(func(r rune) rune {
		if !unicode.In(r, unicode.L, unicode.N) {
			return -1
		}
		return r
	}, bare)
	if letters == "" {
		return strings.TrimSpace(bare)
	}
	return letters
}

// reservedNames are names that the robot uses for itself or for users without one.
var reservedNames = []string{
	"robot", "the robot", "Mybot", "command line", "somebody", "someone", "someone at the robot's screen", "nobody", "everybody", "everyone", "you", "server", "the server",
	"admin", "operator", "observer", "a program", "this computer",
}

// guestPattern matches the names of users who have given none.
var guestPattern = regexp.MustCompile(`^guest[0-9]+$`)

// isReservedName reports whether no user may have the name.
func isReservedName(name string) bool {
	looks := nameSkeleton(name)
	plain := strings.ToLower(strings.ReplaceAll(norm.NFKD.String(name), " ", ""))
	return guestPattern.MatchString(plain) ||
		strings.HasPrefix(looks, nameSkeleton("somebody at")) || strings.HasPrefix(looks, nameSkeleton("someone at")) ||
		slices.ContainsFunc(reservedNames, func(r string) bool { return nameSkeleton(r) == looks })
}

// commandLine is the name of this program's own command line when it runs on the
// robot's computer.
const commandLine = "Command line"

// isNameReservedFor reports whether the name is reserved for someone other than the
// person.
func (p *person) isNameReservedFor(name string) bool {
	return isReservedName(name) && (name != commandLine || p.grant != "")
}

// nameFault says why the person may not have the name; "" = it is allowed.
func (p *people) nameFault(name string, who *person) string {
	if name == guestName(who.id) {
		return ""
	}
	if who.isNameReservedFor(name) {
		return fmt.Sprintf("%q is a name that the robot uses itself. Choose another one.", name)
	}
	if other := p.findLookalike(name, who); other != "" {
		return fmt.Sprintf("%s is here already, and %q can be taken for that name. Choose another one.", other, name)
	}
	return ""
}

// findLookalike returns the name of another person in the row, also one that is being
// stored, which can be mistaken for this one; "" = none.
func (p *people) findLookalike(name string, who *person) string {
	looks := nameSkeleton(name)
	for _, other := range p.row {
		for _, taken := range []string{other.name, other.nextName} {
			if other != who && taken != "" && nameSkeleton(taken) == looks {
				return taken
			}
		}
	}
	return ""
}

// nameFor returns the name of a person who asks for one: that name, with the
// person's number if another user has it already, or a guest's name if it is
// reserved.
func (p *people) nameFor(name string, who *person) string {
	if name == "" || !protocol.IsName(name) || name != guestName(who.id) && who.isNameReservedFor(name) {
		return guestName(who.id)
	}
	if p.findLookalike(name, who) == "" {
		return name
	}
	number := fmt.Sprintf(" %d", who.id)
	letters := []rune(name)
	return strings.TrimSpace(string(letters[:min(len(letters), protocol.MaxName-len(number))])) + number
}
