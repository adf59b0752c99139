//! Why a sign-off must not be posted now.
//! Must not know: how it is posted.

use super::compose::{Signoff, TickState};
use super::earlier;
use crate::core::facts::{DocumentKind, Facts};
use crate::core::ids::{CommentId, Login};
use crate::core::markdown::tasks::{Task, tasks};
use crate::core::policy::Policy;
use crate::core::posting::{Block, MAX_CHARS, PENDING, Target, text_digest};
use crate::core::pull::{Comment, CommentPlace, Viewer};
use crate::core::remote::Remote;
use crate::core::session::{Draft, Way};
use crate::core::text::{counted, gate};
use crate::core::trouble::Trouble;

/// Reasons against posting `text`, from what was just read; what it rests on and could not be read again is told by
/// [`crate::core::posting::not_read_again`]. `own` is false when the text was handed in as a file: then the
/// template's wording is compared instead of the ticks.
pub fn blocks(policy: &Policy, facts: &Facts, draft: &Draft, signoff: &Signoff, text: &str, own: bool) -> Vec<Block> {
    let mut out = Vec::new();
    unread(facts, &mut out);
    moved(facts, draft, signoff, &mut out);
    if own {
        let stale = signoff.items.iter().filter(|item| item.tick == TickState::Stale).count();
        if stale > 0 {
            out.push(Block::new(format!(
                "{stale} of your ticks were made at another head or for other words: tick or clear them again (~ marks them)."
            )));
        }
    }
    let old = signoff.items.iter().filter(|item| own && item.stale_reason).count();
    if old > 0 {
        out.push(Block::new(format!(
            "{} of yours why an item is not ticked, given at another head or for other words: x gives one again, or takes it away.",
            counted(old, "reason")
        )));
    }
    if own && let Some(lost) = signoff.lost.first() {
        let more = match signoff.lost.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        out.push(Block::new(format!(
            "\"{}\"{more} in your details is supported by nothing any more: e edits them, D drafts them from evidence again.",
            gate::line(&lost.text)
        )));
    }
    if own {
        out.extend(signoff.objections.unfit.iter().map(|why| Block::new(why.clone())));
    }
    match own {
        false => other_head(facts, text, "The text speaks", "render it again", &mut out),
        // Taken over from an earlier head, they are no draft whose facts are followed.
        true if draft.detail.is_some() => {
            let way = "e edits them, D drafts them from evidence again";
            other_head(facts, &signoff.detail, "Your details speak", way, &mut out);
        }
        true => {}
    }
    wording(policy, facts, signoff, text, &mut out);
    signed_by_another(policy, facts, signoff, text, &mut out);
    out.extend(earlier::foreign(policy, facts));
    let target = Target::of(draft);
    if let Some(viewer) = facts.viewer.value() {
        rights(facts, viewer, target, &mut out);
        if let Target::Edit(_) = target {
            edited(policy, facts, viewer, draft, text, &mut out);
        }
    }
    let mut others = own_signoffs(policy, facts).filter(|comment| !draft.edits.is_some_and(|edits| edits.is(comment)));
    if let Some(comment) = others.next() {
        let reason = match target {
            Target::New(_) => {
                "A sign-off of yours is already there: edit it in place, or delete it, instead of posting a second one."
            }
            Target::Edit(_) => "Another sign-off of yours is already there beside the one that you edit: delete one of them.",
        };
        out.push(Block::linked(reason, &comment.url));
    }
    out
}

