//! A recording is what GitHub could have sent: read line by line and held to the contract.
//! Must not know: how recordings are made or replayed.
//!
//! JSON Lines: `{"schema":1,"kind":"countersign recording",…}`, then per exchange `method`, `path`, `accept`, `status`,
//! `headers` and at most one of `body` (JSON), `text`, `base64`.

use crate::contract::Contract;
use base64::Engine;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// What a recording may never hold: tokens, and where it was made.
const PRIVATE: &[&str] = &["ghp_", "gho_", "ghs_", "github_pat_", "Bearer ", "127.0.0.1", "localhost"];
const PRIVATE_HEADERS: &[&str] = &["authorization", "cookie", "set-cookie"];
const MEMBERS: &[&str] = &["method", "path", "accept", "status", "headers", "body", "text", "base64"];

/// What is wrong with the recording at `path`, each with its line.
pub fn lint_recording(contract: &Contract, path: &Path) -> Vec<String> {
    match std::fs::read_to_string(path) {
        Ok(text) => lint_lines(contract, &text),
        Err(error) => vec![format!("{}: {error}", path.display())],
    }
}

fn lint_lines(contract: &Contract, text: &str) -> Vec<String> {
    let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
    let mut out = Vec::new();
    let header = lines.next().and_then(|(_, line)| serde_json::from_str::<Value>(line).ok()).unwrap_or_default();
    if header["schema"] != 1 || header["kind"] != "countersign recording" {
        out.push("line 1: a recording begins with its schema and kind".to_owned());
    }
    let mut exchanges = Vec::new();
    for (number, line) in lines {
        out.extend(PRIVATE.iter().filter(|word| line.contains(**word)).map(|word| format!("line {number}: holds `{word}`")));
        match serde_json::from_str::<Value>(line) {
            Ok(exchange) if exchange.is_object() => exchanges.push((number, exchange)),
            Ok(_) => out.push(format!("line {number}: is no exchange")),
            Err(error) => out.push(format!("line {number}: {error}")),
        }
    }
    if exchanges.is_empty() {
        out.push("there is no exchange in it".to_owned());
    }
    let paths: BTreeSet<&str> = exchanges.iter().filter_map(|(_, exchange)| exchange["path"].as_str()).collect();
    let mut seen = BTreeSet::new();
    for (number, exchange) in &exchanges {
        let key = ["method", "path", "accept"].map(|member| exchange[member].as_str().unwrap_or_default());
        if !seen.insert(key) {
            out.push(format!("line {number}: {} is recorded twice", key.join(" ")));
        }
        let said = lint_exchange(contract, exchange, &paths);
        out.extend(said.into_iter().map(|what| format!("line {number}: {} {}: {what}", key[0], key[1])));
    }
    out
}

fn lint_exchange(contract: &Contract, exchange: &Value, paths: &BTreeSet<&str>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let members = exchange.as_object().into_iter().flatten().map(|(key, _)| key);
    out.extend(
        members.filter(|key| !MEMBERS.contains(&key.as_str())).map(|key| format!("`{key}` is no member of an exchange")),
    );
    let (Some(method), Some(path)) = (exchange["method"].as_str(), exchange["path"].as_str()) else {
        out.push("lacks method or path".to_owned());
        return out;
    };
    let Some(status) = exchange["status"].as_u64().and_then(|status| u16::try_from(status).ok()) else {
        out.push("lacks a status".to_owned());
        return out;
    };
    if method != "GET" {
        out.push("a recording holds reads only".to_owned());
    }
    out.extend(lint_headers(&exchange["headers"], status, paths));
    let body = match (exchange.get("body"), exchange.get("text"), exchange.get("base64")) {
        (body, None, None) => body.cloned().unwrap_or_default(),
        (None, Some(Value::String(text)), None) => json!(text),
        (None, None, Some(Value::String(text))) => {
            if base64::engine::general_purpose::STANDARD.decode(text).is_err() {
                out.push("`base64` cannot be decoded".to_owned());
            }
            return out;
        }
        _ => {
            out.push("has one of body, text and base64, the latter two as strings".to_owned());
            return out;
        }
    };
    // Downloads lie on other hosts, which the contract does not describe.
    if path.starts_with('/') {
        let accept = exchange["accept"].as_str().unwrap_or_default();
        out.extend(contract.check_request(method, path, None));
        out.extend(contract.check_response(method, path, status, &body, accept));
        if exchange.get("body").is_some() {
            let unknown = contract.unknown_keys(method, path, status, &body);
            out.extend(unknown.into_iter().map(|key| format!("GitHub does not send {key}")));
        }
    }
    out
}

