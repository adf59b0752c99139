//! Failures of the transport and refusals of GitHub, each turned into a sentence with the way on, once.
//! Must not know: which read failed; it is told the address.

use crate::core::time::Time;
use crate::core::trouble::{Trouble, TroubleKind};
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// What is certain about a request that brought no usable answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// It never left, or was refused: nothing was done.
    NotDone,
    /// Bytes may have left: it may have been done.
    Unknown,
}

/// A request that brought no answer. Travels through tower and octocrab as their error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub trouble: Trouble,
    pub certainty: Certainty,
    /// Whether the same read may succeed a moment later.
    pub again: bool,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.trouble.headline)
    }
}

impl Error for Failure {}

impl Failure {
    /// Certain: nothing left, or it was refused.
    pub fn not_done(trouble: Trouble) -> Failure {
        Failure { trouble, certainty: Certainty::NotDone, again: false }
    }

    /// The connection could not be made; `error` is looked through for its deepest cause.
    pub fn unconnected(host: &str, error: &(dyn Error + 'static)) -> Failure {
        let cause = deepest(error);
        let lower = cause.to_ascii_lowercase();
        let hint = if lower.contains("certificate") || lower.contains("tls") {
            "Check the date of this machine and its certificate store; a company's own authority can be named in ca_file of the settings or in SSL_CERT_FILE."
        } else if lower.contains("lookup") || lower.contains("resolve") || lower.contains("name or service") {
            "Check the network and the host's name."
        } else {
            "Check the network, the address and a proxy, then try again."
        };
        let trouble = Trouble::new(TroubleKind::Network, format!("{host} cannot be reached: {cause}."), hint);
        Failure { trouble, certainty: Certainty::NotDone, again: !lower.contains("certificate") }
    }

    /// The connection broke after it stood.
    pub fn cut(host: &str, error: &(dyn Error + 'static)) -> Failure {
        let headline = format!("The connection to {host} was cut: {}.", deepest(error));
        let trouble = Trouble::new(TroubleKind::Network, headline, "Try again.");
        Failure { trouble, certainty: Certainty::Unknown, again: true }
    }

    /// Nothing came in time.
    pub fn timeout(host: &str, what: &str, waited: Duration) -> Failure {
        let headline = format!("{host} sent {what} within {} s.", waited.as_secs());
        let trouble = Trouble::new(
            TroubleKind::Timeout,
            headline,
            "Try again; if it stays so, look at the network or at GitHub's status page.",
        );
        Failure { trouble, certainty: Certainty::Unknown, again: true }
    }

    pub fn too_large(host: &str, cap: usize) -> Failure {
        let headline = format!("An answer of {host} is larger than {} MiB.", cap >> 20);
        let trouble = Trouble::new(TroubleKind::TooLarge, headline, "Look at it in the browser.");
        Failure { trouble, certainty: Certainty::Unknown, again: false }
    }

    /// What octocrab hands back. Its own errors are never shown raw: they may hold backtraces and addresses.
    pub fn from_octocrab(error: octocrab::Error) -> Failure {
        let mut level: Option<&(dyn Error + 'static)> = Some(&error);
        while let Some(at) = level {
            if let Some(failure) = at.downcast_ref::<Failure>() {
                return failure.clone();
            }
            level = at.source();
        }
        let trouble = Trouble::new(TroubleKind::Network, "The request could not be carried out.", "Try again.");
        Failure { trouble, certainty: Certainty::Unknown, again: false }
    }
}

/// The innermost cause in one short line, without its final stop.
pub fn deepest(error: &(dyn Error + 'static)) -> String {
    let mut at = error;
    while let Some(next) = inner(at) {
        at = next;
    }
    one_line(at.to_string().trim_end_matches('.'))
}

/// One cause further in. An `io::Error` skips the error that it carries, which is the one that says something.
fn inner<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    if let Some(carried) = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
        let carried: &(dyn Error + 'static) = carried;
        return Some(carried);
    }
    error.source()
}

/// What was asked, as far as a refusal's sentence needs it.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Without host and signature.
    pub address: &'a str,
    /// Whether a token went along.
    pub token: bool,
}

/// The trouble that a refusing status stands for. Limits are `layers::gate`'s and do not come here.
pub fn refusal(asked: Asked<'_>, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Trouble {
    let address = one_line(asked.address);
    let said = message(body);
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(one_line);
    let (kind, headline, hint) = match status.as_u16() {
        401 if asked.token => (
            TroubleKind::Access,
            "GitHub does not accept the token (401): it is wrong, expired or revoked.".to_owned(),
            "Give a valid token, for example by `gh auth login`.".to_owned(),
        ),
        401 => (
            TroubleKind::Access,
            format!("GitHub wants a token for {address} (401)."),
            "Give one, for example in COUNTERSIGN_TOKEN or GH_TOKEN, or by `gh auth login`.".to_owned(),
        ),
        403 => match (header("x-github-sso"), header("x-accepted-github-permissions")) {
            (Some(sso), _) => {
                let page = sso.split("url=").nth(1).and_then(|rest| rest.split([';', ' ']).next());
                let hint = match page {
                    Some(page) => format!("Authorise the token for the organisation at {page} and try again."),
                    None => "Authorise the token for the organisation in GitHub's token settings and try again.".to_owned(),
                };
                (TroubleKind::Access, format!("The organisation wants single sign-on for {address} (403)."), hint)
            }
            (None, Some(rights)) if !rights.is_empty() => (
                TroubleKind::Access,
                format!("The token may not use {address} (403): {said}."),
                format!("It needs one of these permissions: {rights}."),
            ),
            _ => (
                TroubleKind::Access,
                format!("GitHub does not allow {address} (403): {said}."),
                if asked.token {
                    "Check the token's permissions and its access to this repository.".to_owned()
                } else {
                    "Give a token, for example in COUNTERSIGN_TOKEN or GH_TOKEN, or by `gh auth login`.".to_owned()
                },
            ),
        },
        404 => (
            TroubleKind::NotFound,
            format!("GitHub finds nothing at {address} (404)."),
            if asked.token {
                "Check owner, name and number; it may also be private and closed to this token.".to_owned()
            } else {
                "Check owner, name and number; if it is private, it needs a token, and none was sent.".to_owned()
            },
        ),
        406 => (
            TroubleKind::TooLarge,
            format!("GitHub does not give {address} in this form (406): {said}."),
            "Look at it in the browser.".to_owned(),
        ),
        410 => (
            TroubleKind::Gone,
            format!("{address} is gone (410): {said}."),
            "It cannot be read any more; a new run makes a new one.".to_owned(),
        ),
        451 => (
            TroubleKind::Access,
            format!("{address} is closed for legal reasons (451)."),
            "Ask the owner of the repository.".to_owned(),
        ),
        300..=399 => (
            TroubleKind::Moved,
            format!("{address} has moved ({}).", status.as_u16()),
            match header("location") {
                Some(place) if !place.is_empty() => {
                    format!("Open the repository under its new name; GitHub points to {}.", without_query(&place))
                }
                _ => "Open the repository under its new name.".to_owned(),
            },
        ),
        500..=599 => (
            TroubleKind::Server,
            format!("GitHub failed at {address} ({}).", status.as_u16()),
            "Try again in a moment.".to_owned(),
        ),
        408 => (TroubleKind::Timeout, format!("GitHub gave up waiting at {address} (408)."), "Try again.".to_owned()),
        code => (
            TroubleKind::Refused,
            format!("GitHub refuses {address} ({code}): {said}."),
            "Change what it objects to, then try again.".to_owned(),
        ),
    };
    Trouble::new(kind, headline, hint)
}

/// A refusal because of a limit that ends at `retry_at`.
pub fn limited(primary: bool, retry_at: Time) -> Trouble {
    let when = retry_at.format("%H:%M:%S UTC");
    let headline = if primary {
        format!("GitHub's hourly budget of requests is used up until {when}.")
    } else {
        format!("GitHub's secondary rate limit asks for a pause until {when}.")
    };
    let mut trouble = Trouble::new(TroubleKind::Limited, headline, "Wait until then and try again.");
    trouble.retry_at = Some(retry_at);
    trouble
}

/// An answer that cannot be read.
pub fn malformed(address: &str, why: impl fmt::Display) -> Trouble {
    let headline = format!("The answer at {} cannot be read: {}.", one_line(address), one_line(&why.to_string()));
    Trouble::new(TroubleKind::Malformed, headline, "Try again; if it stays so, GitHub's format may have changed.")
}

/// GitHub's own words in an error's body, `errors` included, as one short line.
pub fn message(body: &[u8]) -> String {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return "no reason given".to_owned();
    };
    let mut words: Vec<String> = value.get("message").and_then(Value::as_str).map(str::to_owned).into_iter().collect();
    for error in value.get("errors").and_then(Value::as_array).into_iter().flatten().take(3) {
        let part = |name: &str| error.get(name).and_then(Value::as_str);
        match (error.as_str().or(part("message")), part("field"), part("code")) {
            (Some(text), ..) => words.push(text.to_owned()),
            (None, Some(field), Some(code)) => words.push(format!("{field} {code}")),
            (None, _, Some(code)) => words.push(code.to_owned()),
            _ => {}
        }
    }
    let line = one_line(words.join("; ").trim_end_matches('.'));
    if line.is_empty() { "no reason given".to_owned() } else { line }
}

/// An address without what may be a signature.
fn without_query(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or(address)
}

/// Text of others as one line of at most 200 characters: white space joined, control and format characters out.
pub fn one_line(text: &str) -> String {
    const CAP: usize = 200;
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let clean: String =
        text.chars().take(4 * CAP).map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !hidden(*c)).collect();
    let joined = clean.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if joined.chars().count() <= CAP {
        return joined;
    }
    joined.chars().take(CAP - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderName;

    fn told(status: u16, token: bool, headers: &[(&str, &str)], body: &str) -> Trouble {
        let headers = headers.iter().map(|(k, v)| (k.parse::<HeaderName>().unwrap(), v.parse().unwrap())).collect();
        refusal(Asked { address: "/repos/o/r", token }, StatusCode::from_u16(status).unwrap(), &headers, body.as_bytes())
    }

    #[test]
    fn each_refusal_has_its_kind_and_names_the_way_on() {
        use TroubleKind::*;
        let sso = ("x-github-sso", "required; url=https://github.com/orgs/o/sso?authorization_request=A");
        let rights = ("x-accepted-github-permissions", "actions=read");
        let long = r#"{"message":"Validation Failed","errors":[{"resource":"IssueComment","field":"data","code":"unprocessable","message":"Body is too long"}]}"#;
        let table = [
            (401, true, vec![], "", Access, "token", "gh auth login"),
            (401, false, vec![], "", Access, "wants a token", "GH_TOKEN"),
            (403, true, vec![sso], "", Access, "single sign-on", "https://github.com/orgs/o/sso?authorization_request=A"),
            (
                403,
                true,
                vec![rights],
                r#"{"message":"Resource not accessible"}"#,
                Access,
                "Resource not accessible",
                "actions=read",
            ),
            (403, false, vec![], "<html>", Access, "no reason given", "GH_TOKEN"),
            (404, true, vec![], "", NotFound, "/repos/o/r", "private"),
            (404, false, vec![], "", NotFound, "404", "none was sent"),
            (406, true, vec![], r#"{"message":"Sorry, too large."}"#, TooLarge, "too large", "browser"),
            (410, true, vec![], "{}", Gone, "gone", "new run"),
            (422, true, vec![], long, Refused, "Body is too long", "Change"),
            (422, true, vec![], r#"{"message":"No","errors":["commit_id is wrong"]}"#, Refused, "commit_id is wrong", ""),
            (301, true, vec![("location", "https://h/repositories/1?sig=x")], "", Moved, "moved", "https://h/repositories/1."),
            (451, true, vec![], "", Access, "legal", "owner"),
            (502, true, vec![], "<html>bad gateway</html>", Server, "502", "again"),
        ];
        for (status, token, headers, body, kind, headline, hint) in table {
            let trouble = told(status, token, &headers, body);
            assert_eq!(trouble.kind, kind, "{status}");
            assert!(trouble.headline.contains(headline), "{status}: {}", trouble.headline);
            assert!(trouble.hint.contains(hint), "{status}: {}", trouble.hint);
        }
    }

    #[test]
    fn words_of_others_become_one_short_line() {
        assert_eq!(one_line("a\n\tb\u{1b}[31m\u{202e}c"), "a b[31mc");
        assert_eq!(one_line(&"x".repeat(1000)).chars().count(), 200);
        assert_eq!(message(br#"{"message":null,"errors":7}"#), "no reason given");
        assert_eq!(message(b"\xff"), "no reason given");
    }

    #[test]
    fn the_deepest_cause_is_told() {
        let inner = std::io::Error::other("invalid peer certificate: UnknownIssuer");
        let outer = std::io::Error::other(inner);
        let failure = Failure::unconnected("h", &outer);
        assert!(failure.trouble.headline.contains("UnknownIssuer"), "{}", failure.trouble.headline);
        assert!(failure.trouble.hint.contains("SSL_CERT_FILE"));
        assert_eq!((failure.certainty, failure.again), (Certainty::NotDone, false));
    }
}