/// What GitHub would refuse, as far as it can be told beforehand.
fn rights(facts: &Facts, viewer: &Viewer, target: Target, out: &mut Vec<Block>) {
    let permission = facts.permissions.iter().find(|(login, _)| login.is(&viewer.login)).and_then(|(_, got)| got.value());
    if permission.is_some_and(|got| got.permission == "none") {
        out.push(Block::new(format!("{} may not comment here: ask for access, or post with another token.", viewer.login)));
    }
    if let Some(pull) = facts.pull.value() {
        if pull.locked == Some(true) && !permission.is_some_and(|got| got.can_write()) {
            out.push(Block::linked(
                format!(
                    "The conversation is locked, and it is not known that {} may write all the same: have it unlocked.",
                    viewer.login
                ),
                &pull.url,
            ));
        }
        let own = pull.author.id.map_or_else(|| pull.author.login.is(&viewer.login), |id| id == viewer.id);
        if own && target == Target::New(Way::Approve) {
            out.push(Block::new(
                "GitHub lets nobody approve a pull request of their own: post a comment or a review instead (W).",
            ));
        }
    }
    if let (Target::New(Way::Review | Way::Approve), Some(waiting)) = (target, pending_review(facts)) {
        out.push(Block::linked(
            format!(
                "A pending review of yours is there ({}), and GitHub takes no second one: what waits in it goes with it or must be \
                 submitted first. Submit or discard it on GitHub, or post a comment instead (W).",
                wait_in(facts, waiting.id)
            ),
            &waiting.url,
        ));
    }
}

/// The viewer's own review that is not submitted yet: GitHub keeps one at most, and shows it to nobody else.
pub fn pending_review(facts: &Facts) -> Option<&Comment> {
    let viewer = facts.viewer.value()?;
    let waits = |comment: &&Comment| comment.author.id == Some(viewer.id) && is_pending(comment);
    facts.reviews.value()?.items.iter().find(waits)
}

/// How many inline comments wait in a pending review, as far as they could be counted.
fn wait_in(facts: &Facts, review: CommentId) -> String {
    let uncounted = |why: &Trouble| format!("its inline comments could not be counted: {}", why.headline);
    let list = match facts.pending_comments.get(&review) {
        Some(Remote::Ready(got)) => &got.value,
        Some(Remote::Failed { trouble, .. }) => return uncounted(trouble),
        _ => return "its inline comments are not counted yet".to_owned(),
    };
    match (list.items.len(), list.trouble()) {
        (0, None) => "no inline comment waits in it".to_owned(),
        (0, Some(why)) => uncounted(why),
        (1, None) => "1 inline comment waits in it".to_owned(),
        (count, None) => format!("{count} inline comments wait in it"),
        (count, Some(why)) => format!("at least {} wait in it: {}", counted(count, "inline comment"), why.headline),
    }
}

/// Whether nobody but its author sees it yet.
fn is_pending(comment: &Comment) -> bool {
    comment.place == CommentPlace::Review && comment.detail.as_deref().is_some_and(|state| state.eq_ignore_ascii_case(PENDING))
}

/// What is in the way of replacing the text of the sign-off that the draft names.
fn edited(policy: &Policy, facts: &Facts, viewer: &Viewer, draft: &Draft, text: &str, out: &mut Vec<Block>) {
    let target = Target::of(draft);
    let noun = target.noun();
    let Some(comment) = target.edited(facts) else {
        // Where the list was not read whole, that is said already.
        if target.list(facts).settled().is_some_and(|list| list.value.is_complete()) {
            out.push(Block::new(format!("The {noun} that was to be edited is gone: post a new one (W).")));
        }
        return;
    };
    let now = text_digest(&comment.body);
    let reason = if comment.author.id != Some(viewer.id) {
        let author = gate::line(comment.author.login.as_str()).into_owned();
        format!("The {noun} that was to be edited is {author}'s: only your own is. Post a new one (W).")
    } else if !is_signoff(policy, &comment.body) {
        format!("The {noun} that was to be edited is no sign-off: post a new one (W).")
    } else if is_pending(comment) {
        "The review that was to be edited is still pending: submit it on GitHub first.".to_owned()
    } else if draft.edits_text.as_ref().is_some_and(|then| *then != now) {
        format!("The {noun} was changed since you took it over: take it over again, then edit it.")
    } else if now == text_digest(text) {
        format!("The {noun} says exactly this already: there is nothing to edit.")
    } else {
        return;
    };
    out.push(Block::linked(reason, &comment.url));
}

