//! Plots as one self-contained SVG file, dark on light: no script, no link, no font of its own, the same bytes every time.
//! Must not know: which curves are drawn, or why.

use crate::core::results::Better;
use crate::core::results::plot::{Axis, Mark, Plot, Series};
use crate::core::text::gate;

/// Sizes in pixels.
const WIDE: f64 = 960.0;
const LEFT: f64 = 96.0;
const RIGHT: f64 = 40.0;
/// From the panel's top to the first line of the legend.
const HEAD: f64 = 56.0;
const LINE: f64 = 20.0;
const FIELD: f64 = 400.0;
const FOOT: f64 = 72.0;

/// Told apart by people who see few colours too.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#117733", "#882255"];
const REFERENCE: &str = "#555555";
const INK: &str = "#1a1a1a";
const GRID: &str = "#dddddd";

/// Columns of a text, of a title and of the name of a mark: what is longer would leave the picture.
const LONG: usize = 130;
const TITLE: usize = 90;
const SHORT: usize = 36;

/// One panel under the other.
pub fn render(plots: &[Plot]) -> String {
    let heights: Vec<f64> = plots.iter().map(height).collect();
    let high = heights.iter().sum::<f64>().max(HEAD);
    let names: Vec<String> = plots.iter().map(|plot| escape(&plot.title)).collect();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDE}\" height=\"{high}\" viewBox=\"0 0 {WIDE} {high}\" \
         font-family=\"sans-serif\" font-size=\"13\" fill=\"{INK}\" role=\"img\">\n<title>{}</title>\n\
         <rect width=\"{WIDE}\" height=\"{high}\" fill=\"#ffffff\"/>\n",
        names.join("; ")
    );
    if plots.is_empty() {
        out.push_str(&text(LEFT, HEAD / 2.0, "", "No point has a place in a plot."));
    }
    let mut top = 0.0;
    for (plot, high) in plots.iter().zip(&heights) {
        out.push_str(&format!("<g transform=\"translate(0 {top})\">\n"));
        panel(&mut out, plot);
        out.push_str("</g>\n");
        top += high;
    }
    out.push_str("</svg>\n");
    out
}

fn height(plot: &Plot) -> f64 {
    HEAD + LINE * plot.series.len() as f64 + FIELD + FOOT
}

/// Where the field of a plot stands in its panel.
struct Field<'a> {
    plot: &'a Plot,
    top: f64,
}

impl Field<'_> {
    fn x(&self, value: f64) -> f64 {
        LEFT + self.plot.x.share(value) * (WIDE - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        self.top + (1.0 - self.plot.y.share(value)) * FIELD
    }
}

fn panel(out: &mut String, plot: &Plot) {
    let field = Field { plot, top: HEAD + LINE * plot.series.len() as f64 };
    out.push_str(&text(LEFT, 28.0, "font-size=\"17\" font-weight=\"bold\"", &gate::line_capped(&plot.title, TITLE)));
    for (at, series) in plot.series.iter().enumerate() {
        legend(out, series, colour(series, at), HEAD - 8.0 + LINE * at as f64);
    }
    axes(out, &field);
    // The reference lies behind.
    let mut order: Vec<(usize, &Series)> = plot.series.iter().enumerate().collect();
    order.sort_by_key(|(_, series)| !series.reference);
    for (at, series) in order {
        draw(out, &field, series, colour(series, at));
    }
}

fn colour(series: &Series, at: usize) -> &'static str {
    let own = COLOURS.get(at % COLOURS.len()).copied().unwrap_or(INK);
    if series.reference { REFERENCE } else { own }
}

fn legend(out: &mut String, series: &Series, colour: &str, y: f64) {
    out.push_str(&dot(LEFT + 6.0, y - 4.0, colour, series.reference, true));
    let kept = series.line().count();
    let name = gate::line_capped(&series.name, TITLE - 20);
    let mut said = format!("{name}: {kept} of {} points on the frontier", series.marks.len() + series.invalid);
    if series.invalid > 0 {
        said.push_str(&format!(", {} cannot be drawn", series.invalid));
    }
    if series.reference {
        said.push_str(" (reference, hollow)");
    }
    out.push_str(&text(LEFT + 20.0, y, "", &said));
}

