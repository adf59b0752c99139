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
use super::settings::{Secret, Settings};
use super::shelf::Memory;
use crate::core::evidence::digest;
use crate::core::trouble::Trouble;
use octocrab::{AuthState, Octocrab, OctocrabBuilder};
use std::sync::Arc;
use tower::layer::layer_fn;

/// octocrab over our layers: none of its own for addresses, identity, cache, retries or redirects. Must be made inside
/// a Tokio runtime.
pub fn build<L: Leaf>(leaf: L, settings: &Settings, tally: &Arc<Tally>, gate: &Arc<GateState>) -> Result<Octocrab, Trouble> {
    let base = &settings.base;
    // Of its own, so that nothing else that is made from the token equals it.
    let named = |token: &Secret| digest(format!("identity in the cache\n{}", token.expose()).as_bytes());
    let identity = settings.token.as_ref().map_or_else(String::new, named);
    // A recording is whole only if every answer passes by it.
    let shelf = match &settings.record {
        Some(_) => Arc::new(Memory::default()),
        None => settings.shelf.clone(),
    };
    let whole = Complete { inner: leaf, limits: settings.limits, tally: tally.clone() };
    let host = Host::new(whole, base.clone(), settings.token.as_ref(), &settings.user_agent)?;
    let built = OctocrabBuilder::new_empty()
        .with_service(host)
        .with_layer(&layer_fn(|inner| Record { inner, base: base.clone(), recorder: settings.record.clone() }))
        .with_layer(&layer_fn(|inner| Gate { inner, base: base.clone(), state: gate.clone() }))
        .with_layer(&layer_fn(|inner| Retry::new(inner, u64::from((settings.clock)().timestamp_subsec_nanos()))))
        .with_layer(&layer_fn(|inner| Cache {
            inner,
            base: base.clone(),
            identity: identity.clone(),
            tally: tally.clone(),
            shelf: shelf.clone(),
            clock: settings.clock.clone(),
        }))
        .with_layer(&layer_fn(|inner| Trace { inner, base: base.clone(), tally: tally.clone() }))
        .with_auth(AuthState::None)
        .build();
    match built {
        Ok(crab) => Ok(crab),
        Err(never) => match never {},
    }
}
