//! GitHub's own description of the operations we use, as a check over requests, answers and recordings.
//! Must not know: who sends the request. Both test programs share this file.
//!
//! The description names few of the statuses that occur, and no maximum for `per_page`: such rules stand here in code.
//! Every check answers with sentences, none when all is well; one about an absent required member starts with `missing: `.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Registry, Validator};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

const URN: &str = "urn:github:contract";

/// The description, ready to be asked.
pub struct Contract {
    document: Arc<Value>,
    registry: Registry<'static>,
    templates: Vec<Template>,
    /// Built on first use: most tests need two or three of some two hundred.
    validators: RefCell<HashMap<String, Rc<Validator>>>,
}

struct Template {
    /// As the description spells it: `/repos/{owner}/{repo}/contents/{path}`.
    path: String,
    segments: Vec<Segment>,
}

enum Segment {
    Literal(String),
    One(String),
    /// A value that may hold slashes (`x-multi-segment`).
    Many(String),
}

/// A request's template and the values of its parameters, percent-decoded.
struct Match<'a> {
    template: &'a Template,
    values: Vec<(&'a str, String)>,
}

impl Contract {
    /// Reads `../shared/contract`; panics when it is not there.
    pub fn load() -> Contract {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/contract/github-rest-subset.json");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let document: Arc<Value> = Arc::new(serde_json::from_str(&text).unwrap());
        let registry = Registry::new().draft(Draft::Draft202012).add(URN, Arc::clone(&document)).unwrap().prepare().unwrap();
        let templates = document["paths"].as_object().unwrap().iter().map(|(path, item)| Template::parse(path, item)).collect();
        Contract { document, registry, templates, validators: RefCell::default() }
    }

    /// What is wrong with a request. `path_and_query` may carry scheme and host, `/api/v3` or `/repositories/ID`.
    pub fn check_request(&self, method: &str, path_and_query: &str, body: Option<&Value>) -> Vec<String> {
        let (path, query) = split_address(path_and_query);
        let (found, operation) = match self.operation(method, &path) {
            Ok(found) => found,
            Err(problem) => return vec![problem],
        };
        let at = operation_pointer(&found.template.path, method);
        let mut out = Vec::new();
        for (name, value) in &found.values {
            out.extend(self.check_parameter(&at, operation, "path", name, value));
        }
        let mut seen = BTreeSet::new();
        for (name, value) in query.split('&').filter(|pair| !pair.is_empty()).map(parse_pair) {
            out.extend(self.check_parameter(&at, operation, "query", &name, &value));
            if name == "per_page" && !value.parse::<u32>().is_ok_and(|size| (1..=100).contains(&size)) {
                out.push(format!("per_page={value}: a page has 1 to 100 items"));
            }
            if !seen.insert(name.clone()) {
                out.push(format!("query `{name}` is given twice"));
            }
        }
        for parameter in parameters(operation).filter(|p| p["in"] == "query" && p["required"] == true) {
            let name = parameter["name"].as_str().unwrap_or_default();
            if !seen.contains(name) {
                out.push(format!("missing: query `{name}`"));
            }
        }
        out.extend(self.check_body(&at, operation, body));
        out
    }

    /// What is wrong with an answer's JSON body. Bodies that are not JSON by request (diff, patch, raw) and redirects
    /// are not looked at.
    pub fn check_response(&self, method: &str, path: &str, status: u16, body: &Value, accept: &str) -> Vec<String> {
        if matches!(status, 301 | 302 | 307 | 308) || !asks_for_json(accept) {
            return Vec::new();
        }
        match self.answer_schema(method, path, status, body, accept) {
            Ok(Some(schema)) => self.errors(&schema, body),
            Ok(None) if body.is_null() => Vec::new(),
            Ok(None) => vec![format!("{method} {path}: a {status} has no body, but there is one")],
            Err(problem) => vec![problem],
        }
    }

    /// JSON pointers of the members that the description does not know, in an answer's body.
    pub fn unknown_keys(&self, method: &str, path: &str, status: u16, body: &Value) -> Vec<String> {
        match self.answer_schema(method, path, status, body, "") {
            Ok(Some(schema)) => {
                let mut out = Vec::new();
                self.collect_unknown(&[self.schema_at(&schema)], body, String::new(), &mut out);
                out
            }
            _ => Vec::new(),
        }
    }

    /// The operation that a request is one of: `GET /repos/{owner}/{repo}/pulls/{pull_number}`.
    pub fn template(&self, method: &str, address: &str) -> Option<String> {
        let (found, _) = self.operation(method, &split_address(address).0).ok()?;
        Some(format!("{method} {}", found.template.path))
    }

    /// Every described answer: method, path template, status.
    pub fn answers(&self) -> Vec<(String, String, u16)> {
        let mut out = Vec::new();
        for (path, item) in self.document["paths"].as_object().into_iter().flatten() {
            for (method, operation) in item.as_object().into_iter().flatten() {
                let statuses = operation["responses"].as_object().into_iter().flatten();
                out.extend(
                    statuses.filter_map(|(status, _)| Some((method.to_uppercase(), path.clone(), status.parse().ok()?))),
                );
            }
        }
        out
    }

