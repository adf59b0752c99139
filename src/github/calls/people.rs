//! Who may do what, who is in a team, and when labels came and went.
//! Must not know: who signs, or which labels matter.

use super::list::List;
use super::{Client, Form, OnPage, Paths};
use crate::core::evidence::Source;
use crate::core::ids::{Login, PullNumber, Team};
use crate::core::listing::Listing;
use crate::core::plan::Answer;
use crate::core::pull;
use crate::core::trouble::{Trouble, TroubleKind};
use crate::github::address::encode_query;
use crate::github::wire::people::{LabelEvent, Membership, Permission};

type Outcome = Result<(Answer, Source), Trouble>;

impl Client {
    /// When labels were put on and taken off; other events of the pull request are passed over.
    pub(super) async fn label_events(&self, paths: &Paths<'_>, number: PullNumber, on_page: OnPage<'_>) -> Outcome {
        let list = List { address: paths.at(&format!("/issues/{number}/events")), envelope: None, cap: None, commit: None };
        let of_labels = |mut listing: Listing<pull::LabelEvent>| {
            listing.items.retain(|event| !event.label.is_empty());
            Answer::LabelEvents(listing)
        };
        let mut tell = |listing, source| on_page(of_labels(listing), source);
        let (listing, source) = self.list::<LabelEvent>(&list, &mut tell).await?;
        Ok((of_labels(listing), source))
    }

    pub(super) async fn permission(&self, paths: &Paths<'_>, login: &Login) -> Outcome {
        let address = paths.at(&format!("/collaborators/{}/permission", encode_query(login.as_str())));
        let got = self.get(&address, Form::Json, 1).await?;
        let permission = got.read(Permission::read)?;
        Ok((Answer::Permission(permission), self.source_of(&got, None)))
    }

    /// GitHub answers 404 both for who is not in the team and for teams that the token may not see: only a clear yes is an
    /// answer.
    pub(super) async fn member(&self, team: &Team, login: &Login) -> Outcome {
        let (org, slug, login) = (encode_query(&team.org), encode_query(&team.slug), encode_query(login.as_str()));
        let got =
            self.get(&format!("/orgs/{org}/teams/{slug}/memberships/{login}"), Form::Json, 1).await.map_err(|trouble| {
                match trouble.kind {
                    TroubleKind::NotFound | TroubleKind::Access => Trouble::new(
                        trouble.kind,
                        format!("Whether {login} is in {team} cannot be read."),
                        "A token with read:org sees the members of teams.",
                    ),
                    _ => trouble,
                }
            })?;
        let member = got.read(Membership::read)?;
        Ok((Answer::Member(member), self.source_of(&got, None)))
    }
}
