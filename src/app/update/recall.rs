//! The start from what was kept of an earlier visit: it is painted, and then GitHub is asked whether it still holds.
//! Must not know: where answers are kept.

use super::{ask, touch};
use crate::app::effect::Effect;
use crate::app::model::{Model, Reach};
use crate::core::plan;

/// An answer out of the cache. It settles nothing that only GitHub can: no step of a post follows from it.
pub(super) fn found(model: &mut Model, reply: plan::Reply) {
    match &mut model.reach {
        // What was not kept, or is a failure by now, is asked for like any other: no trouble yet.
        Reach::Recalling { missed } if reply.answer.is_err() => {
            missed.insert(reply.read.clone());
            plan::stop(&mut model.facts, &reply.read);
        }
        _ => plan::absorb(&mut model.facts, reply),
    }
    touch(model);
    model.came = true;
}

/// Nothing more of what was kept is due. A pull request that was never seen has nothing to paint first.
pub(super) fn all_came(model: &mut Model) -> Vec<Effect> {
    match model.reach {
        Reach::Recalling { .. } if !model.is_loading() && model.facts.pull.value().is_none() => go_live(model),
        _ => Vec::new(),
    }
}

/// A frame was drawn from the model as it is: a question in it can be answered now. Once everything that was kept is on
/// screen, GitHub is asked.
pub fn painted(model: &mut Model) -> Vec<Effect> {
    model.note_question();
    match model.reach {
        Reach::Recalling { .. } if !model.is_loading() => go_live(model),
        _ => Vec::new(),
    }
}

fn go_live(model: &mut Model) -> Vec<Effect> {
    model.reach = Reach::Live;
    let reads = plan::renew(&model.facts, &model.policy, &model.review.needs);
    ask(model, reads)
}
