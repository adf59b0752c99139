//! JSON as Python writes it: `NaN` and infinities stand bare, where JSON has no word for them.
//! Must not know: what the numbers mean.

use serde_json::Value;
use std::borrow::Cow;

/// Words that Python's writer emits and JSON forbids.
const WORDS: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];

/// Reads JSON; a bare `NaN` or infinity becomes the text of its name, which no member of ours takes for a number.
pub fn parse(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice(&quoted(bytes))
}

/// No line break comes or goes, so that an error still names its line.
fn quoted(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut out: Option<Vec<u8>> = None;
    let (mut at, mut in_text) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let mut step = 1;
        match byte {
            b'\\' if in_text => step = 2,
            b'"' => in_text = !in_text,
            b'N' | b'I' | b'-' if !in_text => {
                if let Some(word) = WORDS.iter().find(|word| rest.starts_with(word)) {
                    let out = out.get_or_insert_with(|| bytes.get(..at).unwrap_or_default().to_vec());
                    out.push(b'"');
                    out.extend_from_slice(word);
                    out.push(b'"');
                    at += word.len();
                    continue;
                }
            }
            _ => {}
        }
        if let Some(out) = &mut out {
            out.extend(rest.iter().take(step));
        }
        at += step;
    }
    out.map_or(Cow::Borrowed(bytes), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bare_words_become_texts_and_texts_stay() {
        let table = [
            (r#"{"a": NaN}"#, r#"{"a":"NaN"}"#),
            (r#"[Infinity,-Infinity,-1,NaN]"#, r#"["Infinity","-Infinity",-1,"NaN"]"#),
            (r#"{"NaN": "NaN \" NaN \\"}"#, r#"{"NaN":"NaN \" NaN \\"}"#),
            (r#"["\\", NaN, "Infinity"]"#, r#"["\\","NaN","Infinity"]"#),
        ];
        for (text, want) in table {
            assert_eq!(parse(text.as_bytes()).unwrap().to_string(), want, "{text}");
        }
        for bad in ["[nan]", "[NaNs]", "[1 NaN]", "\"NaN", "\\"] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
        assert_eq!(parse(b"[1,\nNaN,\n,]").unwrap_err().line(), 3);
    }

    proptest! {
        #[test]
        fn what_was_json_stays_what_it_was(text in "\\PC{0,40}", bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let json = serde_json::json!({ &text: [&text, 1.5, null] });
            prop_assert_eq!(parse(json.to_string().as_bytes()).unwrap(), json);
            let _ = parse(&bytes);
        }
    }
}
