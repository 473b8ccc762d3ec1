package floorplan

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"mybot/robot"
)

var trinary = settings{mode: "trinary", occupied: 0.65, free: 0.196}

func encodePNG(t testing.TB, picture image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pictureOf returns a picture, two pixels wide, in the kind of PNG that each colour model gives.
func pictureOf(model color.Model, pixels ...color.Color) image.Image {
	box := image.Rect(0, 0, 2, len(pixels)/2)
	var picture interface {
		image.Image
		Set(x, y int, c color.Color)
	}
	switch m := model.(type) {
	case color.Palette:
		picture = image.NewPaletted(box, m)
	default:
		if model == color.GrayModel {
			picture = image.NewGray(box)
		} else {
			picture = image.NewNRGBA(box)
		}
	}
	for i, p := range pixels {
		picture.Set(i%2, i/2, p)
	}
	return picture
}

func TestAPNGMeansTheSameAsThePGMOfItsGreys(t *testing.T) {
	black, white, grey, unknown := color.Gray{0}, color.Gray{254}, color.Gray{128}, color.Gray{205}
	for name, model := range map[string]color.Model{
		"grey":    color.GrayModel,
		"RGB":     color.RGBAModel,
		"palette": color.Palette{white, black, unknown, grey}, // 2 bits, as ImageMagick writes few colours
	} {
		data := encodePNG(t, pictureOf(model, black, white, grey, unknown))
		for _, s := range []settings{trinary, {mode: "trinary", occupied: 0.65, free: 0.25}, {mode: "trinary", occupied: 0.65, free: 0.196, negate: true}, {mode: "scale", occupied: 0.65, free: 0.25}, {mode: "raw", occupied: 0.65, free: 0.25}} {
			width, height, cells, err := s.decodePNG(data)
			if err != nil {
				t.Fatal(err)
			}
			if want := s.cellsOf(pgm{2, 2, 255, []uint8{0, 254, 128, 205}}); width != 2 || height != 2 || !slices.Equal(cells, want) {
				t.Errorf("%s, %+v: %d x %d cells %v, want %v", name, s, width, height, cells, want)
			}
		}
	}
}

func TestTheColoursAndTransparencyOfAPNGMeanWhatMapServerSays(t *testing.T) {
	clear := color.NRGBA{254, 254, 254, 0}
	for _, c := range []struct {
		name  string
		s     settings
		pixel color.NRGBA
		with  color.NRGBA // another pixel
		want  robot.Cell
	}{
		{"the mean of the colours counts", trinary, color.NRGBA{255, 255, 105, 255}, color.NRGBA{0, 0, 0, 255}, robot.Unknown}, // their luma would be free
		{"a red wall is not dark", trinary, color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 0, 255}, robot.Occupied},
		{"scale: transparent is unknown", settings{mode: "scale", occupied: 0.65, free: 0.25}, clear, color.NRGBA{0, 0, 0, 255}, robot.Unknown},
		{"scale: opaque is what it was", settings{mode: "scale", occupied: 0.65, free: 0.25}, color.NRGBA{254, 254, 254, 255}, clear, robot.Free},
		{"trinary: transparent white is unknown", trinary, clear, color.NRGBA{0, 0, 0, 255}, robot.Unknown},
		{"trinary: transparent black is occupied", trinary, color.NRGBA{}, clear, robot.Occupied},
		{"trinary: opaque black is occupied", trinary, color.NRGBA{0, 0, 0, 255}, clear, robot.Occupied},
		{"trinary: opaque white is free", trinary, color.NRGBA{254, 254, 254, 255}, clear, robot.Free},
		{"trinary: opaque 205 stays unknown", trinary, color.NRGBA{205, 205, 205, 255}, clear, robot.Unknown},
		{"raw: alpha does not count", settings{mode: "raw", occupied: 0.65, free: 0.25}, color.NRGBA{100, 100, 100, 0}, clear, robot.Occupied},
	} {
		_, _, cells, err := c.s.decodePNG(encodePNG(t, pictureOf(color.NRGBAModel, c.pixel, c.with)))
		if err != nil {
			t.Fatal(err)
		}
		if cells[0] != c.want {
			t.Errorf("%s: %d, want %d", c.name, cells[0], c.want)
		}
	}
}

func TestAPNGStartsAtTheTop(t *testing.T) {
	for _, name := range []string{"depot.png", "depot.pgm"} { // what it is counts, as in ROS
		plan, err := Load(fstest.MapFS{
			"map.yaml": {Data: []byte("image: " + name + "\nresolution: 0.1\norigin: [-1.0, -2.0, 0.0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.25\n")},
			name:       {Data: encodePNG(t, pictureOf(color.GrayModel, color.Gray{0}, color.Gray{254}, color.Gray{254}, color.Gray{205}, color.Gray{254}, color.Gray{254}))},
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []robot.Cell{robot.Free, robot.Free, robot.Free, robot.Unknown, robot.Occupied, robot.Free}
		if g := plan.Grid; g.Width != 2 || g.Height != 3 || !slices.Equal(g.Cells, want) || plan.Name != "depot" {
			t.Errorf("%q: %d x %d cells %v, want %v", plan.Name, g.Width, g.Height, g.Cells, want)
		}
	}
}

// headed returns a picture's data with another size in its header.
func headed(data []byte, width, height uint32) []byte {
	data = bytes.Clone(data)
	binary.BigEndian.PutUint32(data[16:], width)
	binary.BigEndian.PutUint32(data[20:], height)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

func TestABrokenPNGIsRefusedWithWords(t *testing.T) {
	good := encodePNG(t, pictureOf(color.GrayModel, color.Gray{0}, color.Gray{254}))
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"no header", good[:12], "has no proper header"},
		{"cut short", good[:len(good)-20], "is damaged"},
		{"more rows than pixels", headed(good, 2, 4096), "is damaged"},
		{"16 bits", encodePNG(t, image.NewGray16(image.Rect(0, 0, 2, 2))), "has 16 bits per channel; they must be at most 8"},
		{"a bomb, before its pixels are read", headed(good, 1<<15, 1<<12), "has 32768 x 4096 cells; Mybot takes at most 16777216"},
		{"one row too many", headed(good, 4096, 4097), "has 4096 x 4097 cells"},
		{"more pixels than a number has", headed(good, 1<<31-1, 1<<31-1), "has no proper header"},
	} {
		if _, _, _, err := trinary.decodePNG(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

func FuzzPNG(f *testing.F) {
	for _, model := range []color.Model{color.GrayModel, color.RGBAModel, color.Palette{color.White, color.Black, color.Transparent}} {
		f.Add(encodePNG(f, pictureOf(model, color.White, color.Black, color.Gray{205}, color.Black)))
	}
	f.Add(encodePNG(f, pictureOf(color.NRGBAModel, color.NRGBA{255, 255, 255, 9}, color.Black)))
	f.Add(headed(encodePNG(f, pictureOf(color.GrayModel, color.White, color.Black)), 1<<15, 1<<15))
	f.Fuzz(func(t *testing.T, data []byte) {
		if head, err := png.DecodeConfig(bytes.NewReader(data)); err == nil && head.Width*head.Height > 1<<16 && head.Width*head.Height <= MaxCells {
			return // slow
		}
		for _, mode := range []string{"trinary", "scale", "raw"} {
			width, height, cells, err := settings{mode: mode, occupied: 0.65, free: 0.196}.decodePNG(data)
			if err == nil && (width < 1 || height < 1 || len(cells) != width*height) {
				t.Fatalf("%d x %d with %d cells", width, height, len(cells))
			}
		}
	})
}