/// Comments and reviews of ours that are sign-offs.
pub fn own_signoffs<'a>(policy: &'a Policy, facts: &'a Facts) -> impl Iterator<Item = &'a Comment> {
    let lists = [&facts.comments, &facts.reviews, &facts.line_comments];
    let viewer = facts.viewer.value();
    lists.into_iter().filter_map(|list| list.value()).flat_map(|list| &list.items).filter(move |comment| {
        let ours = viewer.is_some_and(|viewer| comment.author.login.is(&viewer.login));
        ours && is_signoff(policy, &comment.body)
    })
}

/// Whether the bot would read this comment as a sign-off.
pub fn is_signoff(policy: &Policy, body: &str) -> bool {
    body.contains(&policy.signoff.trigger) && !policy.signoff.not_signoffs.iter().any(|mark| body.contains(mark))
}

/// What must have been read whole before anything may be posted.
fn unread(facts: &Facts, out: &mut Vec<Block>) {
    if facts.viewer.settled().is_none() {
        let why = facts
            .viewer
            .trouble()
            .map_or("It is still being asked.".to_owned(), |trouble| format!("{} {}", trouble.headline, trouble.hint));
        out.push(Block::new(format!("Who you are on GitHub is not known. {}", why.trim_end())));
    }
    let pull = facts.pull.settled();
    if pull.is_none() {
        out.push(Block::new("The pull request itself could not be read again: press r, then try once more."));
    }
    if let Some(pull) = pull.filter(|pull| pull.value.state != "open") {
        out.push(Block::linked(
            format!("The pull request is {}: a sign-off counts only while it is open.", pull.value.state),
            &pull.value.url,
        ));
    }
    let lists = [("comments", &facts.comments), ("reviews", &facts.reviews), ("line comments", &facts.line_comments)];
    for (name, list) in lists {
        match list.settled() {
            Some(list) if list.value.is_complete() => {}
            Some(list) => out.push(Block::new(format!(
                "Not all {name} could be read ({}): a sign-off of yours might be among the rest. Press r, then try once more.",
                list.value.render_gap().unwrap_or_default()
            ))),
            None => out.push(Block::new(format!(
                "The {name} could not be read: a sign-off of yours might be there. Press r, then try once more."
            ))),
        }
    }
    if facts.document(DocumentKind::Checklist).and_then(|remote| remote.settled()).is_none() {
        out.push(Block::new("The template could not be read again, so nobody can say whether it is still the same. Press r, then try once more."));
    }
}

fn moved(facts: &Facts, draft: &Draft, signoff: &Signoff, out: &mut Vec<Block>) {
    let Some(basis) = &draft.basis else { return };
    if let Some(pull) = facts.pull.value().filter(|pull| pull.head != basis.head) {
        out.push(Block::linked(
            format!(
                "The head moved from {} to {} since this text was made: look at what changed, then tick again.",
                basis.head.short(),
                pull.head.short()
            ),
            &format!("{}/commits", pull.url),
        ));
    }
    if basis.template != signoff.template.blob {
        out.push(Block::linked(
            "The template changed since this text was made: read the new wording, then tick again.",
            &template_page(facts),
        ));
    }
}

/// Where people read today's template.
fn template_page(facts: &Facts) -> String {
    let document = facts.document(DocumentKind::Checklist).and_then(|remote| remote.value());
    let path = document.map_or("", |document| document.path.as_str());
    let branch = facts.repository.value().map_or("HEAD", |repository| repository.default_branch.as_str());
    facts.page(&format!("blob/{branch}/{path}"))
}

/// Whoever posts signs: another name behind the template's words for it would be a false statement.
fn signed_by_another(policy: &Policy, facts: &Facts, signoff: &Signoff, text: &str, out: &mut Vec<Block>) {
    let placeholder = &policy.signoff.login_placeholder;
    let Some(viewer) = facts.viewer.value() else { return };
    let lead = signoff.template.text.lines().find_map(|line| line.split_once(placeholder.as_str())).map(|(lead, _)| lead);
    let Some(lead) = lead.filter(|lead| !lead.trim().is_empty()) else { return };
    let is_login = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '[' | ']');
    for line in text.lines() {
        let Some(rest) = line.strip_prefix(lead) else { continue };
        let login: String = rest.chars().take_while(is_login).collect();
        if !rest.starts_with(placeholder.as_str()) && !Login(login.clone()).is(&viewer.login) {
            let signed = gate::line(&login).into_owned();
            out.push(Block::new(format!(
                "The text is signed \"{signed}\", but {} would post it: sign with the login that posts.",
                viewer.login
            )));
        }
    }
}

