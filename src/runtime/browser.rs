//! Opens a page in a browser.
//! Must not know: whose page it is.

use crate::core::trouble::{Trouble, TroubleKind};

/// Opens `url` with `program`, or with the system's own. Strangers write addresses too, so only web pages are opened:
/// no files, no programs.
pub fn open_page(url: &str, program: Option<&str>) -> Result<String, Trouble> {
    if !is_page(url) {
        return Err(Trouble::new(TroubleKind::Refused, "This is not the address of a web page.", "Copy it with y instead."));
    }
    let opened = match program {
        Some(program) => open::with_detached(url, program),
        None => open::that_detached(url),
    };
    match opened {
        Ok(()) => Ok("Opened in the browser.".to_owned()),
        Err(error) => Err(Trouble::new(
            TroubleKind::Refused,
            format!("No browser could be started: {error}."),
            "Copy the link with y, or set `browser` in the settings.",
        )),
    }
}

/// `http` or `https`, a host, and nothing that a shell, a terminal or a browser could take for something else.
fn is_page(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    !host.is_empty()
        && !host.contains('@')
        && url.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '\\' | '`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_pages_are_opened() {
        for good in ["https://github.com/o/r/pull/7#issuecomment-1", "http://127.0.0.1:4020/x?y=1"] {
            assert!(is_page(good), "{good}");
        }
        for bad in [
            "",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "https://",
            "https:///x",
            "https://a@b/",
            "--help",
            "https://h/\u{1b}",
            "https://h/a b",
        ] {
            assert!(!is_page(bad), "{bad}");
            assert_eq!(open_page(bad, Some("false")).unwrap_err().kind, TroubleKind::Refused, "{bad}");
        }
    }
}
