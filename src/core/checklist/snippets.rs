//! A person's own phrases for reasons that come again and again, with places that are filled from facts.
//! Must not know: where they are kept, or how one is chosen.

use crate::core::conclusions::Conclusions;
use crate::core::facts::Facts;
use crate::core::markdown::gate;

/// One phrase: `the changed points need no {run}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    pub name: String,
    pub text: String,
}

/// What may stand between braces.
const PLACES: [&str; 6] = ["head", "run", "login", "number", "config", "base"];

impl Snippet {
    /// # Errors
    /// A sentence about the first place that nothing can fill.
    pub fn parse(name: &str, text: &str) -> Result<Snippet, String> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(place) = places(&text).find(|place| !PLACES.contains(place)) {
            return Err(format!(
                "Nothing fills {{{place}}}: there is {}.",
                PLACES.map(|place| format!("{{{place}}}")).join(" ")
            ));
        }
        Ok(Snippet { name: name.to_owned(), text })
    }

    /// The phrase for this pull request. Names that come from it are code, with `trigger` broken: they go into a comment.
    ///
    /// # Errors
    /// A sentence about the first place whose fact is not known: a phrase with a hole is nobody's reason.
    pub fn fill(&self, facts: &Facts, conclusions: &Conclusions, trigger: &str) -> Result<String, String> {
        let mut out = self.text.clone();
        for place in places(&self.text) {
            let value = value(place, facts, conclusions, trigger);
            let value = value.ok_or_else(|| format!("The snippet {} wants {{{place}}}, which is not known.", self.name))?;
            out = out.replace(&format!("{{{place}}}"), &value);
        }
        Ok(out)
    }
}

/// The words between braces.
fn places(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0))
}

fn value(place: &str, facts: &Facts, conclusions: &Conclusions, trigger: &str) -> Option<String> {
    Some(match place {
        "head" => facts.head()?.to_string(),
        "base" => gate::code(&facts.pull.value()?.base_branch, trigger),
        "number" => facts.number.to_string(),
        "login" => facts.viewer.value()?.login.to_string(),
        "run" => conclusions.validation()?.run.id.to_string(),
        "config" => gate::code(conclusions.keys.named().first()?, trigger),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::tests::policy;
    use crate::core::sample::World;

    #[test]
    fn places_are_filled_from_facts_or_refused() {
        let policy = policy();
        let facts = World::new().opened(&policy);
        let conclusions = Conclusions::draw(&policy, &facts);
        let trigger = &policy.signoff.trigger;
        let fill = |text: &str| Snippet::parse("one", text).and_then(|snippet| snippet.fill(&facts, &conclusions, trigger));
        assert_eq!(
            fill("see  run {run},\nread by {login} for #{number}"),
            Ok("see run 31020193450, read by nv-owner-1 for #7".into())
        );
        let mut bent = facts.clone();
        if let crate::core::remote::Remote::Ready(pull) = &mut bent.pull {
            pull.value.base_branch = "@org/team".into();
        }
        let filled = Snippet::parse("one", "as on {base}").unwrap().fill(&bent, &conclusions, trigger);
        assert_eq!(filled, Ok("as on `@org/team`".into()), "nobody is notified");
        assert_eq!(fill("no places {"), Ok("no places {".into()));
        assert!(fill("{colour}").unwrap_err().contains("Nothing fills {colour}: there is {head} {run}"));
        let nothing = World::new().facts();
        let unknown =
            Snippet::parse("one", "at {head}").unwrap().fill(&nothing, &Conclusions::draw(&policy, &nothing), trigger);
        assert_eq!(unknown, Err("The snippet one wants {head}, which is not known.".into()));
    }
}
