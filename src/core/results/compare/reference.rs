//! Rows to compare with, from a file: a result artifact's JSON, or what this program wrote of a run.
//! Must not know: files, which rows are compared with them.

use crate::core::ids::RunId;
use crate::core::results::written::{self, SCHEMA};
use crate::core::results::{Results, parse, python};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::core::yaml::Problem;
use serde_json::Value;

/// Rows of a file do not tell their run.
const NO_RUN: RunId = RunId(0);

/// Reads the rows of a reference. What could not be read of it is told by the trouble in the answer.
///
/// # Errors
/// The text is not JSON of one of the two shapes, is of a newer program, or holds no row that can be read.
pub fn parse_reference(name: &str, text: &str) -> Result<Results, Trouble> {
    let hint = "Give the JSON that `countersign results --json` writes, or the JSON file of a result artifact.";
    let found = match document(text) {
        Some(document) => written::parse(name, &document)?,
        None => parse(name, NO_RUN, text.as_bytes()).map_err(|trouble| Trouble { hint: hint.to_owned(), ..trouble })?,
    };
    match (found.rows.is_empty(), found.trouble) {
        (false, trouble) => Ok(Results { trouble, ..found }),
        (true, Some(trouble)) => Err(trouble),
        (true, None) => {
            Err(Trouble::new(TroubleKind::Malformed, Problem::new(name, 1, "holds no result row").to_string(), hint))
        }
    }
}

/// The text's one object, if it is of ours: a row of an artifact has no schema.
fn document(text: &str) -> Option<serde_json::Map<String, Value>> {
    match python::parse(text.as_bytes()) {
        Ok(Value::Object(object)) if object.contains_key(SCHEMA) => Some(object),
        _ => None,
    }
}
