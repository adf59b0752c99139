//! What could stand behind an item and does not yet: offered to the reviewer, and in no text before it is accepted.
//! Must not know: how a suggestion is accepted, or drawn.

use super::blocks::is_signoff;
use crate::core::facts::Facts;
use crate::core::ids::PullRef;
use crate::core::policy::Policy;
use crate::core::policy::recipe::candidates;

/// How many are offered.
const MOST: usize = 3;

/// A link that somebody named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    pub url: String,
    /// Where it was said: `the description`, `a comment of author-1`.
    pub place: String,
    /// Where it is a pull request's.
    pub pull: Option<PullRef>,
}

/// Links to recipes that stand in the pull request's own texts and in what people said of it, the texts first.
pub fn of_recipes(policy: &Policy, facts: &Facts) -> Vec<Suggestion> {
    let description = facts.pull.value().map(|pull| ("the description".to_owned(), pull.body.as_str()));
    let said = [&facts.comments, &facts.reviews].into_iter().filter_map(|list| list.value()).flat_map(|list| &list.items);
    // What a machine writes, or a sign-off cites, is nobody's offer.
    let people = said.filter(|comment| !comment.author.bot && !is_signoff(policy, &comment.body));
    let comments = people.map(|comment| (format!("a comment of {}", comment.author.login), comment.body.as_str()));
    let mut out: Vec<Suggestion> = Vec::new();
    for (place, text) in description.into_iter().chain(comments) {
        for found in candidates(policy, &facts.web, text) {
            if !out.iter().any(|known| known.url == found.url) && out.len() < MOST {
                out.push(Suggestion { url: found.url, place: place.clone(), pull: found.pull });
            }
        }
    }
    out
}

impl Suggestion {
    /// `https://… (the description): merged`; of a pull request also how it stands, once that is read.
    pub fn render(&self, facts: &Facts) -> String {
        let linked = self.pull.as_ref().and_then(|pull| facts.linked.get(pull));
        let standing = match (&self.pull, linked.and_then(|got| got.settled()).map(|got| &got.value)) {
            (None, _) => String::new(),
            (Some(_), Some(pull)) => match pull.merged_at {
                Some(at) => format!(", merged {}", at.format("%-d %B")),
                None if pull.draft => ", a draft".to_owned(),
                None => format!(", {}", pull.state),
            },
            (Some(_), None) => ", not read".to_owned(),
        };
        format!("{} in {}{standing}", self.url, self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::scenario;
    use crate::core::policy::tests::policy;
    use crate::core::remote::Remote;
    use crate::core::sample::{actor, comment};

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn what_people_name_is_offered_once_and_nothing_else() {
        let (mut facts, _) = scenario::review("2550-green", 2550, None, |_| {});
        let policy = &policy();
        let upstream = "https://github.com/sgl-project/sglang/pull/";
        let Remote::Ready(got) = &mut facts.comments else { panic!("no comments") };
        let mut bot = comment(1, actor("bot", 9), &format!("{upstream}1"));
        bot.author.bot = true;
        got.value.items = vec![
            bot,
            comment(2, actor("a", 1), &format!("{}: {upstream}2", policy.signoff.trigger)),
            comment(
                3,
                actor("a", 1),
                "https://github.com/sgl-project/sgl-cookbook/pull/3 is archived, https://example.org is not",
            ),
            comment(4, actor("b", 2), &format!("see {upstream}36245/files and {upstream}36245")),
            comment(5, actor("b", 2), &format!("{upstream}36300, {upstream}5, {upstream}6")),
        ];
        let found = of_recipes(policy, &facts);
        let shown: Vec<String> = found.iter().map(|one| one.render(&facts)).collect();
        assert_eq!(
            shown,
            ["36245", "36300", "5"].map(|number| format!("{upstream}{number} in a comment of b, not read")),
            "at most three"
        );
    }
}
