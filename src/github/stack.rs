//! Puts the layers on a leaf, under octocrab. Network and replay differ in the leaf and in nothing else.
//! Must not know: what is asked for.

use super::layers::Leaf;
use super::layers::cache::Cache;
use super::layers::gate::{Gate, GateState};
use super::layers::host::Host;
use super::layers::record::Record;
use super::layers::retry::Retry;
use super::layers::trace::{Tally, Trace};
use super::layers::whole::Complete;
use super::settings::Settings;
use crate::core::evidence::digest;
use crate::core::trouble::Trouble;
use octocrab::{AuthState, Octocrab, OctocrabBuilder};
use std::sync::Arc;
use tower::layer::layer_fn;

/// octocrab over our layers: none of its own for addresses, identity, cache, retries or redirects. Must be made inside
/// a Tokio runtime.
pub fn build<L: Leaf>(leaf: L, settings: &Settings, tally: &Arc<Tally>, gate: &Arc<GateState>) -> Result<Octocrab, Trouble> {
    let base = &settings.base;
    let identity = settings.token.as_ref().map_or_else(String::new, |token| digest(token.expose().as_bytes()));
    let whole = Complete { inner: leaf, limits: settings.limits, tally: tally.clone() };
    let host = Host::new(whole, base.clone(), settings.token.as_ref(), &settings.user_agent)?;
    let built = OctocrabBuilder::new_empty()
        .with_service(host)
        .with_layer(&layer_fn(|inner| Record { inner, base: base.clone(), recorder: settings.record.clone() }))
        .with_layer(&layer_fn(|inner| Gate { inner, base: base.clone(), state: gate.clone() }))
        .with_layer(&layer_fn(|inner| Retry::new(inner, u64::from((settings.clock)().timestamp_subsec_nanos()))))
        .with_layer(&layer_fn(|inner| Cache::new(inner, base.clone(), identity.clone(), tally.clone())))
        .with_layer(&layer_fn(|inner| Trace { inner, base: base.clone(), tally: tally.clone() }))
        .with_auth(AuthState::None)
        .build();
    match built {
        Ok(crab) => Ok(crab),
        Err(never) => match never {},
    }
}
