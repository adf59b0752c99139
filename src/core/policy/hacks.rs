//! Rule `hacks`: no changed script or recipe takes computation out of the model, or sets what is forbidden.
//! Must not know: how a launch is read, which flags there are.

use super::launches::told::{self, Told};
use super::read::unavailable;
use super::{Context, Finding};
use crate::core::plan::Read;

const KEY: &str = "hacks";

pub(super) fn needs(context: &Context<'_>, reads: &mut Vec<Read>) {
    told::needs(context, reads);
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    if let Err(why) = told::basis(context) {
        return unavailable(KEY, why);
    }
    let launched = &context.conclusions.launched;
    let rules = context.policy.launch_rules.as_ref();
    let forbidden = rules.is_some_and(|rules| rules.hacks.forbidden_in.iter().any(|era| era == context.era));
    let mut told = Told::default();
    launched.arms.iter().filter(|arm| arm.changed).for_each(|arm| told.gap(arm));
    for (arm, judged) in launched.launches().filter(|(arm, _)| arm.changed) {
        told.ruling(arm, judged.hacks.clone());
        if let Some(ruling) = &judged.forbidden {
            match forbidden {
                true => told.ruling(arm, ruling.clone()),
                false => told.remark(format!("{} The rules in force do not forbid it yet.", ruling.reason)),
            }
        }
    }
    told.finding(context, KEY, "No script or recipe is added or changed, so no server argument is.")
}
