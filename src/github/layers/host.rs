//! Makes a request one of this API: full address, user agent, version, and the token, which goes to its own scheme,
//! host and port and nowhere else.
//! Must not know: where the token came from.

use super::{Answering, Call, Inner, Whole, always_ready, is_read};
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::address::Base;
use crate::github::settings::Secret;
use crate::github::trouble::Failure;
use http::HeaderValue;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, COOKIE, USER_AGENT};
use tower::Service;

const VERSION: HeaderValue = HeaderValue::from_static("2022-11-28");
const JSON: HeaderValue = HeaderValue::from_static("application/vnd.github+json");

#[derive(Clone)]
pub struct Host<S> {
    inner: S,
    base: Base,
    bearer: Option<HeaderValue>,
    agent: HeaderValue,
}

impl<S> Host<S> {
    /// Refuses a token or user agent that cannot be a header's value; the token is not told.
    pub fn new(inner: S, base: Base, token: Option<&Secret>, agent: &str) -> Result<Host<S>, Trouble> {
        let bearer = match token {
            None => None,
            Some(token) => {
                let mut bearer = HeaderValue::from_str(&format!("Bearer {}", token.expose())).map_err(|_| {
                    Trouble::new(
                        TroubleKind::Access,
                        "The token holds characters that no token has.",
                        "Copy it again, without line breaks or quotes.",
                    )
                })?;
                bearer.set_sensitive(true);
                Some(bearer)
            }
        };
        let agent = HeaderValue::from_str(agent).unwrap_or(HeaderValue::from_static("countersign"));
        Ok(Host { inner, base, bearer, agent })
    }
}

impl<S: Inner> Service<Call> for Host<S> {
    type Response = Whole;
    type Error = Failure;
    type Future = Answering<Whole>;
    always_ready!();

    fn call(&mut self, mut call: Call) -> Self::Future {
        let own = self.base.owns(call.uri());
        match self.base.absolute(call.uri()) {
            Ok(uri) => *call.uri_mut() = uri,
            Err(_) => {
                let trouble = Trouble::new(TroubleKind::Refused, "An address cannot be made for this request.", "");
                return Box::pin(async { Err(Failure::not_done(trouble)) });
            }
        }
        let bodiless = is_read(call.method());
        let headers = call.headers_mut();
        headers.remove(AUTHORIZATION);
        headers.remove(COOKIE);
        headers.insert(USER_AGENT, self.agent.clone());
        if bodiless {
            headers.remove(CONTENT_LENGTH);
        }
        if own {
            headers.insert("x-github-api-version", VERSION);
            headers.entry(ACCEPT).or_insert(JSON);
            if let Some(bearer) = &self.bearer {
                headers.insert(AUTHORIZATION, bearer.clone());
            }
        } else {
            headers.remove("x-github-api-version");
            headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        }
        self.inner.call(call)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Fake, answer, call};
    use super::*;

    #[tokio::test]
    async fn the_token_goes_to_its_own_host_only() {
        let table = [
            ("/repos/o/r", "https://api.github.com/repos/o/r", true),
            ("https://api.github.com/x", "https://api.github.com/x", true),
            ("https://api.github.com:8443/x", "https://api.github.com:8443/x", false),
            ("http://api.github.com/x", "http://api.github.com/x", false),
            ("https://blob.example/x?sig=1", "https://blob.example/x?sig=1", false),
        ];
        for (from, to, token) in table {
            let fake = Fake::new(move |_, call| {
                assert_eq!(call.uri().to_string(), to);
                assert_eq!(call.headers().contains_key(AUTHORIZATION), token, "{to}");
                assert_eq!(call.headers().contains_key("x-github-api-version"), token, "{to}");
                assert_eq!(call.headers()[USER_AGENT], "test/1");
                assert!(!format!("{call:?}").contains("secretword"));
                Ok(answer(200, &[], ""))
            });
            let mut host = Host::new(fake, Base::github(), Some(&Secret::new("secretword")), "test/1").unwrap();
            let mut request = call("GET", from);
            request.headers_mut().insert(AUTHORIZATION, HeaderValue::from_static("Bearer smuggled"));
            if token {
                assert!(host.call(request).await.is_ok());
            } else {
                host.call(request).await.unwrap();
            }
        }
    }

    #[test]
    fn a_broken_token_is_refused_without_showing_it() {
        let fake = Fake::new(|_, _| Ok(answer(200, &[], "")));
        let trouble = Host::new(fake, Base::github(), Some(&Secret::new("sec\nret")), "x").err().unwrap();
        assert!(!format!("{trouble:?}").contains("sec\n"));
    }
}
