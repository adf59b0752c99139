//! Who the program is at each host, as text and JSON. A token is told by where it comes from, and by nothing of itself.
//! Must not know: tokens.

use super::{Report, SCHEMA, json, table};
use crate::core::access::Identity;
use crate::core::trouble::Trouble;
use serde::Serialize;

/// One host.
#[derive(Debug, Clone)]
pub struct HostStatus {
    pub host: String,
    /// Whether the command line or the place it was called from means this one.
    pub addressed: bool,
    /// Where the token comes from; `None` when there is none.
    pub source: Option<String>,
    pub identity: Result<Identity, Trouble>,
    /// Requests left of how many, in this hour.
    pub budget: Option<(u64, u64)>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    hosts: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    host: &'a str,
    addressed: bool,
    works: bool,
    source: Option<&'a str>,
    login: Option<&'a str>,
    kind: Option<&'static str>,
    /// `null` for a token whose rights GitHub does not list.
    scopes: Option<&'a [String]>,
    expires: Option<&'a str>,
    remaining: Option<u64>,
    limit: Option<u64>,
    trouble: Option<String>,
}

/// Reports hosts in the order given; the addressed one decides whether there is a gap.
pub fn report(hosts: &[HostStatus], as_json: bool) -> Report {
    let text = if as_json {
        json(&Document { schema: SCHEMA, hosts: hosts.iter().map(row).collect() })
    } else {
        let blocks: Vec<String> = hosts.iter().map(|host| table::render(&[&host.host, ""], &lines(host))).collect();
        blocks.join("\n")
    };
    let gaps = hosts.iter().filter(|host| host.addressed).filter_map(|host| host.identity.as_ref().err());
    Report { text, gaps: gaps.map(Trouble::sentence).collect() }
}

fn row(host: &HostStatus) -> Row<'_> {
    let identity = host.identity.as_ref().ok();
    Row {
        host: &host.host,
        addressed: host.addressed,
        works: identity.is_some(),
        source: host.source.as_deref(),
        login: identity.map(|identity| identity.login.as_str()),
        kind: identity.map(|identity| identity.kind.word()),
        scopes: identity.and_then(|identity| identity.kind.scopes()),
        expires: identity.and_then(|identity| identity.expires.as_deref()),
        remaining: host.budget.map(|(remaining, _)| remaining),
        limit: host.budget.map(|(_, limit)| limit),
        trouble: host.identity.as_ref().err().map(Trouble::sentence),
    }
}

fn lines(host: &HostStatus) -> Vec<Vec<String>> {
    let mut out = vec![("token", host.source.as_ref().map_or_else(|| "none".to_owned(), |source| format!("from {source}")))];
    match &host.identity {
        Ok(identity) => {
            out.push(("account", identity.login.clone()));
            out.push(("kind", identity.kind.word().to_owned()));
            out.push((
                "rights",
                match identity.kind.scopes() {
                    Some([]) => "no scopes: public repositories, read-only".to_owned(),
                    Some(scopes) => format!("scopes {}", scopes.join(", ")),
                    None => "not listed by GitHub; countersign doctor finds them out by asking".to_owned(),
                },
            ));
            out.push(("expires", identity.expires.clone().unwrap_or_else(|| "not said".to_owned())));
        }
        Err(trouble) => out.push(("trouble", trouble.sentence())),
    }
    if let Some((remaining, limit)) = host.budget {
        out.push(("budget", format!("{remaining} of {limit} requests left in this hour")));
    }
    out.into_iter().map(|(name, value)| vec![format!("  {name}"), value]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::access::TokenKind;
    use crate::core::trouble::TroubleKind;

    #[test]
    fn each_host_says_who_and_what_and_only_the_addressed_one_decides() {
        let scopes = vec!["repo".to_owned(), "read:org".to_owned()];
        let identity = Identity { login: "a".into(), kind: TokenKind::OfApp { scopes }, expires: None };
        let here = HostStatus {
            host: "api.github.com".into(),
            addressed: true,
            source: Some("GH_TOKEN".into()),
            identity: Ok(identity),
            budget: Some((4999, 5000)),
        };
        let there = HostStatus {
            host: "ghe.example.org".into(),
            addressed: false,
            source: None,
            identity: Err(Trouble::new(TroubleKind::Access, "There is no token.", "Give one.")),
            budget: None,
        };
        let told = report(&[here.clone(), there.clone()], false);
        let expected = "api.github.com\n  token         from GH_TOKEN\n  account       a\n  kind          of an OAuth application\n  \
                        rights        scopes repo, read:org\n  expires       not said\n  \
                        budget        4999 of 5000 requests left in this hour\n\n\
                        ghe.example.org\n  token          none\n  trouble        There is no token. Give one.\n";
        assert_eq!((told.text.as_str(), told.gaps.len()), (expected, 0));
        let other = report(&[HostStatus { addressed: true, ..there }, HostStatus { addressed: false, ..here }], true);
        assert_eq!(other.gaps, ["There is no token. Give one."]);
        assert!(other.text.starts_with("{\n  \"schema\": 1,\n") && other.text.contains("\"scopes\": null"), "{}", other.text);
    }
}
