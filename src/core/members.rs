//! The members that every kind of collected row spells alike: counts as digits, flags as words, the parallelism of roles.
//! Must not know: scores, latencies, where a row was read.

use super::axes::{Parallel, Role};
use serde_json::{Map, Value};

/// The error without its place, which [`super::yaml::Problem`] tells.
pub fn sentence(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]).to_owned()
}

pub fn text(object: &Map<String, Value>, key: &str) -> Result<String, String> {
    optional_text(object, key)?.ok_or_else(|| format!("has no `{key}`"))
}

pub fn optional_text(object: &Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("has a `{key}` that is not a text")),
    }
}

pub fn required(object: &Map<String, Value>, key: &str) -> Result<u32, String> {
    optional_number(object, key)?.ok_or_else(|| format!("has no `{key}`"))
}

/// A count, as a number or as its digits.
pub fn optional_number(object: &Map<String, Value>, key: &str) -> Result<Option<u32>, String> {
    let wrong = || format!("has a `{key}` that is not a whole number");
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Number(number)) => {
            let whole = number.as_u64().or_else(|| number.as_f64().filter(|f| f.fract() == 0.0 && *f >= 0.0).map(|f| f as u64));
            whole.and_then(|n| u32::try_from(n).ok()).map(Some).ok_or_else(wrong)
        }
        Some(Value::String(digits)) if digits.is_empty() => Ok(None),
        Some(Value::String(digits)) => digits.parse().map(Some).map_err(|_| wrong()),
        Some(_) => Err(wrong()),
    }
}

/// A flag, as a boolean or as its word: `dp_attention` is `"true"` here and `true` elsewhere.
pub fn flag(object: &Map<String, Value>, key: &str) -> Result<Option<bool>, String> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(Value::String(word)) if word.is_empty() => Ok(None),
        Some(Value::String(word)) if word.eq_ignore_ascii_case("true") => Ok(Some(true)),
        Some(Value::String(word)) if word.eq_ignore_ascii_case("false") => Ok(Some(false)),
        Some(_) => Err(format!("has a `{key}` that is neither true nor false")),
    }
}

/// The parallelism of a row, and its roles when it has several nodes.
///
/// There the flat `tp` is not read: of an agentic row it is the sum of both sides. Without decode workers a row is
/// aggregated: one parallelism, no roles.
pub fn parallelism(row: &Map<String, Value>) -> Result<(Parallel, Option<Role>, Option<Role>), String> {
    if !flag(row, "is_multinode")?.unwrap_or(false) {
        return Ok((parallel(row, "")?, None, None));
    }
    let prefill = Role { workers: required(row, "prefill_num_workers")?, parallel: parallel(row, "prefill_")? };
    let decode = Role { workers: required(row, "decode_num_workers")?, parallel: parallel(row, "decode_")? };
    let parallel = prefill.parallel.clone();
    if decode.workers == 0 {
        return Ok((parallel, None, None));
    }
    Ok((parallel, Some(prefill), Some(decode)))
}

fn parallel(row: &Map<String, Value>, role: &str) -> Result<Parallel, String> {
    let size = |name: &str| optional_number(row, &format!("{role}{name}")).map(|size| size.filter(|&n| n > 0).unwrap_or(1));
    Ok(Parallel {
        tp: required(row, &format!("{role}tp"))?,
        pp: size("pp")?,
        dcp: size("dcp_size")?,
        pcp: size("pcp_size")?,
        ep: size("ep")?,
        dpa: flag(row, &format!("{role}dp_attention"))?.unwrap_or(false),
    })
}
