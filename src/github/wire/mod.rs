//! GitHub's JSON as far as we use it. Everything that GitHub may leave out, null or extend is optional, and its words
//! stay strings: one odd value must not cost a page.
//! Must not know: addresses, paging.

pub mod actions;
pub mod comment;
pub mod content;
pub mod people;
pub mod pull;

use crate::core::ids::{Login, UserId};
use crate::core::pull::Actor;
use crate::core::time::Time;
use chrono::DateTime;
use serde::{Deserialize, Deserializer};

/// An account. `null` for deleted ones, `{}` for authors that GitHub could not match.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct User {
    #[serde(default)]
    pub login: Option<String>,
    #[serde(default)]
    pub id: Option<u64>,
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
}

/// GitHub's own name for whoever is gone.
const GHOST: &str = "ghost";

/// The actor behind a comment or a pull request.
pub fn actor(user: Option<User>) -> Actor {
    let user = user.unwrap_or_default();
    let login = user.login.filter(|login| !login.is_empty());
    Actor {
        bot: user.kind.as_deref() == Some("Bot") || login.as_deref().is_some_and(|login| login.ends_with("[bot]")),
        id: login.is_some().then_some(user.id).flatten().map(UserId),
        login: Login(login.unwrap_or_else(|| GHOST.to_owned())),
    }
}

/// A point in time, or nothing: also where the text is none.
pub fn time<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Time>, D::Error> {
    let text = Option::<String>::deserialize(input)?;
    Ok(text.and_then(|text| DateTime::parse_from_rfc3339(&text).ok()).map(|time| time.to_utc()))
}

/// A row of a list.
pub trait Row: serde::de::DeserializeOwned {
    type Item: Clone + Send + 'static;

    /// The fact, or the name of the member without which there is none.
    fn read(self) -> Result<Self::Item, &'static str>;

    /// What makes two rows the same one.
    fn key(item: &Self::Item) -> String;
}

#[cfg(test)]
#[path = "../../../tests/fast/contract.rs"]
#[allow(dead_code, clippy::disallowed_methods)] // answers only are looked at here; a test reads files
mod contract;

#[cfg(test)]
mod tests {
    use super::contract::Contract;
    use super::*;

    /// Reads a piece of an answer that stands in the tests here; it may hold no member that GitHub does not send.
    /// `frame` is the answer to a GET of `address`, with `@` where the piece is.
    #[track_caller]
    pub fn fixture<T: serde::de::DeserializeOwned>(address: &str, frame: &str, piece: &str) -> T {
        if cfg!(shared) {
            let answer = serde_json::from_str(&frame.replace('@', piece)).unwrap();
            let address = format!("/repos/o/r/{address}");
            let contract = Contract::load();
            assert_eq!(contract.template("GET", &address).map(|_| ()), Some(()), "{address} is no operation");
            assert_eq!(contract.unknown_keys("GET", &address, 200, &answer), Vec::<String>::new(), "{piece}");
        }
        serde_json::from_str(piece).unwrap()
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    #[should_panic(expected = "/minimized/why")]
    fn a_member_that_github_does_not_send_is_found() {
        fixture::<serde_json::Value>("issues/1/comments", "[@]", r#"{"id":1,"minimized":{"why":null}}"#);
    }

    #[test]
    fn the_deleted_are_ghosts_and_bots_are_told() {
        let read = |text: &str| actor(fixture::<Option<User>>("pulls/1", r#"{"user":@}"#, text));
        assert_eq!(read("null"), Actor { login: "ghost".into(), id: None, bot: false });
        assert_eq!(read("{}").login, "ghost".into());
        assert!(read(r#"{"login":"x","id":1,"type":"Bot"}"#).bot);
        assert!(read(r#"{"login":"github-actions[bot]","id":1}"#).bot);
        assert_eq!(read(r#"{"login":"x","id":7,"type":"User"}"#), Actor { login: "x".into(), id: Some(UserId(7)), bot: false });
    }
}
