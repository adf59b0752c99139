//! Recordings: reads of one pull request with their answers, as JSON Lines that a person can read and edit.
//! Must not know: files, sockets.
//!
//! The first line says what it is; each further line is one exchange:
//! `{"method":"GET","path":"/repos/o/r/pulls/1","accept":"application/vnd.github+json","status":200,"headers":{…},"body":…}`,
//! with `"text"` or `"base64"` in place of `"body"` for what is not JSON. Addresses of the API are relative to its base,
//! those of other hosts absolute and without their query, which may be a signature.

use super::address::Base;
use super::settings::Secret;
use super::trouble::one_line;
use crate::core::ids::{PullNumber, RepoName};
use crate::core::time::Time;
use crate::core::trouble::{Trouble, TroubleKind};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, Uri};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

const SCHEMA: u32 = 1;
const KIND: &str = "countersign recording";
/// Headers that are kept: what the layers above the leaf need, and nothing that identifies anyone.
const HEADERS: [&str; 4] = ["content-type", "etag", "link", "location"];

/// Everything that was read of one pull request.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    pub base: Base,
    pub repo: RepoName,
    pub number: PullNumber,
    pub recorded_at: Time,
    exchanges: Vec<Exchange>,
    /// Where the exchange of a request stands.
    index: HashMap<String, usize>,
}

/// One read and its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// Relative to the base, or absolute without query for other hosts.
    pub path: String,
    pub accept: String,
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Body,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    Json(Value),
    Text(String),
    Bytes(Bytes),
}

#[derive(Serialize, Deserialize)]
struct Head {
    schema: u32,
    kind: String,
    base: String,
    repo: String,
    number: PullNumber,
    recorded_at: Time,
}

#[derive(Serialize, Deserialize)]
struct Line {
    method: String,
    path: String,
    #[serde(default)]
    accept: String,
    status: u16,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl Recording {
    pub fn new(base: Base, repo: RepoName, number: PullNumber, recorded_at: Time) -> Recording {
        Recording { base, repo, number, recorded_at, exchanges: Vec::new(), index: HashMap::new() }
    }

    /// Takes an exchange; a later one of the same request replaces the earlier.
    pub fn insert(&mut self, exchange: Exchange) {
        let key = key(&exchange.path, &exchange.accept);
        match self.index.get(&key).and_then(|at| self.exchanges.get_mut(*at)) {
            Some(old) => *old = exchange,
            None => {
                self.index.insert(key, self.exchanges.len());
                self.exchanges.push(exchange);
            }
        }
    }

    /// The answer to a read of `path` (as [`Base::relative`] gives it) in the form `accept`.
    pub fn find(&self, path: &str, accept: &str) -> Option<&Exchange> {
        self.index.get(&key(path, accept)).and_then(|at| self.exchanges.get(*at))
    }

    /// All of them, in the order in which they came.
    pub fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    pub fn len(&self) -> usize {
        self.exchanges.len()
    }

    pub fn is_empty(&self) -> bool {
        self.exchanges.is_empty()
    }

    /// Whether an answer repeats this token, which no layer gave it. Then the recording must not leave the machine.
    /// A token shorter than any of GitHub's stands for a stand-in, and may be a word like any other.
    pub fn repeats(&self, secret: &Secret) -> bool {
        const SHORTEST: usize = 8;
        let word = secret.expose().as_bytes();
        let holds = |bytes: &[u8]| word.len() >= SHORTEST && bytes.windows(word.len()).any(|part| part == word);
        holds(render_recording(self).as_bytes())
            || self.exchanges.iter().any(|exchange| matches!(&exchange.body, Body::Bytes(bytes) if holds(bytes)))
    }
}

/// What a file begins like, told from its first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beginning {
    Recording,
    /// A recording of a newer program.
    Newer,
    Other,
}

