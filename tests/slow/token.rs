//! Looks for a token in whatever was left behind, in every form that it may have taken on the way.
//! Must not know: who wrote the files.

use crate::home::Home;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use std::path::Path;

/// Every trace of `token` in `text`, each named by its form.
pub fn traces(text: &str, token: &str) -> Vec<&'static str> {
    let percent: String = token.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let hex: String = token.bytes().map(|byte| format!("{byte:02x}")).collect();
    let backwards: String = token.chars().rev().collect();
    let lower = text.to_lowercase();
    let mut out = Vec::new();
    let mut look = |form, found: bool| {
        if found {
            out.push(form);
        }
    };
    look("as it is", lower.contains(&token.to_lowercase()));
    look("percent-encoded", lower.contains(&percent));
    look("in hex", lower.contains(&hex));
    look("backwards", lower.contains(&backwards.to_lowercase()));
    look("in base64", in_base64(token).iter().any(|form| text.contains(form.as_str())));
    out
}

/// The middle of its base64 at each of the three places where it may begin, so that what stands around it does not matter.
fn in_base64(token: &str) -> Vec<String> {
    let shifted = |shift: usize| {
        let bytes = [&vec![0; shift], token.as_bytes()].concat();
        let whole = bytes.len() / 3 * 3;
        [STANDARD_NO_PAD.encode(&bytes[..whole]), URL_SAFE_NO_PAD.encode(&bytes[..whole])].map(|form| form[4..].to_owned())
    };
    (0..3).flat_map(shifted).collect()
}

/// Fails where a file below `folder` holds the token.
pub fn assert_absent(folder: &Path, token: &str) {
    for (path, text) in Home::files(folder) {
        let found = traces(&text, token);
        assert!(found.is_empty(), "{} holds the token {found:?}", path.display());
    }
}

#[test]
fn every_form_of_a_token_is_found() {
    let token = "ghp_Zq7vK2mX9wTn4bR8sLd3";
    let percent: String = token.bytes().map(|byte| format!("%{byte:02X}")).collect();
    for around in ["", "x", "xy", "user:"] {
        let text = STANDARD_NO_PAD.encode(format!("{around}{token}@"));
        assert_eq!(traces(&text, token), ["in base64"], "{around}");
    }
    assert_eq!(traces(&format!("Bearer {token}"), token), ["as it is"]);
    assert_eq!(traces(&percent, token), ["percent-encoded"]);
    assert!(traces("ghp_ and other words", token).is_empty());
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("log"), format!("… {token}")).unwrap();
    assert!(std::panic::catch_unwind(|| assert_absent(folder.path(), token)).is_err());
}
