//! Addresses: the base of an API, which addresses belong to it, percent-encoding, and `Link` headers.
//! Must not know: what is read from an address.

use crate::core::trouble::{Trouble, TroubleKind};
use http::Uri;
use http::uri::{Authority, Scheme};

/// The root of one GitHub API: `https://api.github.com`, or `https://host/api/v3` of a GitHub Enterprise Server.
///
/// Always https, except on loopback, where http is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    scheme: Scheme,
    authority: Authority,
    /// Without a slash at its end: empty or `/api/v3`.
    path: String,
}

impl Base {
    /// Reads an API address; the trouble says what an address must look like.
    pub fn parse(text: &str) -> Result<Base, Trouble> {
        // What stands before an @ may be a password, and has no place in a message.
        let shown = match text.rsplit_once('@') {
            Some((_, host)) => format!("…@{host}"),
            None => text.to_owned(),
        };
        let refuse = |why: &str| {
            Trouble::new(
                TroubleKind::Refused,
                format!("{} is not an API address: {why}.", super::trouble::one_line(&shown)),
                "Use https://api.github.com, https://HOST/api/v3, or http on a loopback address.",
            )
        };
        let uri: Uri = text.trim().parse().map_err(|_| refuse("it is not a URL"))?;
        let parts = uri.into_parts();
        let (Some(scheme), Some(authority)) = (parts.scheme, parts.authority) else {
            return Err(refuse("it needs a scheme and a host"));
        };
        if authority.as_str().contains('@') {
            return Err(refuse("it must not hold a user or a password"));
        }
        if scheme != Scheme::HTTPS && !(scheme == Scheme::HTTP && is_loopback(authority.host())) {
            return Err(refuse("a token travels only over https, or over http on this machine"));
        }
        let path = match &parts.path_and_query {
            Some(path) if path.query().is_some() => return Err(refuse("it must not hold a query")),
            Some(path) => path.path().trim_end_matches('/').to_owned(),
            None => String::new(),
        };
        Ok(Base { scheme, authority, path })
    }

    /// github.com's.
    pub fn github() -> Base {
        Base { scheme: Scheme::HTTPS, authority: Authority::from_static("api.github.com"), path: String::new() }
    }

    pub fn is_https(&self) -> bool {
        self.scheme == Scheme::HTTPS
    }

    /// Host and port, as people name the place: `api.github.com`.
    pub fn authority(&self) -> &str {
        self.authority.as_str()
    }

    /// Whether `uri` belongs to this API: relative, or the same scheme, host and port. Only then may a token go there.
    pub fn owns(&self, uri: &Uri) -> bool {
        match (uri.scheme(), uri.authority()) {
            (None, None) => true,
            (Some(scheme), Some(authority)) => {
                *scheme == self.scheme
                    && authority.host().eq_ignore_ascii_case(self.authority.host())
                    && port(scheme, authority) == port(&self.scheme, &self.authority)
                    && !authority.as_str().contains('@')
            }
            _ => false,
        }
    }

    /// The full address: relative ones under the base's path, absolute ones untouched.
    pub fn absolute(&self, uri: &Uri) -> Result<Uri, http::Error> {
        if uri.authority().is_some() {
            return Ok(uri.clone());
        }
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(format!("{}{path}", self.path))
            .build()
    }

    /// The address as evidence and recordings hold it: below the base with its query, elsewhere absolute and without
    /// the query, which may be a signature.
    pub fn relative(&self, uri: &Uri) -> String {
        if !self.owns(uri) {
            let scheme = uri.scheme_str().unwrap_or("https");
            let authority = uri.authority().map_or("", |authority| authority.as_str());
            return format!("{scheme}://{authority}{}", uri.path());
        }
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let below = (uri.authority().is_some()).then(|| path.strip_prefix(&self.path)).flatten();
        below.filter(|rest| rest.starts_with('/')).unwrap_or(path).to_owned()
    }

    /// Where a redirect leads, if it may be followed: within this API, or to a download over https (over http only
    /// from one loopback address to another).
    pub fn follow(&self, location: &str) -> Option<Uri> {
        let mut uri: Uri = location.parse().ok()?;
        if uri.authority().is_none() {
            // A path from the server's root, not from the base.
            uri = Uri::builder()
                .scheme(self.scheme.clone())
                .authority(self.authority.clone())
                .path_and_query(uri.path_and_query()?.as_str())
                .build()
                .ok()?;
        }
        let both_here = !self.is_https() && is_loopback(self.authority.host()) && is_loopback(uri.host()?);
        let fit = self.owns(&uri) || uri.scheme() == Some(&Scheme::HTTPS) || (uri.scheme() == Some(&Scheme::HTTP) && both_here);
        fit.then_some(uri)
    }
}

impl std::fmt::Display for Base {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}{}", self.scheme, self.authority, self.path)
    }
}