impl Beginning {
    pub fn of(line: &[u8]) -> Beginning {
        let loose: Value = serde_json::from_slice(line.trim_ascii()).unwrap_or_default();
        match (loose["kind"].as_str(), loose["schema"].as_u64()) {
            (Some(KIND), Some(schema)) if schema > u64::from(SCHEMA) => Beginning::Newer,
            (Some(KIND), _) => Beginning::Recording,
            _ => Beginning::Other,
        }
    }
}

impl Exchange {
    /// Makes an exchange of an answer, leaving out what signs or identifies.
    pub fn of(base: &Base, uri: &Uri, accept: &str, answer: &http::response::Parts, body: &Bytes) -> Exchange {
        let mut headers = BTreeMap::new();
        for name in HEADERS {
            if let Some(value) = answer.headers.get(name).and_then(|value| value.to_str().ok()) {
                let value = match name {
                    "location" => value.parse().map_or_else(|_| String::new(), |place| base.relative(&place)),
                    "link" => relative_links(base, value),
                    _ => value.to_owned(),
                };
                headers.insert(name.to_owned(), value);
            }
        }
        let body = match (serde_json::from_slice::<Value>(body), std::str::from_utf8(body)) {
            (Ok(mut value), _) => {
                if base.relative(uri) == "/user" {
                    keep_public(&mut value);
                }
                withhold(&base.relative(uri), &mut value);
                unsign(&mut value);
                Body::Json(value)
            }
            (_, Ok(text)) => Body::Text(text.to_owned()),
            _ => Body::Bytes(body.clone()),
        };
        Exchange { path: base.relative(uri), accept: accept.to_owned(), status: answer.status.as_u16(), headers, body }
    }

    /// The headers as the server would send them from `base`.
    pub fn headers(&self, base: &Base) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            let value = match name.as_str() {
                "location" if value.starts_with('/') => format!("{base}{value}"),
                "link" => value.replace("</", &format!("<{base}/")),
                _ => value.clone(),
            };
            if let (Ok(name), Ok(value)) = (name.parse::<http::HeaderName>(), value.parse()) {
                headers.insert(name, value);
            }
        }
        headers
    }

    pub fn bytes(&self) -> Bytes {
        match &self.body {
            Body::Json(value) => Bytes::from(value.to_string()),
            Body::Text(text) => Bytes::from(text.clone()),
            Body::Bytes(bytes) => bytes.clone(),
        }
    }
}

/// Reads a recording: what could be read, and a trouble with its line number for each line that could not.
///
/// Fails only if the first line is not a recording's, or is one of a newer program.
pub fn parse_recording(text: &str) -> Result<(Recording, Vec<Trouble>), Trouble> {
    parse_bytes(text.as_bytes())
}

/// [`parse_recording`] of a file as it lies there, which may not be text throughout.
pub fn parse_bytes(bytes: &[u8]) -> Result<(Recording, Vec<Trouble>), Trouble> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = bytes.split(|&byte| byte == b'\n').enumerate().map(|(at, line)| (at + 1, line.trim_ascii()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty());
    let Some((at, first)) = lines.next() else {
        return Err(bad(1, "it is empty"));
    };
    // The schema is looked at first: a newer head may lack what this one needs.
    let loose: Value = serde_json::from_slice(first).map_err(|error| bad(at, reason(&error)))?;
    match Beginning::of(first) {
        Beginning::Recording => {}
        Beginning::Other => return Err(bad(at, "it is not a countersign recording")),
        Beginning::Newer => {
            return Err(Trouble::new(
                TroubleKind::Recording,
                "The recording was made by a newer countersign.",
                "Update countersign to open it.",
            ));
        }
    }
    let head: Head = serde_json::from_value(loose).map_err(|error| bad(at, reason(&error)))?;
    let repo = RepoName::parse(&head.repo).ok_or_else(|| bad(at, "repo is not owner/name"))?;
    let base = Base::parse(&head.base).map_err(|trouble| bad(at, trouble.headline))?;
    let mut recording = Recording::new(base, repo, head.number, head.recorded_at);
    let mut problems = Vec::new();
    for (at, line) in lines {
        match parse_exchange(line) {
            Ok(exchange) => recording.insert(exchange),
            Err(why) => problems.push(bad(at, why)),
        }
    }
    Ok((recording, problems))
}

