//! Completes an answer with the members that GitHub's description requires and a story leaves out.
//! Must not know: what the answer tells.

use serde_json::{Map, Value, json};
use std::path::Path;

/// The description.
pub struct Filler {
    document: Value,
    /// For dates that nobody told.
    date: String,
}

impl Filler {
    /// Reads `../shared/contract`; panics when it is not there.
    pub fn load(date: String) -> Filler {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/contract/github-rest-subset.json");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Filler { document: serde_json::from_str(&text).unwrap(), date }
    }

    /// Completes the body of a 200 to a GET of this path template.
    pub fn complete(&self, template: &str, body: Value) -> Value {
        let schema = &self.document["paths"][template]["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{template} is not described");
        self.fill(schema, body)
    }

    fn fill(&self, schema: &Value, mut value: Value) -> Value {
        let schema = self.resolve(schema);
        for part in list(schema, "allOf") {
            value = self.fill(part, value);
        }
        if let Some(part) = self.choose(schema, &value) {
            value = self.fill(part, value);
        }
        match value {
            Value::Object(members) => Value::Object(self.fill_object(schema, members)),
            Value::Array(items) if schema.get("items").is_some() => {
                items.into_iter().map(|item| self.fill(&schema["items"], item)).collect()
            }
            other => other,
        }
    }

    fn fill_object(&self, schema: &Value, mut members: Map<String, Value>) -> Map<String, Value> {
        let properties = &schema["properties"];
        for name in list(schema, "required").iter().filter_map(Value::as_str) {
            if !members.contains_key(name) {
                let value = self.default(&properties[name], name, &members);
                members.insert(name.to_owned(), value);
            }
        }
        for (name, member) in &mut members {
            if let Some(schema) = properties.get(name) {
                *member = self.fill(schema, member.take());
            }
        }
        members
    }

    /// The alternative that fits: by the discriminator, else the first of the value's kind.
    fn choose<'a>(&'a self, schema: &'a Value, value: &Value) -> Option<&'a Value> {
        let discriminator = &schema["discriminator"];
        if let Some(word) = discriminator["propertyName"].as_str().and_then(|name| value[name].as_str())
            && let Some(reference) = discriminator["mapping"][word].as_str()
        {
            return self.document.pointer(reference.trim_start_matches('#'));
        }
        let kind = match value {
            Value::Object(_) => "object",
            Value::Array(_) => "array",
            _ => return None,
        };
        list(schema, "anyOf").iter().chain(list(schema, "oneOf")).find(|part| {
            let part = self.resolve(part);
            let named = kind == "object" && part["properties"].is_object();
            named || kinds(part).any(|word| word == kind) || self.choose(part, value).is_some()
        })
    }

    /// A value that says as little as the description allows.
    fn default(&self, schema: &Value, name: &str, beside: &Map<String, Value>) -> Value {
        let schema = self.resolve(schema);
        let options = || list(schema, "anyOf").iter().chain(list(schema, "oneOf")).map(|part| self.resolve(part));
        if kinds(schema).any(|kind| kind == "null") || options().any(|part| kinds(part).any(|kind| kind == "null")) {
            return Value::Null;
        }
        if let Some(value) = schema.get("const").or_else(|| schema["enum"].get(0)) {
            return value.clone();
        }
        if let Some(part) = options().next() {
            return self.default(part, name, beside);
        }
        let kind = kinds(schema).next().unwrap_or("object");
        match kind {
            "object" => self.fill(schema, json!({})),
            "array" => json!([]),
            "boolean" => json!(false),
            "integer" | "number" => json!(0),
            _ if schema["format"] == "date-time" => json!(self.date),
            _ if name == "node_id" => json!(format!("N_{}", beside.get("id").unwrap_or(&json!(0)))),
            // Most addresses hang below the object's own.
            _ => match (name.strip_suffix("_url").or((name == "url").then_some("")), beside.get("url")) {
                (Some(rest), Some(Value::String(own))) => json!(format!("{own}/{rest}")),
                (Some(rest), _) => json!(format!("https://api.github.com/{rest}")),
                (None, _) if schema["format"] == "uri" => json!("https://api.github.com/"),
                (None, _) => json!(""),
            },
        }
    }

    fn resolve<'a>(&'a self, mut schema: &'a Value) -> &'a Value {
        while let Some(reference) = schema["$ref"].as_str() {
            schema = self.document.pointer(reference.trim_start_matches('#')).expect("a reference leads somewhere");
        }
        schema
    }
}

fn list<'a>(schema: &'a Value, word: &str) -> &'a [Value] {
    schema[word].as_array().map_or(&[], Vec::as_slice)
}

fn kinds(schema: &Value) -> impl Iterator<Item = &str> {
    let one = schema["type"].as_str().into_iter();
    one.chain(list(schema, "type").iter().filter_map(Value::as_str))
}
