//! Files: the contents API and git blobs.
//! Must not know: which files are documents.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

/// A file as the contents API gives it. Of a folder it gives a list instead.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Content {
    One(File),
    Folder(Vec<Entry>),
}

/// One entry of a folder, or of a tree, where it has a path for a name.
#[derive(Debug, Deserialize)]
pub struct Entry {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub name: Option<String>,
    pub path: Option<String>,
    pub sha: Option<String>,
}

/// A tree, or as much of it as GitHub gives.
#[derive(Debug, Deserialize)]
pub struct Tree {
    pub tree: Option<Vec<Entry>>,
    pub truncated: Option<bool>,
}

/// One file, or a git blob, which has no type.
#[derive(Debug, Deserialize)]
pub struct File {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub sha: Option<String>,
    encoding: Option<String>,
    content: Option<String>,
}

/// What a file's JSON holds of its bytes.
#[derive(Debug, PartialEq, Eq)]
pub enum Held {
    Bytes(Vec<u8>),
    /// Over 1 MB: must be asked for in raw form.
    Elsewhere,
}

impl File {
    pub fn bytes(&self) -> Result<Held, String> {
        match self.encoding.as_deref() {
            Some("none") => Ok(Held::Elsewhere),
            Some("base64") => {
                let mut text = self.content.clone().unwrap_or_default();
                text.retain(|c| !c.is_ascii_whitespace());
                STANDARD.decode(text).map(Held::Bytes).map_err(|error| format!("its base64 is broken ({error})"))
            }
            Some("utf-8") => Ok(Held::Bytes(self.content.clone().unwrap_or_default().into_bytes())),
            Some(other) => Err(format!("its encoding {other} is unknown")),
            None => Err("it has no encoding".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::fixture;
    use super::*;

    #[test]
    fn contents_come_in_several_forms() {
        let file = |text: &str| match fixture::<Content>("contents/a", "@", text) {
            Content::One(file) => file.bytes(),
            Content::Folder(_) => Err("folder".into()),
        };
        assert_eq!(file(r#"{"type":"file","encoding":"base64","content":"YWJj\nZA==\n"}"#), Ok(Held::Bytes(b"abcd".to_vec())));
        assert_eq!(file(r#"{"encoding":"none","content":""}"#), Ok(Held::Elsewhere));
        assert_eq!(file(r#"[{"type":"file"}]"#), Err("folder".into()));
        assert!(file(r#"{"encoding":"base64","content":"!"}"#).is_err());
        assert!(file(r#"{"type":"submodule"}"#).is_err());
    }
}
