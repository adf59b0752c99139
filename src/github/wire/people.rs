//! Permissions, team memberships, label events.
//! Must not know: what follows from them.

use super::{Row, time};
use crate::core::pull;
use crate::core::time::Time;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub struct Permission {
    permission: Option<String>,
    role_name: Option<String>,
}

impl Permission {
    pub fn read(self) -> Result<pull::Permission, &'static str> {
        Ok(pull::Permission { permission: self.permission.ok_or("permission")?, role: self.role_name })
    }
}

#[derive(Debug, Deserialize)]
pub struct Membership {
    state: Option<String>,
}

impl Membership {
    /// An invitation that is not accepted is no membership.
    pub fn read(self) -> Result<bool, &'static str> {
        Ok(self.state.ok_or("state")? == "active")
    }
}

#[derive(Debug, Deserialize)]
struct Label {
    name: Option<String>,
}

/// Any event of a pull request.
#[derive(Debug, Deserialize)]
pub struct LabelEvent {
    id: Option<u64>,
    event: Option<String>,
    label: Option<Label>,
    #[serde(default, deserialize_with = "time")]
    created_at: Option<Time>,
}

impl Row for LabelEvent {
    /// Without a label for every other kind of event.
    type Item = pull::LabelEvent;

    fn read(self) -> Result<pull::LabelEvent, &'static str> {
        let kind = self.event.unwrap_or_default();
        let of_labels = matches!(kind.as_str(), "labeled" | "unlabeled");
        Ok(pull::LabelEvent {
            id: self.id.ok_or("id")?,
            label: self.label.filter(|_| of_labels).and_then(|label| label.name).unwrap_or_default(),
            added: kind == "labeled",
            at: self.created_at,
        })
    }

    fn key(item: &pull::LabelEvent) -> String {
        item.id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::fixture;
    use super::*;

    #[test]
    fn events_of_labels_are_told_from_others() {
        let read = |text: &str| fixture::<LabelEvent>("issues/1/events", "[@]", text).read();
        let on = read(r#"{"id":1,"event":"labeled","label":{"name":"x"},"created_at":"2026-08-10T00:00:00Z"}"#).unwrap();
        assert_eq!((on.label.as_str(), on.added, on.at.is_some()), ("x", true, true));
        let off = read(r#"{"id":2,"event":"unlabeled","label":{"name":"x"},"created_at":null}"#).unwrap();
        assert_eq!((off.label.as_str(), off.added, off.at), ("x", false, None));
        assert_eq!(read(r#"{"id":3,"event":"renamed"}"#).unwrap().label, "");
        assert_eq!(read(r#"{"event":"labeled"}"#), Err("id"));
    }

    #[test]
    fn only_an_active_membership_counts() {
        let read = |text: &str| serde_json::from_str::<Membership>(text).unwrap().read();
        assert_eq!(read(r#"{"state":"active","role":"member"}"#), Ok(true));
        assert_eq!(read(r#"{"state":"pending"}"#), Ok(false));
        assert_eq!(read("{}"), Err("state"));
    }
}
