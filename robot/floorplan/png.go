package floorplan

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"

	"mybot/robot"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// decodePNG reads the size of a PNG picture and the states of its cells, row by row from
// the top, by the rules of Nav2's map_server: the shade is the mean of red, green and blue.
// Where any pixel is transparent, a transparent one is Unknown in scale mode, and in
// trinary mode the mean includes alpha.
func (s settings) decodePNG(data []byte) (width, height int, cells []robot.Cell, err error) {
	head, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0, nil, fmt.Errorf("has no proper header: %w", err)
	}
	switch head.ColorModel {
	case color.Gray16Model, color.RGBA64Model, color.NRGBA64Model:
		return 0, 0, nil, errors.New("has 16 bits per channel; they must be at most 8")
	}
	if err := checkSize(head.Width, head.Height); err != nil { // before memory is taken for the pixels
		return 0, 0, nil, err
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return 0, 0, nil, fmt.Errorf("is damaged: %w", err)
	}
	if grey, ok := picture.(*image.Gray); ok {
		return head.Width, head.Height, s.cellsOf(pgm{head.Width, head.Height, 255, grey.Pix}), nil
	}
	opaque := picture.(interface{ Opaque() bool }).Opaque()
	cells = make([]robot.Cell, 0, head.Width*head.Height)
	for y := range head.Height {
		for x := range head.Width {
			c := color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)
			cells = append(cells, s.cellOfColour(c, opaque))
		}
	}
	return head.Width, head.Height, cells, nil
}

// cellOfColour returns the state of a cell of a picture that is opaque or has transparent
// pixels.
func (s settings) cellOfColour(c color.NRGBA, opaque bool) robot.Cell {
	sum := float64(c.R) + float64(c.G) + float64(c.B)
	shade := sum / (3 * 255)
	switch {
	case s.mode == "scale" && c.A < 255:
		return robot.Unknown
	case s.mode == "trinary" && !opaque && shade != unknownShade:
		shade = (sum + float64(c.A)) / (4 * 255)
	}
	return s.cellOf(shade)
}
