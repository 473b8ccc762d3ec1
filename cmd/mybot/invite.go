package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/mdp/qrterminal/v3"

	"mybot/app"
	"mybot/session/access"
)

// printInvitation prints how other users connect.
func printInvitation(w io.Writer, i app.Invitation) {
	var text strings.Builder
	text.WriteString("Others on the network connect with a code.\n\n")
	for n, address := range i.Addresses {
		label := "    Open  "
		if n > 0 {
			label = "      or  "
		}
		text.WriteString(label + address + "/\n")
	}
	fmt.Fprintf(&text, "    PIN   %s %s   to drive; valid until the robot restarts or someone who used it is revoked\n\n", i.PIN[:4], i.PIN[4:])
	fmt.Fprintf(&text, "For yourself: this link makes an admin, once and within %.0f minutes:\n\n    %s\n\n", access.OneTimeLife.Minutes(), i.Link)
	drawQRCode(&text, i.Link)
	if i.Fingerprint != "" {
		fmt.Fprintf(&text, "\nBrowsers do not trust this robot's certificate yet; its page /ca says how to change that. Its authority's SHA-256:\n%s\n", i.Fingerprint)
	} else if strings.HasPrefix(i.Link, "http://") {
		text.WriteString("\nThis is plain http: anyone on the network can read these codes and use them. --tls self prevents it.\n")
	}
	_, _ = fmt.Fprintln(w, text.String()) // if the terminal is gone, the codes do not matter
}

// drawQRCode writes a link as a QR code.
func drawQRCode(w io.Writer, link string) {
	qrterminal.GenerateWithConfig(link, qrterminal.Config{
		Level: qrterminal.L, Writer: w, QuietZone: 2, HalfBlocks: true,
		BlackChar: qrterminal.BLACK_BLACK, BlackWhiteChar: qrterminal.BLACK_WHITE,
		WhiteChar: qrterminal.WHITE_WHITE, WhiteBlackChar: qrterminal.WHITE_BLACK,
	})
}