    /// The longest literal template that fits, and its operation for `method`.
    fn operation<'a>(&'a self, method: &str, path: &str) -> Result<(Match<'a>, &'a Value), String> {
        let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let found = self
            .templates
            .iter()
            .filter_map(|template| Some(Match { values: template.bind(&segments)?, template }))
            .max_by_key(|found| found.template.literal_length())
            .ok_or_else(|| format!("{method} {path}: no such path is described"))?;
        match &self.document["paths"][&found.template.path][method.to_lowercase()] {
            Value::Null => Err(format!("{method} {path}: {} is not described for {method}", found.template.path)),
            operation => Ok((found, operation)),
        }
    }

    fn check_parameter(&self, at: &str, operation: &Value, place: &str, name: &str, value: &str) -> Vec<String> {
        let Some(index) = parameters(operation).position(|p| p["in"] == place && p["name"] == name) else {
            return vec![format!("{place} `{name}` is not described")];
        };
        // The value travels as text: right when either the text or what it reads as in JSON is.
        let schema = format!("{at}/parameters/{index}/schema");
        let as_text = self.errors(&schema, &json!(value));
        let as_json = serde_json::from_str::<Value>(value).is_ok_and(|value| self.errors(&schema, &value).is_empty());
        if as_text.is_empty() || as_json {
            Vec::new()
        } else {
            as_text.iter().map(|e| format!("{place} `{name}`: {e}")).collect()
        }
    }

    fn check_body(&self, at: &str, operation: &Value, body: Option<&Value>) -> Vec<String> {
        match (&operation["requestBody"], body) {
            (Value::Null, None) => Vec::new(),
            (Value::Null, Some(_)) => vec!["a body is sent, but none is described".to_owned()],
            (described, None) if described["required"] == true => vec!["missing: a body".to_owned()],
            (_, None) => Vec::new(),
            (_, Some(body)) => {
                let schema = format!("{at}/requestBody/content/application~1json/schema");
                let mut out = self.errors(&schema, body);
                let mut unknown = Vec::new();
                self.collect_unknown(&[self.schema_at(&schema)], body, String::new(), &mut unknown);
                out.extend(unknown.into_iter().map(|key| format!("body {key} is not described")));
                out
            }
        }
    }

    /// The pointer of the schema for an answer; `None` when the description gives that status no body.
    fn answer_schema(
        &self,
        method: &str,
        address: &str,
        status: u16,
        body: &Value,
        accept: &str,
    ) -> Result<Option<String>, String> {
        let (path, _) = split_address(address);
        let (found, operation) = self.operation(method, &path)?;
        let described = &operation["responses"][status.to_string()];
        if described.is_null() {
            // Few of the refusals that occur are described; all have the shape of the common error.
            return match status {
                400.. => Ok(Some("/components/schemas/basic-error".to_owned())),
                304 => Ok(None),
                _ => Err(format!("{method} {path}: status {status} is not described")),
            };
        }
        let wanted = ["application/vnd.github.object", "application/json"];
        let media = wanted.iter().find(|media| {
            let asked = **media == "application/json" || accept.contains(".object");
            asked && !described["content"][**media].is_null()
        });
        let Some(media) = media else { return Ok(None) };
        let at = operation_pointer(&found.template.path, method);
        let pointer = format!("{at}/responses/{status}/content/{}/schema", escape(media));
        let schema = self.schema_at(&pointer);
        let kind = if body.is_array() { "array" } else { body["type"].as_str().unwrap_or_default() };
        let chosen = schema["discriminator"]["mapping"][kind].as_str();
        Ok(Some(chosen.map_or(pointer, |reference| reference.trim_start_matches('#').to_owned())))
    }

    fn errors(&self, pointer: &str, value: &Value) -> Vec<String> {
        let validator = self.validator(pointer);
        validator
            .iter_errors(value)
            .map(|error| {
                let at = error.instance_path().to_string();
                match error.kind() {
                    ValidationErrorKind::Required { property } => {
                        format!("missing: {at}/{}", property.as_str().unwrap_or_default())
                    }
                    _ => format!("{at}: {}", error.masked()),
                }
            })
            .collect()
    }

    fn validator(&self, pointer: &str) -> Rc<Validator> {
        if let Some(known) = self.validators.borrow().get(pointer) {
            return Rc::clone(known);
        }
        let reference = format!("{URN}#{}", pointer.replace('{', "%7B").replace('}', "%7D"));
        let built = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .with_registry(&self.registry)
            .build(&json!({ "$ref": reference }))
            .unwrap_or_else(|error| panic!("{pointer}: {error}"));
        let built = Rc::new(built);
        self.validators.borrow_mut().insert(pointer.to_owned(), Rc::clone(&built));
        built
    }

    fn schema_at(&self, pointer: &str) -> &Value {
        self.document.pointer(pointer).unwrap_or_else(|| panic!("{pointer} is not in the description"))
    }

    /// Walks `value` beside all the schemas that may describe it; what none of them names is unknown.
    fn collect_unknown<'a>(&'a self, schemas: &[&'a Value], value: &Value, at: String, out: &mut Vec<String>) {
        let mut plain: Vec<&Map<String, Value>> = Vec::new();
        let mut open: Vec<&Value> = schemas.to_vec();
        while let Some(schema) = open.pop() {
            let Some(schema) = schema.as_object() else { continue };
            if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
                open.push(self.schema_at(reference.trim_start_matches('#')));
            }
            for word in ["allOf", "anyOf", "oneOf"] {
                open.extend(schema.get(word).and_then(Value::as_array).into_iter().flatten());
            }
            plain.push(schema);
        }
        match value {
            Value::Array(items) => {
                let inner: Vec<&Value> = plain.iter().filter_map(|schema| schema.get("items")).collect();
                for (i, item) in items.iter().enumerate() {
                    self.collect_unknown(&inner, item, format!("{at}/{i}"), out);
                }
            }
            Value::Object(members) => {
                let named: Vec<&Map<String, Value>> =
                    plain.iter().filter_map(|schema| schema.get("properties")?.as_object()).collect();
                // A map of anything: its keys are data.
                let free = |schema: &&Map<String, Value>| {
                    schema.get("additionalProperties").is_some_and(|extra| *extra != Value::Bool(false))
                };
                if named.is_empty() || plain.iter().any(free) {
                    return;
                }
                for (key, member) in members {
                    let inner: Vec<&Value> = named.iter().filter_map(|properties| properties.get(key)).collect();
                    let at = format!("{at}/{}", escape(key));
                    if inner.is_empty() {
                        out.push(at);
                    } else {
                        self.collect_unknown(&inner, member, at, out);
                    }
                }
            }
            _ => {}
        }
    }
}

