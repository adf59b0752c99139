//! Rule `codeowner`: whoever signs owns what is changed. The line that matches last counts; what only a catch-all line
//! covers is covered by any listed owner; a team that cannot be read never fails anybody.
//! Must not know: how owners are parsed, who is in a team.

use super::read::{document, evidence, several, unavailable, whole};
use super::{Context, Finding, Status};
use crate::core::facts::DocumentKind;
use crate::core::ids::{Login, Team};
use crate::core::owners::{Owner, OwnerRule, Owners};
use crate::core::plan::Read;
use crate::core::remote::Remote;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

const KEY: &str = "codeowner";

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CodeownerPolicy {
    /// Teams whose paths need no sign-off in the eras below: `org/slug`.
    pub core_teams: Vec<String>,
    /// Eras in which the bot verifies only what somebody besides those teams owns.
    pub only_specific: Vec<String>,
}

/// A changed path, under each of its names, with the line that counts for it.
struct Owned<'a> {
    path: &'a str,
    rule: &'a OwnerRule,
}

pub(super) fn needs(context: &Context<'_>, reads: &mut Vec<Read>) {
    let Some(signer) = context.signer() else { return };
    reads.push(Read::Permission(signer.clone()));
    let (Ok(owners), Some(files)) = (owners(context), context.facts.files.value()) else { return };
    let paths = files.items.iter().flat_map(|file| [Some(&file.path), file.previous_path.as_ref()]).flatten();
    let asked: BTreeSet<Team> = paths
        .filter_map(|path| owners.rule_of(path))
        .filter(|rule| !rule.catch_all && !rule.names(signer))
        .flat_map(teams)
        .collect();
    reads.extend(asked.into_iter().map(|team| Read::Member { team, login: signer.clone() }));
}

fn teams(rule: &OwnerRule) -> impl Iterator<Item = Team> {
    rule.owners.iter().filter_map(|owner| match owner {
        Owner::Team { org, team } => Some(Team { org: org.clone(), slug: team.clone() }),
        Owner::Login(_) | Owner::Email(_) => None,
    })
}

fn owners<'a>(context: &Context<'a>) -> Result<&'a Owners, String> {
    document(context.facts, DocumentKind::Owners, "The owners' file of the default branch")?;
    context.conclusions.documents.owners().ok_or_else(|| "The owners' file is not read yet.".to_owned())
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    judge(context).unwrap_or_else(|why| unavailable(KEY, why)).note(silence(context))
}

