//! Writes a run's results as files into the working folder: the plots, and the table in three forms.
//! Must not know: what is in them (`report`).

use crate::app::effect::Export;
use crate::core::trouble::{Trouble, TroubleKind};
use crate::report::results::{Form, Told, homes, render};
use std::io::{self, Write as _};
use std::path::Path;

/// Each file appears whole or not at all. The sentence names them.
pub fn write(export: &Export) -> Result<String, Trouble> {
    write_into(Path::new("."), export)
}

fn write_into(folder: &Path, export: &Export) -> Result<String, Trouble> {
    let homes = homes(&export.sheet.rows, &export.keys);
    let told =
        Told { run: export.run, sheet: &export.sheet, homes: &homes, complete: export.complete, trigger: &export.trigger };
    let forms = [("svg", Form::Svg(export.view)), ("md", Form::Markdown), ("csv", Form::Csv), ("json", Form::Json)];
    for (ending, form) in forms {
        let name = format!("{}.{ending}", export.name);
        save(folder, &name, &render(told, form)).map_err(|error| {
            let headline = format!("{name} cannot be written here: {error}.");
            Trouble::new(TroubleKind::Refused, headline, "Start countersign in a folder of yours.")
        })?;
    }
    Ok(format!("Written here: {}.svg, .md, .csv and .json.", export.name))
}

fn save(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(folder.join(name)).map(drop).map_err(|error| error.error)
}