fn axes(out: &mut String, field: &Field<'_>) {
    let Field { plot, top } = field;
    let (right, bottom) = (WIDE - RIGHT, top + FIELD);
    for tick in &plot.x.ticks {
        let x = field.x(tick.at);
        out.push_str(&format!("<path d=\"M{x:.1} {top:.1}V{bottom:.1}\" stroke=\"{GRID}\"/>\n"));
        out.push_str(&text(x, bottom + 18.0, "text-anchor=\"middle\"", &tick.label));
    }
    for tick in &plot.y.ticks {
        let y = field.y(tick.at);
        out.push_str(&format!("<path d=\"M{LEFT:.1} {y:.1}H{right:.1}\" stroke=\"{GRID}\"/>\n"));
        out.push_str(&text(LEFT - 8.0, y + 4.0, "text-anchor=\"end\"", &tick.label));
    }
    out.push_str(&format!("<path d=\"M{LEFT:.1} {top:.1}V{bottom:.1}H{right:.1}\" fill=\"none\" stroke=\"{INK}\"/>\n"));
    let middle = (LEFT + right) / 2.0;
    out.push_str(&text(middle, bottom + 44.0, "text-anchor=\"middle\"", &titled(&plot.x)));
    let middle = top + FIELD / 2.0;
    let turned = format!("text-anchor=\"middle\" transform=\"rotate(-90 20 {middle:.1})\"");
    out.push_str(&text(20.0, middle, &turned, &titled(&plot.y)));
}

fn titled(axis: &Axis) -> String {
    let better = match axis.better {
        Better::Higher => "higher is better",
        Better::Lower => "lower is better",
    };
    format!("{} ({better})", axis.title)
}

fn draw(out: &mut String, field: &Field<'_>, series: &Series, colour: &str) {
    let line: Vec<String> = series.line().map(|(x, y)| format!("{:.1},{:.1}", field.x(x), field.y(y))).collect();
    if line.len() > 1 {
        let dashes = if series.reference { " stroke-dasharray=\"6 4\"" } else { "" };
        let points = line.join(" ");
        out.push_str(&format!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>\n"
        ));
    }
    for mark in &series.marks {
        let (x, y) = (field.x(mark.x), field.y(mark.y));
        let told = format!("<title>{}</title>", escape(&tell(field.plot, series, mark)));
        out.push_str(&format!("<g>{told}{}</g>\n", dot(x, y, colour, series.reference, mark.frontier).trim_end()));
        if mark.frontier && !series.reference {
            // Near the right edge there is room on the left only.
            let left = x > WIDE - RIGHT - 140.0;
            let (x, anchor) =
                if left { (x - 9.0, "text-anchor=\"end\" font-size=\"11\"") } else { (x + 9.0, "font-size=\"11\"") };
            out.push_str(&text(x, y + 14.0, anchor, &gate::line_capped(&mark.label, SHORT)));
        }
    }
}

/// All that the mark says, where a pointer rests on it.
fn tell(plot: &Plot, series: &Series, mark: &Mark) -> String {
    let frontier = if mark.frontier { "on the frontier" } else { "not on the frontier" };
    let again = if mark.repeated { ", measured again" } else { "" };
    let unit = |axis: &Axis| axis.title.rsplit(", ").next().unwrap_or_default().to_owned();
    let (x, y) = (format!("{:.3} {}", mark.x, unit(&plot.x)), format!("{:.1} {}", mark.y, unit(&plot.y)));
    format!("{}, {}: {y} at {x}, {frontier}{again}", mark.label, series.name)
}

/// Pale where it is not on the frontier, hollow where it is of the reference.
fn dot(x: f64, y: f64, colour: &str, hollow: bool, frontier: bool) -> String {
    let fill = if hollow { "#ffffff" } else { colour };
    let pale = if frontier { "" } else { " opacity=\"0.45\"" };
    format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"2\"{pale}/>\n")
}

fn text(x: f64, y: f64, attributes: &str, said: &str) -> String {
    let space = if attributes.is_empty() { "" } else { " " };
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\"{space}{attributes}>{}</text>\n", escape(said))
}