/// A text that was handed in or taken over has no record of what it was made from, but drafted details name the head:
/// today's must be among the commits it speaks of, if it speaks of any. What stands in another repository is no such commit.
fn other_head(facts: &Facts, text: &str, who: &str, way: &str, out: &mut Vec<Block>) {
    let Some(pull) = facts.pull.value() else { return };
    let is_elsewhere = |word: &&str| word.contains("://") && !word.starts_with(&facts.page(""));
    let words =
        text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '<' | '>')).filter(|word| !is_elsewhere(word));
    let is_commit = |word: &&str| word.len() == 40 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let commits: Vec<&str> =
        words.flat_map(|word| word.split(|c: char| !c.is_ascii_alphanumeric())).filter(is_commit).collect();
    if let Some(first) = commits.first().filter(|_| !commits.contains(&pull.head.as_str())) {
        out.push(Block::linked(
            format!("{who} of commit {}, but the head moved and is {}: {way}.", &first[..9], pull.head.short()),
            &format!("{}/commits", pull.url),
        ));
    }
}

/// What is wrong with the text itself, whoever wrote it.
fn wording(policy: &Policy, facts: &Facts, signoff: &Signoff, text: &str, out: &mut Vec<Block>) {
    let rules = &policy.signoff;
    if !text.contains(&rules.trigger) {
        out.push(Block::new(format!(
            "The opening phrase \"{}\" is missing: the bot would not see this as a sign-off.",
            rules.trigger
        )));
    }
    for placeholder in [&rules.login_placeholder, &rules.detail_placeholder] {
        if text.contains(placeholder.as_str()) {
            out.push(Block::new(format!("The placeholder \"{placeholder}\" is still in the text: replace it.")));
        }
    }
    // A box in the details is no item of the template.
    let is_item = |task: &Task| {
        text.get(task.text.clone()).is_some_and(|said| signoff.items.iter().any(|item| said.starts_with(&item.text)))
    };
    if !tasks(text).iter().any(|task| task.ticked && is_item(task)) {
        out.push(Block::new("No item is ticked: tick what you have verified."));
    }
    let lost = signoff.items.iter().filter(|item| !text.contains(&item.text)).count();
    if lost > 0 {
        let total = signoff.items.len();
        out.push(Block::linked(
            format!(
                "{lost} of {total} items of today's template are not in the text word for word: it was made from another version, or edited."
            ),
            &template_page(facts),
        ));
    }
    let chars = text.chars().count();
    if chars > MAX_CHARS {
        out.push(Block::new(format!("The text has {chars} characters, GitHub takes {MAX_CHARS}: shorten the details.")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::checklist::compose::{Ingredients, compose};
    use crate::core::conclusions::Conclusions;
    use crate::core::ids::UserId;
    use crate::core::listing::Listing;
    use crate::core::plan::Read;
    use crate::core::policy::tests::policy;
    use crate::core::pull::Permission;
    use crate::core::remote::Remote;
    use crate::core::remote::Sourced;
    use crate::core::sample::{World, actor, comment, server_error};
    use crate::core::session::Basis;
    use crate::core::verdict::SignoffRef;

    /// The reasons against posting what [`World`] would render with its first boxes ticked, after `change`.
    fn reasons(change: impl Fn(&mut Facts, &mut Draft, &mut String), own: bool) -> Vec<String> {
        let policy = policy();
        let mut facts = World::new().opened(&policy);
        let mut draft = Draft::new("api.github.com", facts.repo.clone(), facts.number);
        let nothing = Conclusions::default();
        let signoff = |facts: &Facts, draft: &Draft| {
            let made_of = Ingredients { policy: &policy, facts, draft, conclusions: &nothing, findings: &[], drafted: None };
            compose(&made_of).unwrap().unwrap()
        };
        let today = signoff(&facts, &draft);
        draft.basis = Some(Basis { head: facts.head().unwrap().clone(), template: today.template.blob.clone() });
        let mut text = today.rendered.text.replacen("- [ ]", "- [x]", 2);
        change(&mut facts, &mut draft, &mut text);
        blocks(&policy, &facts, &draft, &signoff(&facts, &draft), &text, own).into_iter().map(|block| block.reason).collect()
    }

    #[test]
    fn a_fresh_ticked_text_may_be_posted() {
        assert_eq!(reasons(|_, _, _| {}, true), Vec::<String>::new());
        assert_eq!(reasons(|_, _, _| {}, false), Vec::<String>::new());
        let upstream = format!("[theirs](https://github.com/up/stream/blob/{}/a.md)", "0".repeat(40));
        assert_eq!(reasons(|_, draft, _| draft.detail = Some(upstream.clone()), true), Vec::<String>::new());
    }

    #[test]
    fn every_slip_is_named() {
        type Change = fn(&mut Facts, &mut Draft, &mut String);
        let table: [(Change, bool, &str); 17] = [
            (|_, _, text| *text = text.replace("[x]", "[ ]") + "\n- [x] my own box\n", true, "No item is ticked"),
            (|_, _, text| *text = text.replace("`nv-owner-1`", "`somebody`"), false, "signed \"somebody\""),
            (|_, _, text| *text = text.replace("`nv-owner-1`", "``"), false, "signed \"\""),
            (|_, _, text| *text = text.replace("[x]", "[ ]"), true, "No item is ticked"),
            (|_, _, text| text.push_str("insert any additional info here"), true, "placeholder"),
            (|_, _, text| *text = text.replace("CODEOWNER", "owner"), true, "opening phrase"),
            (|_, _, text| *text = text.replace("code quality is fine", "code is fine"), false, "1 of 4 items"),
            (|_, _, text| text.push_str(&"x".repeat(MAX_CHARS)), true, "GitHub takes 65536"),
            (|_, draft, _| draft.basis.as_mut().unwrap().head = "0".repeat(40).as_str().into(), true, "The head moved"),
            (|_, draft, _| draft.basis.as_mut().unwrap().template = "old".into(), true, "The template changed"),
            (
                |_, _, text| *text = text.replace("e36439994615e02aaaf042482234dc7060a6126d", &"0".repeat(40)),
                false,
                "speaks of commit 000000000",
            ),
            (
                |_, draft, _| draft.detail = Some(format!("- **Scope**: at head `{}`, run 1.", "0".repeat(40))),
                true,
                "details speak of commit 000000000",
            ),
            (|facts, _, _| facts.viewer = Remote::Failed { trouble: server_error(), last: None }, true, "Who you are"),
            (|facts, _, _| facts.pull.start(), true, "could not be read again"),
            (|facts, _, _| facts.comments.start(), true, "comments could not be read"),
            (
                |facts, _, _| {
                    if let Remote::Ready(got) = &mut facts.reviews {
                        got.value.items.push(comment(1, actor("NV-owner-1", 9), "As a PR reviewer and CODEOWNER, I"));
                    }
                },
                true,
                "already there",
            ),
            (
                |facts, _, _| {
                    if let Remote::Ready(got) = &mut facts.pull {
                        got.value.state = "closed".into();
                    }
                },
                true,
                "is closed",
            ),
        ];
        for (change, own, words) in table {
            let reasons = reasons(change, own);
            assert!(reasons.len() == 1 && reasons[0].contains(words), "{words}: {reasons:?}");
        }
    }

    const PHRASE: &str = "As a PR reviewer and CODEOWNER, I";

    fn listed(list: &mut Remote<Listing<Comment>>, comment: Comment) {
        if let Remote::Ready(got) = list {
            got.value.items.push(comment);
        }
    }

    fn review(id: u64, state: &str, body: &str) -> Comment {
        let said = comment(id, actor("NV-owner-1", 42), body);
        Comment { place: CommentPlace::Review, detail: Some(state.to_owned()), ..said }
    }

    fn edits(draft: &mut Draft, place: CommentPlace, id: u64) {
        draft.edits = Some(SignoffRef { place, id: CommentId(id) });
    }

    fn may(facts: &mut Facts, permission: &str) {
        let Remote::Ready(got) = &facts.viewer else { return };
        let said = Permission { permission: permission.to_owned(), role: None };
        let read = Sourced { value: said, source: got.source.clone() };
        facts.permissions.insert(got.value.login.clone(), Remote::Ready(read));
    }

    fn pull(facts: &mut Facts, change: impl Fn(&mut crate::core::pull::Pull)) {
        if let Remote::Ready(got) = &mut facts.pull {
            change(&mut got.value);
        }
    }

    #[test]
    fn only_a_standing_sign_off_of_ours_is_edited_and_only_a_new_text_is_sent() {
        type Change = fn(&mut Facts, &mut Draft, &mut String);
        let table: [(Change, &str); 11] = [
            (|facts, draft, _| own(facts, draft, PHRASE), ""),
            (
                |facts, draft, _| {
                    own(facts, draft, PHRASE);
                    draft.edits_text = Some(text_digest(&format!("{PHRASE}\r\n")));
                },
                "",
            ),
            (
                |facts, draft, _| {
                    listed(&mut facts.reviews, review(1, "APPROVED", PHRASE));
                    edits(draft, CommentPlace::Review, 1);
                },
                "",
            ),
            (|facts, draft, text| own(facts, draft, text), "The comment says exactly this already"),
            (|_, draft, _| edits(draft, CommentPlace::Line, 1), "The line comment that was to be edited is gone"),
            (
                |facts, draft, _| {
                    own(facts, draft, PHRASE);
                    draft.edits_text = Some(text_digest("as it was"));
                },
                "was changed since",
            ),
            (|facts, draft, _| own(facts, draft, "thanks"), "is no sign-off"),
            (
                |facts, draft, _| {
                    listed(&mut facts.comments, comment(1, actor("someone", 9), PHRASE));
                    edits(draft, CommentPlace::Conversation, 1);
                },
                "is someone's: only your own",
            ),
            (
                // An account that took over our login is not ours.
                |facts, draft, _| {
                    listed(&mut facts.comments, comment(1, actor("nv-owner-1", 9), PHRASE));
                    edits(draft, CommentPlace::Conversation, 1);
                },
                "only your own",
            ),
            (
                |facts, draft, _| {
                    listed(&mut facts.reviews, review(1, "PENDING", PHRASE));
                    edits(draft, CommentPlace::Review, 1);
                },
                "still pending",
            ),
            (
                |facts, draft, _| {
                    own(facts, draft, PHRASE);
                    listed(&mut facts.reviews, review(1, "COMMENTED", PHRASE));
                },
                "Another sign-off of yours",
            ),
        ];
        for (change, words) in table {
            let reasons = reasons(change, true);
            let told = if words.is_empty() { reasons.is_empty() } else { reasons.len() == 1 && reasons[0].contains(words) };
            assert!(told, "{words}: {reasons:?}");
        }
    }

    fn own(facts: &mut Facts, draft: &mut Draft, body: &str) {
        listed(&mut facts.comments, comment(1, actor("nv-owner-1", 42), body));
        edits(draft, CommentPlace::Conversation, 1);
    }

    #[test]
    fn what_github_would_refuse_is_said_before() {
        type Change = fn(&mut Facts);
        let table: [(Change, Way, &str); 11] = [
            (|facts| pull(facts, |pull| pull.locked = Some(true)), Way::Comment, ""),
            (
                |facts| {
                    facts.permissions.clear();
                    pull(facts, |pull| pull.locked = Some(true));
                },
                Way::Comment,
                "conversation is locked",
            ),
            (
                |facts| {
                    may(facts, "read");
                    pull(facts, |pull| pull.locked = Some(true));
                },
                Way::Review,
                "conversation is locked",
            ),
            (|facts| may(facts, "none"), Way::Comment, "may not comment here"),
            (
                |facts| pull(facts, |pull| pull.author.id = Some(UserId(42))),
                Way::Approve,
                "approve a pull request of their own",
            ),
            (|facts| pull(facts, |pull| pull.author.id = Some(UserId(42))), Way::Review, ""),
            (|facts| listed(&mut facts.reviews, review(1, "PENDING", "")), Way::Review, "inline comments are not counted yet"),
            (|facts| listed(&mut facts.reviews, review(1, "pending", "")), Way::Approve, "GitHub takes no second one"),
            (|facts| listed(&mut facts.reviews, review(1, "PENDING", "")), Way::Comment, ""),
            (|facts| listed(&mut facts.reviews, review(1, "COMMENTED", "")), Way::Approve, ""),
            (|_| (), Way::Approve, ""),
        ];
        for (change, way, words) in table {
            let reasons = reasons(
                |facts, draft, _| {
                    may(facts, "write");
                    draft.way = way;
                    change(facts);
                },
                true,
            );
            let told = if words.is_empty() { reasons.is_empty() } else { reasons.len() == 1 && reasons[0].contains(words) };
            assert!(told, "{way:?} {words}: {reasons:?}");
        }
    }

    #[test]
    fn a_pending_review_says_how_many_inline_comments_wait_in_it() {
        let got = |list: Listing<CommentId>| {
            let source = World::new().reply(Read::Reviews).answer.unwrap().1;
            Remote::Ready(Sourced { value: list, source })
        };
        let ids = |count: u64| (1..=count).map(CommentId).collect::<Vec<_>>();
        let part = |count: u64| got(Listing::partial(ids(count), None, server_error()));
        let failed = |last| Remote::Failed { trouble: server_error(), last };
        let table = [
            (got(Listing::complete(ids(0))), "(no inline comment waits in it)"),
            (got(Listing::complete(ids(1))), "(1 inline comment waits in it)"),
            (got(Listing::complete(ids(3))), "(3 inline comments wait in it)"),
            (part(100), "(at least 100 inline comments wait in it: GitHub answered 502.)"),
            (part(0), "(its inline comments could not be counted: GitHub answered 502.)"),
            (failed(None), "(its inline comments could not be counted: GitHub answered 502.)"),
            // How many they were says nothing of how many they are.
            (failed(got(Listing::complete(ids(3))).known().cloned()), "could not be counted"),
            (Remote::Loading, "not counted yet"),
        ];
        for (comments, words) in table {
            let reasons = reasons(
                |facts, draft, _| {
                    may(facts, "write");
                    draft.way = Way::Review;
                    listed(&mut facts.reviews, review(9, "PENDING", ""));
                    facts.pending_comments.insert(CommentId(8), got(Listing::complete(ids(7))));
                    facts.pending_comments.insert(CommentId(9), comments.clone());
                },
                true,
            );
            assert!(reasons.len() == 1 && reasons[0].contains(words), "{words}: {reasons:?}");
        }
    }

    #[test]
    fn another_reviewer_s_sign_off_is_no_obstacle() {
        let add = |facts: &mut Facts, _: &mut Draft, _: &mut String| {
            if let Remote::Ready(got) = &mut facts.comments {
                got.value.items.push(comment(1, actor("someone", 42), "As a PR reviewer and CODEOWNER, I"));
            }
        };
        assert_eq!(reasons(add, true), Vec::<String>::new());
    }

    #[test]
    fn machines_that_quote_the_phrase_are_no_sign_offs() {
        let policy = policy();
        let phrase = &policy.signoff.trigger;
        assert!(is_signoff(&policy, &format!("{phrase}, I have")));
        assert!(!is_signoff(&policy, &format!("<!-- recipe-reminder -->\n{phrase}, I have")));
        assert!(!is_signoff(&policy, "looks good"));
    }
}
