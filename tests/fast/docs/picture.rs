//! A screen as a picture: cells of a buffer to SVG, aligned in whatever font the reader has.
//! Must not know: what the screen shows.
//!
//! Every stretch of text stands at its column and is told how wide it is, so that no font can shift what follows it.
//! Rules are drawn as lines: they meet in any font. Wide letters stand alone.

use countersign::core::text::width;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The size of a letter, and of its cell: 0.602 is the advance of the fonts named below.
const FONT: f64 = 14.0;
const CELL: (f64, f64) = (8.428, 19.0);
/// From a cell's top to the line that letters stand on.
const BASELINE: f64 = 14.2;
/// Around the screen.
const MARGIN: f64 = 14.0;
const FONTS: &str = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace";
/// What a theme calls the terminal's own colours.
const PAPER: &str = "#0d1117";
const INK: &str = "#d0d7de";

/// Letters side by side in one look.
struct Stretch {
    column: u16,
    columns: usize,
    text: String,
    /// As CSS.
    look: String,
}

/// The picture of a buffer; `title` is for those who cannot see it.
pub fn render(buffer: &Buffer, title: &str) -> String {
    let (columns, rows) = (buffer.area.width, buffer.area.height);
    let (wide, high) = (f64::from(columns) * CELL.0 + 2.0 * MARGIN, f64::from(rows) * CELL.1 + 2.0 * MARGIN);
    let mut classes: BTreeMap<String, usize> = BTreeMap::new();
    let (mut grounds, mut letters) = (String::new(), String::new());
    let mut rules: BTreeMap<String, String> = BTreeMap::new();
    for row in 0..rows {
        draw_grounds(buffer, row, &mut grounds);
        draw_rules(buffer, row, &mut rules);
        for stretch in stretches(buffer, row) {
            let next = classes.len();
            let class = *classes.entry(stretch.look.clone()).or_insert(next);
            let (x, y) = (left(stretch.column), top(row) + BASELINE);
            let length = width_of(stretch.columns);
            let text = escape(&stretch.text);
            // One letter has no gaps to widen: its place is all that matters.
            let length = if stretch.columns > 1 { format!(" textLength=\"{length}\"") } else { String::new() };
            writeln!(letters, "<text class=\"c{class}\" x=\"{x}\" y=\"{}\"{length}>{text}</text>", number(y)).unwrap();
        }
    }
    let mut style = format!("text{{font:{FONT}px {FONTS};white-space:pre}}");
    for (look, class) in &classes {
        write!(style, ".c{class}{{{look}}}").unwrap();
    }
    let rules: String =
        rules.iter().map(|(color, lines)| format!("<path stroke=\"{color}\" fill=\"none\" d=\"{lines}\"/>\n")).collect();
    let (wide, high) = (number(wide), number(high));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" role=\"img\" xml:space=\"preserve\">\n\
         <title>{}</title>\n<style>{style}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{PAPER}\"/>\n{grounds}{rules}{letters}</svg>\n",
        escape(title)
    )
}

/// How a cell's letter looks.
fn css(cell: &Cell) -> String {
    let mut out = format!("fill:{}", colors(cell).0);
    let has = |modifier| cell.modifier.contains(modifier);
    if has(Modifier::BOLD) {
        out.push_str(";font-weight:bold");
    }
    if has(Modifier::ITALIC) {
        out.push_str(";font-style:italic");
    }
    if has(Modifier::DIM) {
        out.push_str(";opacity:.6");
    }
    let lines = [(Modifier::UNDERLINED, " underline"), (Modifier::CROSSED_OUT, " line-through")];
    let lines: String = lines.iter().filter(|(modifier, _)| has(*modifier)).map(|(_, line)| *line).collect();
    if !lines.is_empty() {
        write!(out, ";text-decoration:{}", lines.trim()).unwrap();
    }
    out
}

/// Rectangles behind cells of one ground.
fn draw_grounds(buffer: &Buffer, row: u16, out: &mut String) {
    let mut column = 0;
    while column < buffer.area.width {
        let ground = colors(&buffer[(column, row)]).1;
        let end = (column..buffer.area.width).find(|&at| colors(&buffer[(at, row)]).1 != ground).unwrap_or(buffer.area.width);
        if ground != PAPER {
            let width = width_of(usize::from(end - column));
            let (x, y, height) = (left(column), number(top(row)), number(CELL.1));
            writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>").unwrap();
        }
        column = end;
    }
}