/// The gate first: XML has no place for control characters, escaped or not.
fn escape(said: &str) -> String {
    let mut out = String::with_capacity(said.len());
    for c in gate::line_capped(said, LONG).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::core::results::plot::Tick;
    use proptest::prelude::*;

    /// The file's texts, if its tags are balanced and nothing in it needs escaping.
    pub(crate) fn well_formed(svg: &str) -> Result<Vec<String>, String> {
        let (mut open, mut texts) = (Vec::new(), Vec::new());
        let mut rest = svg;
        while let Some(at) = rest.find('<') {
            let (text, tail) = rest.split_at(at);
            let entity = |part: &str| ["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|name| part.starts_with(name));
            if text.contains('>')
                || text.split('&').skip(1).any(|part| !entity(part))
                || text.contains(|c: char| c < ' ' && c != '\n')
            {
                return Err(format!("unescaped: {text}"));
            }
            texts.push(text.to_owned());
            let (tag, tail) = tail[1..].split_once('>').ok_or("a tag without end")?;
            if tag.contains('<') || tag.matches('"').count() % 2 == 1 {
                return Err(format!("a bad tag: {tag}"));
            }
            if let Some(name) = tag.strip_prefix('/') {
                if open.pop() != Some(name) {
                    return Err(format!("{name} is not open"));
                }
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().unwrap());
            }
            rest = tail;
        }
        if open.is_empty() && rest == "\n" { Ok(texts) } else { Err(format!("left: {open:?} {rest:?}")) }
    }

    fn axis(title: &str, better: Better) -> Axis {
        let tick = |at: f64| Tick { at, label: format!("{at}") };
        Axis { title: title.into(), low: 0.0, high: 10.0, ticks: vec![tick(0.0), tick(5.0), tick(10.0)], better }
    }

    fn plot(name: &str) -> Plot {
        let mark = |x: f64, y: f64, frontier| Mark { row: 0, x, y, frontier, repeated: false, label: "TP2 c1".into() };
        let series = |reference, marks| Series { name: name.into(), reference, marks, invalid: 1 };
        Plot {
            title: name.into(),
            x: axis("median E2E latency, s", Better::Lower),
            y: axis("total throughput per GPU, tok/s/GPU", Better::Higher),
            series: vec![
                series(false, vec![mark(2.0, 4.0, true), mark(3.0, 3.0, false), mark(9.0, 9.0, true)]),
                series(true, vec![mark(2.0, 1.0, true)]),
            ],
        }
    }

    #[test]
    fn a_plot_says_what_is_drawn_and_the_reference_is_hollow() {
        let svg = render(&[plot("run 7"), plot("b")]);
        let texts = well_formed(&svg).unwrap();
        for wanted in [
            "run 7: 2 of 4 points on the frontier, 1 cannot be drawn",
            "median E2E latency, s (lower is better)",
            "total throughput per GPU, tok/s/GPU (higher is better)",
            "TP2 c1, run 7: 4.0 tok/s/GPU at 2.000 s, on the frontier",
            "run 7; b",
        ] {
            assert!(texts.iter().any(|text| text == wanted), "{wanted}: {texts:?}");
        }
        assert_eq!(svg.matches("<polyline").count(), 2, "one point draws no line");
        assert_eq!(svg.matches("fill=\"#ffffff\" stroke=\"#555555\"").count(), 4);
        assert!(svg.contains("points=\"260.8,336.0 837.6,136.0\""), "{svg}");
        assert_eq!(render(&[plot("run 7"), plot("b")]), svg);
        assert!(well_formed(&render(&[])).unwrap().iter().any(|text| text.starts_with("No point")));
    }

    #[test]
    fn a_long_name_leaves_room_for_what_is_said_of_it() {
        let texts = well_formed(&render(&[plot(&"long".repeat(100))])).unwrap();
        assert!(texts.iter().any(|text| text.contains("…: 2 of 4 points on the frontier")), "{texts:?}");
        assert!(texts.iter().all(|text| text.chars().count() <= LONG));
    }

    proptest! {
        #[test]
        fn whatever_a_name_holds_stays_text(name in prop_oneof!["\\PC{0,20}", "[<>&\"'/\u{0}-\u{1f}a-c]{0,20}"]) {
            let texts = well_formed(&render(&[plot(&name)]));
            prop_assert!(texts.is_ok(), "{texts:?}");
        }
    }
}