/// Headers are single strings in lower case, hold no secret, and lead to addresses that the recording knows.
fn lint_headers(headers: &Value, status: u16, paths: &BTreeSet<&str>) -> Vec<String> {
    let Some(headers) = headers.as_object() else { return vec!["`headers` is no object".to_owned()] };
    let mut out = Vec::new();
    for (name, value) in headers {
        if PRIVATE_HEADERS.contains(&name.to_lowercase().as_str()) {
            out.push(format!("holds the header {name}"));
        }
        if *name != name.to_lowercase() || !value.is_string() {
            out.push(format!("the header {name} is a string under a name in lower case"));
        }
    }
    let header = |name: &str| headers.get(name).and_then(Value::as_str);
    let next = header("link").into_iter().flat_map(|link| link.split(',')).filter(|part| part.contains("rel=\"next\""));
    let next = next.filter_map(|part| part.split(['<', '>']).nth(1));
    let redirect = matches!(status, 301 | 302 | 307 | 308).then(|| header("location").unwrap_or("nowhere"));
    for target in next.chain(redirect) {
        let local = target.split_once("://").and_then(|(_, rest)| rest.find('/').map(|slash| &rest[slash..]));
        if !paths.contains(target) && !local.is_some_and(|local| paths.contains(local)) {
            out.push(format!("leads to {target}, which is not recorded"));
        }
    }
    out
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_demo_could_have_come_from_github() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/recording.jsonl");
    let said = lint_recording(&Contract::load(), &path);
    assert!(said.is_empty(), "\n{}\n", said.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"schema":1,"kind":"countersign recording"}"#;

    /// A recording with one exchange per line of `exchanges`.
    fn said(exchanges: &str) -> Vec<String> {
        lint_lines(&Contract::load(), &format!("{HEADER}\n{exchanges}"))
    }

    const GOOD: &str = concat!(
        r#"{"method":"GET","path":"/repos/o/r/pulls/7","accept":"application/vnd.github.diff","status":200,"headers":{},"text":"diff"}"#,
        "\n",
        r#"{"method":"GET","path":"/repos/o/r/actions/artifacts/1/zip","accept":"","status":302,"headers":{"location":"https://blob.example/1"}}"#,
        "\n",
        r#"{"method":"GET","path":"https://blob.example/1","accept":"","status":200,"headers":{},"base64":"eA=="}"#,
        "\n",
        r#"{"method":"GET","path":"/repos/o/r/pulls/7/reviews?per_page=100","accept":"","status":200,"headers":{"link":"<https://api.github.com/repos/o/r/pulls/7/reviews?per_page=100&page=2>; rel=\"next\""},"body":[]}"#,
        "\n",
        r#"{"method":"GET","path":"/repos/o/r/pulls/7/reviews?per_page=100&page=2","accept":"","status":200,"headers":{},"body":[]}"#,
    );

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn a_good_recording_passes() {
        assert_eq!(said(GOOD), Vec::<String>::new());
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn each_rule_can_fail() {
        let table = [
            ("", "there is no exchange"),
            ("{", "line 2: "),
            ("[]", "is no exchange"),
            (r#"{"method":"GET","status":200,"headers":{}}"#, "lacks method or path"),
            (r#"{"method":"GET","path":"/user","headers":{}}"#, "lacks a status"),
            (r#"{"method":"GET","path":"/user","status":304,"headers":{},"boddy":1}"#, "`boddy` is no member"),
            (r#"{"method":"GET","path":"/user","status":304,"headers":{},"body":1,"text":"x"}"#, "has one of"),
            (r#"{"method":"GET","path":"https://b/1","status":200,"headers":{},"base64":"?"}"#, "cannot be decoded"),
            (r#"{"method":"POST","path":"/repos/o/r/issues/7/comments","status":201,"headers":{}}"#, "reads only"),
            (r#"{"method":"GET","path":"/user","status":304,"headers":{"authorization":"x"}}"#, "the header authorization"),
            (r#"{"method":"GET","path":"/user","status":304,"headers":{"ETag":"x"}}"#, "in lower case"),
            (r#"{"method":"GET","path":"https://b/1","status":200,"headers":{},"text":"ghp_0"}"#, "holds `ghp_`"),
            (r#"{"method":"GET","path":"/repos/o/r/pulls?page=x","status":304,"headers":{}}"#, "query `page`"),
            (r#"{"method":"GET","path":"/repos/o/r/pulls","status":200,"headers":{},"body":{}}"#, ": "),
            (
                r#"{"method":"GET","path":"/repos/o/r/git/blobs/1","status":200,"headers":{},"body":{"shar":""}}"#,
                "does not send /shar",
            ),
            (r#"{"method":"GET","path":"/repos/o/r/git/blobs/1","status":200,"headers":{},"body":{}}"#, "missing: /sha"),
            (
                r#"{"method":"GET","path":"/repos/o/r/pulls","status":200,"headers":{"link":"<https://h/2>; rel=\"next\""},"body":[]}"#,
                "leads to https://h/2",
            ),
            (r#"{"method":"GET","path":"/repos/o/r/actions/artifacts/1/zip","status":302,"headers":{}}"#, "leads to nowhere"),
        ];
        for (line, expected) in table {
            let said = said(line);
            assert!(said.iter().any(|what| what.contains(expected)), "{line}\nexpected: {expected}\nsaid: {said:#?}");
        }
        let twice = format!("{GOOD}\n{}", GOOD.lines().next().unwrap());
        assert!(said(&twice)[0].contains("is recorded twice"));
        assert!(lint_lines(&Contract::load(), GOOD)[0].starts_with("line 1: "));
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn an_absent_recording_is_a_problem() {
        assert_eq!(lint_recording(&Contract::load(), Path::new("assets/nowhere.jsonl")).len(), 1);
    }
}
