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
	cells = make([]robot.Cell, head.Width*head.Height)
	opaque := picture.(interface{ Opaque() bool }).Opaque()
	switch p := picture.(type) {
	case *image.Paletted:
		var state [256]robot.Cell
		for i, c := range p.Palette {
			state[i] = s.cellOfColour(color.NRGBAModel.Convert(c).(color.NRGBA), opaque)
		}
		for i, v := range p.Pix {
			cells[i] = state[v]
		}
	case *image.RGBA: // without alpha
		s.colourCells(cells, p.Pix, opaque)
	case *image.NRGBA:
		s.colourCells(cells, p.Pix, opaque)
	}
	return head.Width, head.Height, cells, nil
}

// colourCells sets the cells by the red, green, blue and alpha of each pixel.
func (s settings) colourCells(cells []robot.Cell, pixels []uint8, opaque bool) {
	for i := range cells {
		p := pixels[4*i:][:4]
		cells[i] = s.cellOfColour(color.NRGBA{R: p[0], G: p[1], B: p[2], A: p[3]}, opaque)
	}
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
