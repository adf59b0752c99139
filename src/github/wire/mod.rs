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
mod tests {
    use super::*;

    #[test]
    fn the_deleted_are_ghosts_and_bots_are_told() {
        let read = |text: &str| actor(serde_json::from_str::<Option<User>>(text).unwrap());
        assert_eq!(read("null"), Actor { login: "ghost".into(), id: None, bot: false });
        assert_eq!(read("{}").login, "ghost".into());
        assert!(read(r#"{"login":"x","id":1,"type":"Bot"}"#).bot);
        assert!(read(r#"{"login":"github-actions[bot]","id":1}"#).bot);
        assert_eq!(read(r#"{"login":"x","id":7,"type":"User"}"#), Actor { login: "x".into(), id: Some(UserId(7)), bot: false });
    }
}