/// A line that cannot be read.
pub fn bad(line: usize, why: impl AsRef<str>) -> Trouble {
    let headline = format!("Line {line} of the recording cannot be read: {}.", one_line(why.as_ref().trim_end_matches('.')));
    Trouble::new(TroubleKind::Recording, headline, "Mend the line, or record again.")
}

/// What is wrong with JSON. The line that serde counts is always its first, so only the column is told.
fn reason(error: &serde_json::Error) -> String {
    let said = error.to_string();
    said.replace(" at line 1 column ", " at column ")
}

fn parse_exchange(line: &[u8]) -> Result<Exchange, String> {
    // A null body is a body, so its presence is asked of the text and not of the Option.
    let value: Value = serde_json::from_slice(line).map_err(|error| reason(&error))?;
    let null_body = value.get("body").is_some_and(Value::is_null);
    let line: Line = serde_json::from_value(value).map_err(|error| reason(&error))?;
    if !line.method.eq_ignore_ascii_case("GET") {
        return Err(format!("a recording holds reads only, not {}", line.method));
    }
    if !(100..=599).contains(&line.status) {
        return Err(format!("{} is no status", line.status));
    }
    let body = match (line.body, line.text, line.base64) {
        (Some(value), None, None) => Body::Json(value),
        (None, None, None) if null_body => Body::Json(Value::Null),
        (None, Some(text), None) => Body::Text(text),
        (None, None, Some(text)) => Body::Bytes(Bytes::from(STANDARD.decode(text.trim()).map_err(|error| error.to_string())?)),
        (None, None, None) => Body::Bytes(Bytes::new()),
        _ => return Err("it holds more than one of body, text and base64".to_owned()),
    };
    let headers = line.headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
    Ok(Exchange { path: line.path, accept: line.accept, status: line.status, headers, body })
}

/// Writes a recording as it is parsed.
pub fn render_recording(recording: &Recording) -> String {
    let head = Head {
        schema: SCHEMA,
        kind: KIND.to_owned(),
        base: recording.base.to_string(),
        repo: recording.repo.to_string(),
        number: recording.number,
        recorded_at: recording.recorded_at,
    };
    let mut out = serde_json::to_string(&head).unwrap_or_default();
    out.push('\n');
    for exchange in &recording.exchanges {
        let (mut body, mut text, mut base64) = (None, None, None);
        match &exchange.body {
            Body::Json(value) => body = Some(value.clone()),
            Body::Text(value) => text = Some(value.clone()),
            Body::Bytes(bytes) if bytes.is_empty() => {}
            Body::Bytes(bytes) => base64 = Some(STANDARD.encode(bytes)),
        }
        let line = Line {
            method: "GET".to_owned(),
            path: exchange.path.clone(),
            accept: exchange.accept.clone(),
            status: exchange.status,
            headers: exchange.headers.clone(),
            body,
            text,
            base64,
        };
        out.push_str(&serde_json::to_string(&line).unwrap_or_default());
        out.push('\n');
    }
    out
}

/// What makes two reads the same: path, query in any order, form. Encoded and raw slashes are the same, too.
fn key(path: &str, accept: &str) -> String {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut pairs: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
    pairs.sort_unstable();
    format!("{} {}?{}", form(accept), path.replace("%2F", "/").replace("%2f", "/"), pairs.join("&"))
}

/// The form that an `Accept` asks for.
fn form(accept: &str) -> &'static str {
    ["diff", "patch", "raw"].into_iter().find(|word| accept.contains(word)).unwrap_or("json")
}

fn relative_links(base: &Base, header: &str) -> String {
    let mut out = String::new();
    let mut rest = header;
    while let Some((before, from)) = rest.split_once('<') {
        let (address, after) = from.split_once('>').unwrap_or((from, ""));
        out.push_str(before);
        out.push('<');
        out.push_str(&address.parse().map_or_else(|_| String::new(), |uri| base.relative(&uri)));
        out.push('>');
        rest = after;
    }
    out + rest
}