/// Box-drawing letters as lines, by colour.
fn draw_rules(buffer: &Buffer, row: u16, out: &mut BTreeMap<String, String>) {
    let mut column = 0;
    while column < buffer.area.width {
        let Some(arms) = arms(buffer[(column, row)].symbol()) else {
            column += 1;
            continue;
        };
        let color = colors(&buffer[(column, row)]).0;
        let lines = out.entry(color.clone()).or_default();
        let at = |column: f64| number(MARGIN + column * CELL.0);
        let (x, y) = (f64::from(column) + 0.5, top(row) + CELL.1 / 2.0);
        let mut line = |from: f64, to: f64| write!(lines, "M{} {}H{}", at(from), number(y), at(to)).unwrap();
        // A level rule goes on as far as its letter does.
        let level = (column..buffer.area.width)
            .take_while(|&at| buffer[(at, row)].symbol() == "─" && colors(&buffer[(at, row)]).0 == color)
            .count();
        if level > 0 {
            line(x - 0.5, x - 0.5 + f64::from(u16::try_from(level).unwrap()));
            column += u16::try_from(level).unwrap();
            continue;
        }
        if arms.contains('l') || arms.contains('r') {
            line(if arms.contains('l') { x - 0.5 } else { x }, if arms.contains('r') { x + 0.5 } else { x });
        }
        if arms.contains('u') || arms.contains('d') {
            let from = if arms.contains('u') { top(row) } else { y };
            let to = if arms.contains('d') { top(row) + CELL.1 } else { y };
            write!(lines, "M{} {}V{}", at(x), number(from), number(to)).unwrap();
        }
        column += 1;
    }
}

/// Which ways a rule leaves its cell: up, down, left, right.
fn arms(symbol: &str) -> Option<&'static str> {
    Some(match symbol {
        "─" => "lr",
        "│" => "ud",
        "┌" | "╭" => "dr",
        "┐" | "╮" => "dl",
        "└" | "╰" => "ur",
        "┘" | "╯" => "ul",
        "├" => "udr",
        "┤" => "udl",
        "┬" => "dlr",
        "┴" => "ulr",
        "┼" => "udlr",
        _ => return None,
    })
}

/// A row's letters. A gap of two blanks parts stretches, unless blanks show a line.
fn stretches(buffer: &Buffer, row: u16) -> Vec<Stretch> {
    let mut out: Vec<Stretch> = Vec::new();
    let mut column = 0;
    while column < buffer.area.width {
        let cell = &buffer[(column, row)];
        let columns = width::of(cell.symbol()).max(1);
        let text = if arms(cell.symbol()).is_some() { " " } else { cell.symbol() };
        let look = css(cell);
        let goes_on = |last: &Stretch| {
            let touches = usize::from(last.column) + last.columns == usize::from(column);
            let narrow = columns == 1 && last.columns == last.text.chars().count();
            let parted = hides_blanks(&look) && (last.text == " " || text == " " && last.text.ends_with(' '));
            last.look == look && touches && narrow && !parted
        };
        match out.last_mut().filter(|last| goes_on(last)) {
            Some(last) => {
                last.text.push_str(text);
                last.columns += 1;
            }
            None => out.push(Stretch { column, columns, text: text.to_owned(), look }),
        }
        column += u16::try_from(columns).unwrap();
    }
    for stretch in out.iter_mut().filter(|stretch| hides_blanks(&stretch.look)) {
        let kept = stretch.text.trim_end_matches(' ').len();
        stretch.columns -= stretch.text.len() - kept;
        stretch.text.truncate(kept);
    }
    out.retain(|stretch| !stretch.text.is_empty());
    out
}

/// Whether blanks of this look show nothing.
fn hides_blanks(look: &str) -> bool {
    !look.contains("text-decoration")
}

/// Letters' and ground's colour.
fn colors(cell: &Cell) -> (String, String) {
    let of = |color: Color, own: &str| match color {
        Color::Reset => own.to_owned(),
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        other => panic!("{other}: the theme of the pictures names its colours by value"),
    };
    let (fg, bg) = (of(cell.fg, INK), of(cell.bg, PAPER));
    if cell.modifier.contains(Modifier::REVERSED) { (bg, fg) } else { (fg, bg) }
}

fn left(column: u16) -> String {
    number(MARGIN + f64::from(column) * CELL.0)
}

fn top(row: u16) -> f64 {
    MARGIN + f64::from(row) * CELL.1
}

fn width_of(columns: usize) -> String {
    number(f64::from(u16::try_from(columns).unwrap()) * CELL.0)
}

/// A tenth of a pixel is as fine as it gets.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