impl Template {
    fn parse(path: &str, item: &Value) -> Template {
        let operations = || item.as_object().into_iter().flatten().map(|(_, operation)| operation);
        let is_many = |name: &str| operations().flat_map(parameters).any(|p| p["name"] == name && p["x-multi-segment"] == true);
        let segment = |text: &str| match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            None => Segment::Literal(text.to_owned()),
            Some(name) if is_many(name) => Segment::Many(name.to_owned()),
            Some(name) => Segment::One(name.to_owned()),
        };
        Template { path: path.to_owned(), segments: path.trim_start_matches('/').split('/').map(segment).collect() }
    }

    fn literal_length(&self) -> usize {
        let literal = |segment: &Segment| if let Segment::Literal(text) = segment { text.len() + 1 } else { 0 };
        self.segments.iter().map(literal).sum()
    }

    fn bind(&self, path: &[&str]) -> Option<Vec<(&str, String)>> {
        bind(&self.segments, path)
    }
}

fn bind<'a>(segments: &'a [Segment], path: &[&str]) -> Option<Vec<(&'a str, String)>> {
    let Some((segment, rest)) = segments.split_first() else { return path.is_empty().then(Vec::new) };
    let with = |name: &'a str, taken: usize| {
        let mut values = bind(rest, &path[taken..])?;
        values.insert(0, (name, percent_decode(&path[..taken].join("/"))));
        Some(values)
    };
    match segment {
        Segment::Literal(text) => (percent_decode(path.first()?) == *text).then(|| bind(rest, &path[1..]))?,
        Segment::One(name) => path.first().filter(|value| !value.is_empty()).and_then(|_| with(name, 1)),
        Segment::Many(name) => (1..=path.len()).rev().find_map(|taken| with(name, taken)),
    }
}

fn parameters(operation: &Value) -> impl Iterator<Item = &Value> {
    operation["parameters"].as_array().into_iter().flatten()
}

fn operation_pointer(path: &str, method: &str) -> String {
    format!("/paths/{}/{}", escape(path), method.to_lowercase())
}

/// One segment of a JSON pointer.
fn escape(text: &str) -> String {
    text.replace('~', "~0").replace('/', "~1")
}

fn asks_for_json(accept: &str) -> bool {
    !["diff", "patch", "raw", ".sha", "html"].iter().any(|media| accept.contains(media))
}

/// Path and query of an address, in the form that the description uses.
fn split_address(address: &str) -> (String, String) {
    let local = match address.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |slash| &rest[slash..]),
        None => address,
    };
    let local = local.split('#').next().unwrap_or_default();
    let (path, query) = local.split_once('?').unwrap_or((local, ""));
    let path = path.strip_prefix("/api/v3").filter(|rest| rest.starts_with('/')).unwrap_or(path);
    // The form of GitHub's own `Link` headers.
    let path = match path.strip_prefix("/repositories/") {
        Some(rest) => format!("/repos/owner/repo{}", rest.find('/').map_or("", |slash| &rest[slash..])),
        None => path.to_owned(),
    };
    (path, query.to_owned())
}

fn parse_pair(pair: &str) -> (String, String) {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let decode = |text: &str| percent_decode(&text.replace('+', " "));
    (decode(name), decode(value))
}

fn percent_decode(text: &str) -> String {
    let (bytes, mut out, mut i) = (text.as_bytes(), Vec::new(), 0);
    while i < bytes.len() {
        let code = (bytes[i] == b'%').then(|| text.get(i + 1..i + 3)).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}
