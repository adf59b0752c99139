//! Rule `chat_template`: speculative configs that come or change are measured through the model's chat template.
//! Must not know: how a launch is read, which flags there are.

use super::launches::Ruling;
use super::launches::arms::Arm;
use super::launches::launched::Judged;
use super::launches::told::{self, Told};
use super::read::unavailable;
use super::{Context, Finding};
use crate::core::plan::Read;

const KEY: &str = "chat_template";

pub(super) fn needs(context: &Context<'_>, reads: &mut Vec<Read>) {
    told::needs(context, reads);
}

pub(super) fn check(context: &Context<'_>) -> Finding {
    speculative(context, KEY, |judged| &judged.chat_template)
}

/// One finding about every speculative config that comes or changes.
pub(super) fn speculative(context: &Context<'_>, key: &str, ruling: impl Fn(&Judged) -> &Ruling) -> Finding {
    if let Err(why) = told::basis(context) {
        return unavailable(key, why);
    }
    let launched = &context.conclusions.launched;
    let mut told = Told::default();
    let asked = |arm: &&Arm| arm.stated || arm.changed;
    launched.arms.iter().filter(asked).for_each(|arm| told.gap(arm));
    launched.launches().filter(|(arm, _)| asked(arm)).for_each(|(arm, judged)| told.ruling(arm, ruling(judged).clone()));
    told.finding(context, key, "No config that decodes speculatively, and no script or recipe of one, is added or changed.")
}