fn judge(context: &Context<'_>) -> Result<Finding, String> {
    let policy = &context.policy.rules.codeowner;
    let got = document(context.facts, DocumentKind::Owners, "The owners' file of the default branch")?;
    let owners = owners(context)?;
    let files = whole(&context.facts.files, "The list of changed files")?;
    let signer = context.signer().ok_or("Who signs is not known: give a token, or --signer LOGIN.")?;
    let paths: BTreeSet<&str> =
        files.value.items.iter().flat_map(|file| [Some(file.path.as_str()), file.previous_path.as_deref()]).flatten().collect();
    let owned: Vec<Owned<'_>> = paths
        .iter()
        .filter_map(|path| Some(Owned { path, rule: owners.rule_of(path)? }))
        .filter(|owned| !owned.rule.owners.is_empty())
        .collect();
    let specific: Vec<&Owned<'_>> = owned.iter().filter(|owned| !owned.rule.catch_all).collect();
    let lines = |of: &[&Owned<'_>]| of.iter().map(|owned| owned.rule.line).collect::<BTreeSet<_>>();
    let finding = |status, reason: String, of: &[&Owned<'_>]| {
        let lines = lines(of).into_iter().map(|line| evidence(context, got, Some(line)));
        Finding::new(KEY, "", status, reason).with(lines.collect::<Vec<_>>())
    };

    let is_core =
        |owner: &Owner| policy.core_teams.iter().any(|team| owner.to_string().eq_ignore_ascii_case(&format!("@{team}")));
    if policy.only_specific.iter().any(|era| era == context.era)
        && owned.iter().all(|owned| owned.rule.owners.iter().all(is_core))
    {
        let reason = "No changed path has an owner besides the core team: no sign-off is needed, and the bot stays silent.";
        return Ok(finding(Status::NotApplicable, reason.to_owned(), &[]).in_brief("no owner to sign"));
    }

    let mut unsure: Vec<&Owned<'_>> = Vec::new();
    let mut foreign: Vec<&Owned<'_>> = Vec::new();
    for owned in specific.iter().copied() {
        match standing(context, owned.rule, signer) {
            Standing::Owner => {}
            Standing::Unsure => unsure.push(owned),
            Standing::Foreign => foreign.push(owned),
        }
    }
    if let Some(first) = foreign.first() {
        let names: Vec<String> = first.rule.owners.iter().map(ToString::to_string).collect();
        let more = if foreign.len() > 1 {
            format!(", and {} more paths are not {signer}'s either", foreign.len() - 1)
        } else {
            String::new()
        };
        let reason = format!("{signer} does not own {}, which belongs to {}{more}.", first.path, several(&names));
        return Ok(finding(Status::Fail, reason, &foreign).in_brief(format!("{signer} does not own {}", first.path)));
    }
    let own: Vec<&Owned<'_>> =
        specific.iter().copied().filter(|owned| !unsure.iter().any(|other| std::ptr::eq(*other, *owned))).collect();
    if let Some(first) = own.first() {
        let reason = format!(
            "{signer} owns {}{}.",
            first.path,
            if own.len() > 1 { format!(" and {} more", own.len() - 1) } else { String::new() }
        );
        let found = finding(Status::Pass, reason, &own).in_brief(format!("{signer} owns {}", first.path));
        return Ok(found.note(unsure.first().map(|_| unreadable_team(signer, &unsure))));
    }
    if !unsure.is_empty() {
        return Ok(finding(Status::Pass, unreadable_team(signer, &unsure), &unsure).in_brief("by a team, unread").suspect());
    }
    let catch_all: Vec<&Owned<'_>> = owned.iter().collect();
    Ok(match owners.lists(signer) {
        true => {
            let reason = format!("No line names an owner of the changed paths, and {signer} is a listed owner.");
            finding(Status::Pass, reason, &catch_all).in_brief("listed owner")
        }
        // The bot fails a signer for specific paths alone.
        false => {
            let reason =
                format!("Only the catch-all covers the changed paths; whether {signer} is in its team cannot be told.");
            finding(Status::Pass, reason, &catch_all).in_brief("catch-all only").suspect()
        }
    })
}

fn unreadable_team(signer: &Login, unsure: &[&Owned<'_>]) -> String {
    let named: BTreeSet<String> = unsure.iter().flat_map(|owned| teams(owned.rule)).map(|team| team.to_string()).collect();
    let named: Vec<String> = named.into_iter().collect();
    format!("Whether {signer} is in {} cannot be read, which the bot holds against nobody.", several(&named))
}

enum Standing {
    Owner,
    /// By a team that the token may not see.
    Unsure,
    Foreign,
}

fn standing(context: &Context<'_>, rule: &OwnerRule, signer: &Login) -> Standing {
    if rule.names(signer) {
        return Standing::Owner;
    }
    let mut unsure = rule.owners.iter().any(|owner| matches!(owner, Owner::Email(_)));
    for team in teams(rule) {
        match context.facts.members.get(&(team, signer.clone())).and_then(Remote::settled) {
            Some(got) if got.value => return Standing::Owner,
            Some(_) => {}
            None => unsure = true,
        }
    }
    if unsure { Standing::Unsure } else { Standing::Foreign }
}

/// When the bot does not answer at all.
fn silence(context: &Context<'_>) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(pull) = context.facts.pull.value() {
        if pull.state != "open" {
            out.push(format!("The bot stays silent: the pull request is {}.", pull.state));
        } else if pull.draft {
            out.push("The bot stays silent: the pull request is a draft. Mark it as ready first.".to_owned());
        }
    }
    let signer = context.signer().and_then(|signer| Some((signer, context.facts.permissions.get(signer)?.settled()?)));
    if let Some((signer, got)) = signer.filter(|(_, got)| !got.value.can_write()) {
        out.push(format!(
            "The bot stays silent: {signer} may {} here, and it answers those who may write.",
            got.value.permission
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::scenario;
    use super::super::tests::finding;
    use super::*;
    use crate::core::facts::Facts;
    use crate::core::pull::ChangedFile;
    use crate::core::trouble::{Trouble, TroubleKind};

    const FILE: &str = "* @o/core\nconfigs/nv.yaml @nv-owner-1 @o/nv\nconfigs/amd.yaml @amd-owner-2\ndocs/ \n";

    fn changed(path: &str, from: Option<&str>) -> ChangedFile {
        ChangedFile {
            path: path.into(),
            previous_path: from.map(str::to_owned),
            status: if from.is_some() { "renamed" } else { "modified" }.into(),
            additions: 1,
            deletions: 0,
            blob: None,
            patch: None,
        }
    }

    fn says(files: &[(&str, Option<&str>)], signer: &str, change: impl Fn(&mut Facts)) -> (Status, String, Vec<String>) {
        let (_, review) = scenario::review("2550-green", 2550, None, |facts| {
            let files = files.iter().map(|(path, from)| changed(path, *from)).collect();
            let files: Vec<ChangedFile> = files;
            if let Remote::Ready(got) = &mut facts.pull {
                got.value.changed_files = files.len() as u64;
            }
            if let Remote::Ready(got) = &mut facts.files {
                got.value.items = files;
            }
            if let Some(Remote::Ready(got)) = facts.documents.get_mut(&DocumentKind::Owners) {
                got.value.text = FILE.into();
            }
            facts.signer = Some(signer.into());
            change(facts);
        });
        let found = finding(&review.findings, KEY);
        (found.status, found.reason.clone(), found.notes.clone())
    }

    fn member(facts: &mut Facts, login: &str, answer: Result<bool, ()>) {
        let key = (Team { org: "o".into(), slug: "nv".into() }, Login::from(login));
        let remote = match answer {
            Ok(yes) => scenario::ready("m", yes),
            Err(()) => Remote::Failed { trouble: Trouble::new(TroubleKind::NotFound, "x", ""), last: None },
        };
        facts.members.insert(key, remote);
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn owners_in_every_standing() {
        use Status::{Fail, Pass};
        let nothing = |_: &mut Facts| {};
        let nv = &[("configs/nv.yaml", None)][..];
        assert_eq!(says(nv, "NV-owner-1", nothing).0, Pass, "case does not count");
        let (status, reason, _) = says(nv, "stranger", |facts| member(facts, "stranger", Ok(false)));
        assert_eq!(status, Fail);
        assert!(reason.contains("configs/nv.yaml") && reason.contains("@nv-owner-1"), "{reason}");
        assert_eq!(says(nv, "mate", |facts| member(facts, "mate", Ok(true))).0, Pass);
        let (status, reason, _) = says(nv, "mate", |facts| member(facts, "mate", Err(())));
        assert!(status == Pass && reason.contains("o/nv cannot be read"), "{reason}");
        let both = &[("configs/nv.yaml", None), ("configs/amd.yaml", None)][..];
        let (status, reason, _) = says(both, "nv-owner-1", nothing);
        assert!(status == Fail && reason.contains("configs/amd.yaml"), "{reason}");
        assert_eq!(says(&[("new.yaml", Some("configs/amd.yaml"))], "nv-owner-1", nothing).0, Fail, "the old name counts too");
        assert_eq!(says(&[("README.md", None)], "amd-owner-2", nothing).0, Pass, "any listed owner covers the catch-all");
        assert_eq!(says(&[("docs/a.md", None)], "stranger", nothing).0, Pass, "nobody owns it");
    }

    #[test]
    #[cfg_attr(not(shared), ignore = "needs ../shared")]
    fn silence_is_foretold_and_gaps_are_never_green() {
        let nv = &[("configs/nv.yaml", None)][..];
        let draft = |facts: &mut Facts| {
            if let Remote::Ready(got) = &mut facts.pull {
                got.value.draft = true;
            }
        };
        assert!(says(nv, "nv-owner-1", draft).2.iter().any(|note| note.contains("is a draft")));
        let reader = |facts: &mut Facts| {
            let permission = crate::core::pull::Permission { permission: "read".into(), role: None };
            facts.permissions.insert("nv-owner-1".into(), scenario::ready("p", permission));
        };
        assert!(says(nv, "nv-owner-1", reader).2.iter().any(|note| note.contains("may read here")));
        for gap in [
            |facts: &mut Facts| facts.files.start(),
            |facts: &mut Facts| drop(facts.documents.remove(&DocumentKind::Owners)),
            |facts: &mut Facts| {
                facts.signer = None;
                facts.viewer = Remote::Idle;
            },
        ] {
            assert_eq!(says(nv, "nv-owner-1", gap).0, Status::Unavailable);
        }
    }
}