fn port(scheme: &Scheme, authority: &Authority) -> u16 {
    authority.port_u16().unwrap_or(if *scheme == Scheme::HTTPS { 443 } else { 80 })
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost") || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Percent-encodes a path, keeping its slashes.
pub fn encode_path(path: &str) -> String {
    encode(path, b"/")
}

/// Percent-encodes a query value.
pub fn encode_query(value: &str) -> String {
    encode(value, b"")
}

fn encode(text: &str, keep: &[u8]) -> String {
    use std::fmt::Write;
    text.bytes().fold(String::with_capacity(text.len()), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || keep.contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

/// The address with this relation in a `Link` header.
pub fn link<'a>(header: &'a str, relation: &str) -> Option<&'a str> {
    let mut rest = header;
    while let Some((_, from)) = rest.split_once('<') {
        let (address, after) = from.split_once('>')?;
        let parameters = after.split_once('<').map_or(after, |(before, _)| before);
        let found = parameters.split(';').any(|parameter| {
            let Some((name, value)) = parameter.trim().split_once('=') else { return false };
            name.trim().eq_ignore_ascii_case("rel")
                && value.trim().trim_matches([',', ' ', '"']).split_whitespace().any(|word| word.eq_ignore_ascii_case(relation))
        });
        if found {
            return Some(address);
        }
        rest = after;
    }
    None
}

/// The page that an address of a list asks for.
pub fn page_number(address: &str) -> Option<u32> {
    let (_, query) = address.split_once('?')?;
    query.split('&').find_map(|pair| pair.strip_prefix("page=")).and_then(|value| value.parse().ok())
}

/// The same address at another page.
pub fn at_page(address: &str, page: u32) -> String {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let kept = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("page="));
    let query: Vec<String> = kept.map(str::to_owned).chain([format!("page={page}")]).collect();
    format!("{path}?{}", query.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> Uri {
        text.parse().unwrap()
    }

    #[test]
    fn a_base_is_https_or_loopback() {
        for good in [
            "https://api.github.com",
            "https://api.github.com/",
            "https://ghe.example/api/v3/",
            "http://127.0.0.1:4020",
            "http://localhost:1/api/v3",
            "http://[::1]:9",
        ] {
            assert!(Base::parse(good).is_ok(), "{good}");
        }
        for bad in
            ["http://ghe.example", "ftp://x", "api.github.com", "", "https://u:p@h", "https://h?x", "http://127.0.0.1.example"]
        {
            let trouble = Base::parse(bad).unwrap_err();
            assert!(!trouble.hint.is_empty(), "{bad}");
        }
    }

    #[test]
    fn addresses_go_under_the_base_and_absolute_ones_stay() {
        let ghe = Base::parse("https://ghe/api/v3").unwrap();
        let table = [
            ("/repos/o/r?x=1", "https://ghe/api/v3/repos/o/r?x=1"),
            ("/api/v3x/y", "https://ghe/api/v3/api/v3x/y"),
            ("https://blob/a.zip?sig=1", "https://blob/a.zip?sig=1"),
            ("https://ghe/api/v3/repositories/1/x?page=2", "https://ghe/api/v3/repositories/1/x?page=2"),
        ];
        for (from, to) in table {
            assert_eq!(ghe.absolute(&uri(from)).unwrap().to_string(), to);
        }
        // A base whose path begins like the route.
        let odd = Base::parse("http://127.0.0.1:1/r").unwrap();
        assert_eq!(odd.absolute(&uri("/repos/o/r")).unwrap().to_string(), "http://127.0.0.1:1/r/repos/o/r");
        assert_eq!(odd.relative(&uri("/repos/o/r")), "/repos/o/r");
        assert_eq!(odd.relative(&uri("http://127.0.0.1:1/r/repos/o")), "/repos/o");
    }

    #[test]
    fn the_token_belongs_to_one_scheme_host_and_port() {
        let base = Base::parse("https://ghe/api/v3").unwrap();
        let table = [
            ("/x", true),
            ("https://ghe/x", true),
            ("https://GHE:443/x", true),
            ("http://ghe/x", false),
            ("https://ghe:444/x", false),
            ("https://ghe.evil/x", false),
            ("https://ghe@evil/x", false),
            ("https://evil@ghe/x", false),
        ];
        for (address, own) in table {
            assert_eq!(base.owns(&uri(address)), own, "{address}");
        }
    }

    #[test]
    fn redirects_are_followed_to_https_or_from_loopback_to_loopback() {
        let base = Base::github();
        assert_eq!(base.follow("/repositories/1").unwrap().to_string(), "https://api.github.com/repositories/1");
        assert!(base.follow("https://blob.example/x?sig").is_some());
        assert!(base.follow("http://blob.example/x").is_none());
        assert!(base.follow("http://127.0.0.1/x").is_none());
        let here = Base::parse("http://127.0.0.1:1").unwrap();
        assert!(here.follow("http://localhost:1/x").is_some());
        assert!(here.follow("http://blob.example/x").is_none());
        assert!(here.follow("file:///etc").is_none());
    }

    #[test]
    fn link_headers_are_read_whatever_their_order() {
        let header = r#"<https://h/a?x=1,2&page=2>; rel="next", <https://h/a?page=9>; title="x"; rel=last"#;
        assert_eq!(link(header, "next"), Some("https://h/a?x=1,2&page=2"));
        assert_eq!(link(header, "last"), Some("https://h/a?page=9"));
        assert_eq!(link(header, "prev"), None);
        for broken in ["", "<", "<a", "a>b", "<a>; rel", "<a>;rel=\"\"", "<<>>;rel=next"] {
            let _ = link(broken, "next");
        }
        assert_eq!(page_number("/a?per_page=100&page=7"), Some(7));
        assert_eq!(page_number("/a?per_page=100"), None);
        assert_eq!(at_page("/a?page=2&per_page=100", 3), "/a?per_page=100&page=3");
    }

    #[test]
    fn encoding_leaves_only_plain_characters() {
        assert_eq!(encode_path("a b/ü?#.md"), "a%20b/%C3%BC%3F%23.md");
        assert_eq!(encode_query("a/b&c=d"), "a%2Fb%26c%3Dd");
    }
}
