module mybot

go 1.26.0

require (
	github.com/a-h/templ v0.3.977
	github.com/blackjack/webcam v0.6.1
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.22.1
	github.com/foxglove/mcap/go/mcap v1.7.3
	github.com/go-chi/chi/v5 v5.5.0
	github.com/klauspost/compress v1.18.0
	github.com/mdp/qrterminal/v3 v3.2.1
	github.com/paulmach/orb v0.14.0
	github.com/pierrec/lz4/v4 v4.1.22
	github.com/pion/dtls/v2 v2.2.12
	github.com/pion/ice/v2 v2.3.38
	github.com/pion/interceptor v0.1.29
	github.com/pion/logging v0.2.4
	github.com/pion/rtcp v1.2.14
	github.com/pion/rtp v1.8.26
	github.com/pion/sctp v1.12.0
	github.com/pion/sdp/v3 v3.0.9
	github.com/pion/stun v0.6.1
	github.com/pion/transport/v2 v2.2.10
	github.com/pion/turn/v2 v2.1.6
	github.com/pion/webrtc/v3 v3.3.6
	github.com/prometheus/client_golang v1.23.2
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.2
	github.com/y9o/go-openh264 v0.2.0
	go.bug.st/serial v1.8.0
	go.etcd.io/bbolt v1.5.0
	go.yaml.in/yaml/v3 v3.0.6
	golang.org/x/image v0.47.0
	golang.org/x/net v0.62.0
	golang.org/x/sync v0.24.0
	golang.org/x/sys v0.49.0
	golang.org/x/text v0.43.0
	nhooyr.io/websocket v1.8.17
	pgregory.net/rapid v1.3.0
	rsc.io/qr v0.2.0
)

require (
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/google/uuid v1.3.1 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/pion/datachannel v1.5.8 // indirect
	github.com/pion/mdns v0.0.12 // indirect
	github.com/pion/randutil v0.1.0 // indirect
	github.com/pion/srtp/v2 v2.0.20 // indirect
	github.com/pion/transport/v5 v5.1.1 // indirect
	github.com/prometheus/client_model v0.6.2 // indirect
	github.com/prometheus/common v0.66.1 // indirect
	github.com/prometheus/procfs v0.16.1 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	github.com/wlynxg/anet v0.0.5 // indirect
	go.mongodb.org/mongo-driver/v2 v2.5.0 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/term v0.47.0 // indirect
	google.golang.org/protobuf v1.36.8 // indirect
)