/// Parameters of addresses that stand for a right to read them.
const SIGNATURES: [&str; 9] =
    ["token", "access_token", "sig", "signature", "jwt", "key", "x-amz-signature", "x-amz-credential", "x-amz-security-token"];

/// Takes out what would let others in: short-lived tokens in the addresses of private files, and the token to clone by.
/// What people wrote stays as they wrote it.
fn unsign(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                match value {
                    Value::String(_) if name == "temp_clone_token" => *value = Value::Null,
                    Value::String(text) if name == "download_url" || (name.ends_with("url") && is_signed(text)) => {
                        text.truncate(text.find('?').unwrap_or(text.len()));
                    }
                    other => unsign(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(unsign),
        _ => {}
    }
}

fn is_signed(address: &str) -> bool {
    let query = address.split_once('?').map_or("", |(_, query)| query);
    let names = query.split(['&', ';']).filter_map(|pair| pair.split('=').next());
    names.map(str::to_ascii_lowercase).any(|name| SIGNATURES.contains(&name.as_str()))
}

/// Of the person who records, what everybody may know: GitHub tells them more of themselves.
fn keep_public(viewer: &mut Value) {
    if let Value::Object(map) = viewer {
        map.retain(|name, _| matches!(name.as_str(), "login" | "id" | "node_id" | "type" | "name" | "html_url" | "avatar_url"));
    }
}

/// What nobody but its author has seen: of the inline comments of a review that was not submitted only their ids stay, of
/// such a review everything but its text. Submitted ones are read elsewhere, so none of a review's comments is needed whole.
fn withhold(path: &str, value: &mut Value) {
    let path = path.split('?').next().unwrap_or(path);
    let segments: Vec<&str> = path.split('/').collect();
    let rows = match value {
        Value::Array(rows) => rows.as_mut_slice(),
        one => std::slice::from_mut(one),
    };
    match segments.as_slice() {
        [.., "pulls", _, "reviews", _, "comments"] => {
            rows.iter_mut().filter_map(Value::as_object_mut).for_each(|row| row.retain(|name, _| name == "id"));
        }
        [.., "pulls", _, "reviews"] | [.., "pulls", _, "reviews", _] => {
            let is_pending = |row: &&mut Value| {
                row.get("state").and_then(Value::as_str).is_some_and(|state| state.eq_ignore_ascii_case("pending"))
            };
            for body in rows.iter_mut().filter(is_pending).filter_map(|row| row.get_mut("body")) {
                *body = Value::String(String::new());
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEAD: &str = r#"{"schema":1,"kind":"countersign recording","base":"https://api.github.com","repo":"o/r","number":1,"recorded_at":"2026-08-11T12:00:00Z"}"#;

    #[test]
    fn what_is_written_is_read_back() {
        let mut recording = Recording::new(Base::github(), RepoName::parse("o/r").unwrap(), PullNumber(1), Time::default());
        let bodies = [
            Body::Json(serde_json::json!({"b": 1, "a": "ü"})),
            Body::Json(Value::Null),
            Body::Text("a\nb".into()),
            Body::Bytes(Bytes::from_static(b"\xff\0")),
            Body::Bytes(Bytes::new()),
        ];
        for (n, body) in bodies.into_iter().enumerate() {
            let headers = BTreeMap::from([("etag".to_owned(), "\"x\"".to_owned())]);
            recording.insert(Exchange {
                path: format!("/a/{n}?x=1"),
                accept: "application/json".into(),
                status: 200,
                headers,
                body,
            });
        }
        let (back, problems) = parse_recording(&render_recording(&recording)).unwrap();
        assert_eq!((&back, problems), (&recording, vec![]));
    }

    #[test]
    fn bad_lines_are_named_and_the_rest_is_kept() {
        let text = format!(
            "{HEAD}\n\n{}\nnot json\n{}\n{}\n{}\n",
            r#"{"method":"GET","path":"/a","status":200,"body":[]}"#,
            r#"{"method":"POST","path":"/a","status":200}"#,
            r#"{"method":"GET","path":"/b","status":200,"base64":"!"}"#,
            r#"{"method":"GET","path":"/c","status":200,"text":"","body":1}"#,
        );
        let (recording, problems) = parse_recording(&text).unwrap();
        assert_eq!(recording.len(), 1);
        let lines: Vec<_> = problems.iter().map(|p| p.headline.split(' ').nth(1).unwrap().to_owned()).collect();
        assert_eq!(lines, ["4", "5", "6", "7"]);
    }

    #[test]
    fn newer_and_foreign_files_are_refused_with_a_sentence() {
        let newer = HEAD.replace("\"schema\":1", "\"schema\":2").replace("\"repo\":\"o/r\",", "");
        for (text, words) in [
            (newer.as_str(), "newer"),
            ("", "empty"),
            ("{}", "not a countersign recording"),
            ("[", "Line 1"),
            (&HEAD.replace("o/r", "o"), "owner/name"),
            (&HEAD.replace("https://api.github.com", "ftp://x"), "API address"),
        ] {
            let trouble = parse_recording(text).unwrap_err();
            assert_eq!(trouble.kind, TroubleKind::Recording);
            assert!(trouble.headline.contains(words), "{}", trouble.headline);
        }
    }

    #[test]
    fn requests_match_by_path_query_and_form() {
        let (recording, _) =
            parse_recording(&format!("{HEAD}\n{}", r#"{"method":"GET","path":"/a/b?y=2&x=1","status":200,"body":1}"#)).unwrap();
        assert!(recording.find("/a/b?x=1&y=2", "application/vnd.github+json").is_some());
        assert!(recording.find("/a%2Fb?x=1&y=2", "").is_some());
        assert!(recording.find("/a/b?x=1", "").is_none());
        assert!(recording.find("/a/b?x=1&y=2", "application/vnd.github.raw+json").is_none());
    }

    #[test]
    fn signatures_and_tokens_do_not_enter() {
        let base = Base::parse("https://ghe/api/v3").unwrap();
        let (mut parts, _) = http::Response::new(()).into_parts();
        let put = |parts: &mut http::response::Parts, name: &'static str, value: &str| {
            parts.headers.insert(name, value.parse().unwrap());
        };
        put(&mut parts, "location", "https://blob.example/x.zip?sig=secret");
        put(
            &mut parts,
            "link",
            "<https://ghe/api/v3/repositories/1/x?page=2>; rel=\"next\", <https://ghe/api/v3/repositories/1/x?page=3>; rel=\"last\"",
        );
        put(&mut parts, "set-cookie", "secret");
        let body = Bytes::from_static(
            br#"[{"download_url":"https://raw/x?token=secret","sha":"1"},{"temp_clone_token":"secret"},
                {"archive_download_url":"https://b/z?se=1&SIG=secret","avatar_url":"https://a/1?v=4"}]"#,
        );
        let exchange = Exchange::of(&base, &"https://blob.example/y?sig=secret".parse().unwrap(), "x", &parts, &body);
        assert!(!format!("{exchange:?}").contains("secret"), "{exchange:?}");
        assert_eq!(exchange.path, "https://blob.example/y");
        assert!(format!("{exchange:?}").contains("https://a/1?v=4"), "what is no signature stays");
        assert_eq!(
            exchange.headers["link"],
            "</repositories/1/x?page=2>; rel=\"next\", </repositories/1/x?page=3>; rel=\"last\""
        );
        let elsewhere = exchange.headers(&Base::parse("http://127.0.0.1:9").unwrap());
        assert_eq!(elsewhere["link"].to_str().unwrap().matches("<http://127.0.0.1:9/repositories/1/x").count(), 2);
        assert_eq!(elsewhere["location"], "https://blob.example/x.zip");
    }

    #[test]
    fn of_whoever_records_only_what_is_public_is_kept() {
        let (parts, _) = http::Response::new(()).into_parts();
        let body = Bytes::from_static(br#"{"login":"a","id":1,"email":"secret","two_factor_authentication":false,"plan":{}}"#);
        let of = |path: &'static str| Exchange::of(&Base::github(), &http::Uri::from_static(path), "", &parts, &body).body;
        assert_eq!(of("/user"), Body::Json(serde_json::json!({"login": "a", "id": 1})));
        assert_ne!(of("/user"), of("/users/a"));
    }

    #[test]
    fn what_is_not_published_does_not_enter() {
        let (parts, _) = http::Response::new(()).into_parts();
        let of = |path: &'static str, body: Value| {
            let body = Bytes::from(body.to_string());
            Exchange::of(&Base::github(), &http::Uri::from_static(path), "", &parts, &body).body
        };
        let json = |text: &str| Body::Json(serde_json::from_str(text).unwrap());
        let comments = serde_json::json!([{"id": 1, "body": "secret", "diff_hunk": "secret"}, {"id": 2, "body": "secret"}]);
        let reviews = serde_json::json!([
            {"id": 3, "state": "PENDING", "user": {"login": "a"}, "body": "secret"},
            {"id": 4, "state": "APPROVED", "body": "seen"}
        ]);
        // Further pages are named by the repository's number.
        for path in ["/repos/o/r/pulls/1/reviews/3/comments?per_page=100", "/repositories/9/pulls/1/reviews/3/comments?page=2"]
        {
            assert_eq!(of(path, comments.clone()), json(r#"[{"id":1},{"id":2}]"#), "{path}");
        }
        for path in ["/repos/o/r/pulls/1/reviews?per_page=100", "/repositories/9/pulls/1/reviews?per_page=100&page=2"] {
            let want =
                r#"[{"id":3,"state":"PENDING","user":{"login":"a"},"body":""},{"id":4,"state":"APPROVED","body":"seen"}]"#;
            assert_eq!(of(path, reviews.clone()), json(want), "{path}");
        }
        let one = serde_json::json!({"id": 3, "state": "PENDING", "body": "secret"});
        assert!(!format!("{:?}", of("/repos/o/r/pulls/1/reviews/3", one)).contains("secret"));
        // What was published stays.
        for path in ["/repos/o/r/pulls/1/comments?per_page=100", "/repos/o/r/issues/1/comments"] {
            assert_eq!(of(path, comments.clone()), Body::Json(comments.clone()), "{path}");
        }
    }

    #[test]
    fn an_answer_that_repeats_the_token_is_found() {
        let mut recording = Recording::new(Base::github(), RepoName::parse("o/r").unwrap(), PullNumber(1), Time::default());
        let exchange =
            |body| Exchange { path: "/a".into(), accept: String::new(), status: 200, headers: BTreeMap::new(), body };
        let (secret, other) = (Secret::new("t0kent0ken"), Secret::new("t1kent1ken"));
        for body in [
            Body::Json(serde_json::json!({"x": ["Bearer t0kent0ken"]})),
            Body::Text("a t0kent0ken".into()),
            Body::Bytes(Bytes::from_static(b"\xfft0kent0ken")),
        ] {
            recording.insert(exchange(body));
            assert!(recording.repeats(&secret) && !recording.repeats(&other) && !recording.repeats(&Secret::new("t")));
        }
    }

    #[test]
    fn bytes_that_are_no_text_cost_their_line_only() {
        let text = [HEAD.as_bytes(), b"\n\xff\n", br#"{"method":"GET","path":"/a","status":200,"text":"\xff"}"#].concat();
        let (recording, problems) = parse_bytes(&text).unwrap();
        assert_eq!((recording.len(), problems.len()), (0, 2), "{problems:?}");
        assert!(problems[0].headline.starts_with("Line 2 ") && problems[1].headline.starts_with("Line 3 "), "{problems:?}");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC*", tail in "\\PC*") {
            let _ = parse_recording(&text);
            let _ = parse_recording(&format!("{HEAD}\n{tail}"));
        }

        #[test]
        fn no_bytes_panic(tail in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse_bytes(&tail);
            let _ = parse_bytes(&[HEAD.as_bytes(), b"\n", &tail].concat());
        }
    }
}
